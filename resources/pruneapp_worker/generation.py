"""Generate answers to prompts with a transformers model, token by token, and compare states."""

from __future__ import annotations

from typing import Any

import torch

from pruneapp_worker import transformers_folder
from pruneapp_worker.pipe import ContractError, Progress


@torch.no_grad()
def answer_prompts(
    model: Any,
    prompts: list[str],
    tokens: int,
    progress: Progress,
    *,
    chat: bool,
    sample: bool,
    followed: list[list[int]] | None,
) -> list[dict[str, Any]]:
    """Return an answer of at most `tokens` tokens to each prompt.

    An answer has its token ``ids`` and the text of each as ``pieces``, whose concatenation is the
    text. Greedy decoding unless `sample`. With `chat`, a prompt is a message in the chat template
    of the tokenizer, if it has one. `followed` are the ids of other answers to the same prompts:
    ``same_next`` is how many of their tokens the model would choose after the tokens before, by
    greedy decoding. Raises `ContractError` if the model generates no text.
    """
    can_generate = getattr(model, "can_generate", None)
    if can_generate is None or not can_generate():
        raise ContractError(
            f"A model of the class {type(model).__name__} generates no text.",
            "Open the folder of a language model with a head, such as a class …ForCausalLM.",
        )
    tokenizer = transformers_folder.tokenizer_of_folder()
    context, has_decoder = transformers_folder.context_of(model), model.config.is_encoder_decoder
    found = []
    for number, prompt in enumerate(prompts):
        inputs = encode(tokenizer, prompt, chat=chat)
        # A decoder beside an encoder begins with one token instead of the prompt.
        room = context - (1 if has_decoder and len(inputs) <= context else len(inputs))
        if not inputs or room < 1:
            raise ContractError(
                f"Prompt {number + 1} has {len(inputs)} tokens, and the model takes {context}.",
                "Shorten it." if inputs else "Enter some text.",
            )
        most = min(tokens, room)

        def report(done: int, number: int = number) -> None:
            progress(number * tokens + done, len(prompts) * tokens, f"prompt {number + 1}")

        ids = generate(model, tokenizer, inputs, most, report, sample=sample)
        answer: dict[str, Any] = {"ids": ids, "pieces": pieces_of(tokenizer, ids)}
        if followed is not None:
            answer["same_next"] = count_same_next(model, inputs, followed[number])
        found.append(answer)
    return found


def encode(tokenizer: Any, prompt: str, *, chat: bool) -> list[int]:
    """Return the token ids of a prompt."""
    if chat and getattr(tokenizer, "chat_template", None):
        messages = [{"role": "user", "content": prompt}]
        text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        return list(tokenizer(text, add_special_tokens=False)["input_ids"])
    return list(tokenizer(prompt)["input_ids"])


def generate(
    model: Any, tokenizer: Any, inputs: list[int], most: int, report: Any, *, sample: bool
) -> list[int]:
    """Return the ids of at most `most` new tokens, without the token that ends the answer.

    `report` is called with the number of tokens after each one, and may raise to cancel.
    """
    from transformers import StoppingCriteriaList

    decoder = model.config.is_encoder_decoder
    row = torch.tensor([inputs]).to(model.device)
    begin = 1 if decoder else len(inputs)

    def count(ids: torch.Tensor, _scores: Any, **_more: Any) -> torch.Tensor:
        report(ids.shape[1] - begin)
        return torch.zeros(ids.shape[0], dtype=torch.bool, device=ids.device)

    pad = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else tokenizer.eos_token_id
    out = model.generate(
        input_ids=row,
        attention_mask=torch.ones_like(row),
        max_new_tokens=most,
        do_sample=sample,
        num_beams=1,
        pad_token_id=pad,
        stopping_criteria=StoppingCriteriaList([count]),
    )[0, begin:].tolist()
    ends = model.generation_config.eos_token_id
    ends = set(ends if isinstance(ends, list) else [ends]) | {tokenizer.eos_token_id}
    return out[:-1] if out and out[-1] in ends else out


def pieces_of(tokenizer: Any, ids: list[int]) -> list[str]:
    """Return the text of each token; a character of several tokens belongs to the last of them."""
    pieces = []
    shown = ""
    for end in range(1, len(ids) + 1):
        text = tokenizer.decode(ids[:end], clean_up_tokenization_spaces=False)
        is_whole = end == len(ids) or not text.endswith("\ufffd")
        pieces.append(text[len(shown) :] if is_whole else "")
        shown = text if is_whole else shown
    return pieces


def count_same_next(model: Any, inputs: list[int], ids: list[int]) -> int:
    """Return how many of the tokens `ids` are the most probable ones after those before them."""
    if not ids:
        return 0
    if model.config.is_encoder_decoder:
        start = model.generation_config.decoder_start_token_id
        start = model.config.decoder_start_token_id if start is None else start
        begin, given = 0, {"decoder_input_ids": torch.tensor([[start, *ids[:-1]]]).to(model.device)}
        row = torch.tensor([inputs]).to(model.device)
    else:
        begin, given = len(inputs) - 1, {}
        row = torch.tensor([inputs + ids[:-1]]).to(model.device)
    logits = model(input_ids=row, **given).logits[0, begin:]
    return int((logits.argmax(-1).cpu() == torch.tensor(ids)).sum())
