"""The namespace of torch.nn.utils.prune, drop-in: the same results, faster, in less memory."""
