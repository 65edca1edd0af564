<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>AboutDialog</name>
    <message>
        <source>About Pruneapp</source>
        <translation>关于 Pruneapp</translation>
    </message>
    <message>
        <source>Prune neural networks by pointing and clicking. MIT License.
Nothing is uploaded unless you name a URL as the target. Files are read, never run.</source>
        <translation>通过点击操作对神经网络剪枝。MIT 许可证。
除非您将 URL 指定为目标，否则不会上传任何内容。文件只读取，从不运行。</translation>
    </message>
    <message>
        <source>Licenses</source>
        <translation>许可证</translation>
    </message>
    <message>
        <source>Package</source>
        <translation>软件包</translation>
    </message>
    <message>
        <source>Version</source>
        <translation>版本</translation>
    </message>
    <message>
        <source>License</source>
        <translation>许可证</translation>
    </message>
    <message>
        <source>Text of the license</source>
        <translation>许可证文本</translation>
    </message>
    <message>
        <source>The package contains no text of its license.</source>
        <translation>该软件包不含许可证文本。</translation>
    </message>
    <message>
        <source>Copy versions, system and the last error for the report of a problem.</source>
        <translation>复制版本、系统和最近一次错误，用于报告问题。</translation>
    </message>
    <message>
        <source>Copy report</source>
        <translation>复制报告</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>not installed</source>
        <translation>未安装</translation>
    </message>
    <message>
        <source>System</source>
        <translation>系统</translation>
    </message>
    <message>
        <source>New versions: {place}</source>
        <translation>新版本：{place}</translation>
    </message>
    <message>
        <source>New versions</source>
        <translation>新版本</translation>
    </message>
    <message>
        <source>see the text</source>
        <translation>见文本</translation>
    </message>
</context>
<context>
    <name>Actions</name>
    <message>
        <source>&amp;File</source>
        <translation>文件(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>编辑(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>视图(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;Prune</source>
        <translation>剪枝(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Tools</source>
        <translation>工具(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Window</source>
        <translation>窗口(&amp;W)</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>帮助(&amp;H)</translation>
    </message>
    <message>
        <source>Open &amp;recent</source>
        <translation>最近打开(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Manual edit</source>
        <translation>手动编辑(&amp;M)</translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <translation>主题(&amp;T)</translation>
    </message>
    <message>
        <source>Lan&amp;guage</source>
        <translation>语言(&amp;G)</translation>
    </message>
    <message>
        <source>&amp;Open…</source>
        <translation>打开(&amp;O)…</translation>
    </message>
    <message>
        <source>Open a checkpoint</source>
        <translation>打开检查点</translation>
    </message>
    <message>
        <source>Open &amp;folder…</source>
        <translation>打开文件夹(&amp;F)…</translation>
    </message>
    <message>
        <source>Open a model folder: a file of weights, or shards with their index</source>
        <translation>打开模型文件夹：一个权重文件，或带索引的分片</translation>
    </message>
    <message>
        <source>Open &amp;location…</source>
        <translation>打开位置(&amp;L)…</translation>
    </message>
    <message>
        <source>Open a path or the URL of an object store (s3://…)</source>
        <translation>打开路径或对象存储的 URL (s3://…)</translation>
    </message>
    <message>
        <source>Open in &amp;new window…</source>
        <translation>在新窗口中打开(&amp;N)…</translation>
    </message>
    <message>
        <source>Open a checkpoint in a window of its own</source>
        <translation>在单独的窗口中打开检查点</translation>
    </message>
    <message>
        <source>Try the sa&amp;mple</source>
        <translation>试用示例(&amp;M)</translation>
    </message>
    <message>
        <source>Open the small model included with Pruneapp</source>
        <translation>打开 Pruneapp 自带的小模型</translation>
    </message>
    <message>
        <source>Recent file &amp;{n}</source>
        <translation>最近的文件 &amp;{n}</translation>
    </message>
    <message>
        <source>&amp;Pin this file</source>
        <translation>固定此文件(&amp;P)</translation>
    </message>
    <message>
        <source>Keep the open file at the top of the recent files</source>
        <translation>将打开的文件保持在最近文件的顶部</translation>
    </message>
    <message>
        <source>Remove &amp;missing files</source>
        <translation>移除缺失的文件(&amp;M)</translation>
    </message>
    <message>
        <source>Remove files that were deleted or moved from the list</source>
        <translation>从列表中移除已删除或移走的文件</translation>
    </message>
    <message>
        <source>Choose state &amp;dict…</source>
        <translation>选择状态字典(&amp;D)…</translation>
    </message>
    <message>
        <source>Switch to another state dict in this file</source>
        <translation>切换到此文件中的另一个状态字典</translation>
    </message>
    <message>
        <source>&amp;Save session</source>
        <translation>保存会话(&amp;S)</translation>
    </message>
    <message>
        <source>Save masks, history and view, to continue later</source>
        <translation>保存掩码、历史和视图，以便日后继续</translation>
    </message>
    <message>
        <source>Save session &amp;as…</source>
        <translation>会话另存为(&amp;A)…</translation>
    </message>
    <message>
        <source>Save the session to another file</source>
        <translation>将会话保存到另一个文件</translation>
    </message>
    <message>
        <source>&amp;Export…</source>
        <translation>导出(&amp;E)…</translation>
    </message>
    <message>
        <source>Write the pruned model to a file</source>
        <translation>将剪枝后的模型写入文件</translation>
    </message>
    <message>
        <source>&amp;Close</source>
        <translation>关闭(&amp;C)</translation>
    </message>
    <message>
        <source>Close this checkpoint</source>
        <translation>关闭此检查点</translation>
    </message>
    <message>
        <source>New &amp;window</source>
        <translation>新建窗口(&amp;W)</translation>
    </message>
    <message>
        <source>Open another window, without a file</source>
        <translation>打开另一个没有文件的窗口</translation>
    </message>
    <message>
        <source>Close w&amp;indow</source>
        <translation>关闭窗口(&amp;I)</translation>
    </message>
    <message>
        <source>Close this window</source>
        <translation>关闭此窗口</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>退出(&amp;Q)</translation>
    </message>
    <message>
        <source>Close all windows</source>
        <translation>关闭所有窗口</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>撤销(&amp;U)</translation>
    </message>
    <message>
        <source>Undo the last step</source>
        <translation>撤销上一个步骤</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>重做(&amp;R)</translation>
    </message>
    <message>
        <source>Redo the step that was undone</source>
        <translation>重做已撤销的步骤</translation>
    </message>
    <message>
        <source>&amp;Filter the tree</source>
        <translation>筛选模块树(&amp;F)</translation>
    </message>
    <message>
        <source>Show only tensors whose names match</source>
        <translation>仅显示名称匹配的张量</translation>
    </message>
    <message>
        <source>C&amp;heck or uncheck selection</source>
        <translation>勾选或取消勾选所选(&amp;H)</translation>
    </message>
    <message>
        <source>Check the selected rows of the tree, or uncheck them if all are checked (Space there)</source>
        <translation>勾选树中选中的行；如果都已勾选，则取消勾选（在树中按空格键）</translation>
    </message>
    <message>
        <source>Check &amp;all shown</source>
        <translation>勾选所有显示项(&amp;A)</translation>
    </message>
    <message>
        <source>Check all tensors that match the filter</source>
        <translation>勾选所有符合筛选条件的张量</translation>
    </message>
    <message>
        <source>U&amp;ncheck all</source>
        <translation>全部取消勾选(&amp;N)</translation>
    </message>
    <message>
        <source>Uncheck all tensors</source>
        <translation>取消勾选所有张量</translation>
    </message>
    <message>
        <source>Check &amp;default layers</source>
        <translation>勾选默认层(&amp;D)</translation>
    </message>
    <message>
        <source>Check weights with two or more dimensions, except embeddings and norms</source>
        <translation>勾选二维及以上的权重，嵌入和归一化层除外</translation>
    </message>
    <message>
        <source>&amp;Copy name</source>
        <translation>复制名称(&amp;C)</translation>
    </message>
    <message>
        <source>Copy the full name of the current tensor</source>
        <translation>复制当前张量的完整名称</translation>
    </message>
    <message>
        <source>Copy channel &amp;list</source>
        <translation>复制通道列表(&amp;L)</translation>
    </message>
    <message>
        <source>Copy the indices of the channels selected in Channels (Ctrl+C there)</source>
        <translation>复制在“通道”页选中的通道索引（在该页按 Ctrl+C）</translation>
    </message>
    <message>
        <source>&amp;Paste channel list</source>
        <translation>粘贴通道列表(&amp;P)</translation>
    </message>
    <message>
        <source>Select in Channels the indices on the clipboard: 0-3, 7 (Ctrl+V there)</source>
        <translation>在“通道”页选中剪贴板中的索引：0-3, 7（在该页按 Ctrl+V）</translation>
    </message>
    <message>
        <source>L&amp;oad channel list…</source>
        <translation>加载通道列表(&amp;O)…</translation>
    </message>
    <message>
        <source>Select in Channels the indices in a text file</source>
        <translation>在“通道”页选中文本文件中的索引</translation>
    </message>
    <message>
        <source>&amp;Save channel list…</source>
        <translation>保存通道列表(&amp;S)…</translation>
    </message>
    <message>
        <source>Write the indices of the channels selected in Channels to a text file</source>
        <translation>将在“通道”页选中的通道索引写入文本文件</translation>
    </message>
    <message>
        <source>Confir&amp;mations…</source>
        <translation>确认询问(&amp;M)…</translation>
    </message>
    <message>
        <source>Choose what to be asked about before it is done</source>
        <translation>选择在执行之前询问哪些操作</translation>
    </message>
    <message>
        <source>&amp;Weights</source>
        <translation>权重(&amp;W)</translation>
    </message>
    <message>
        <source>Weights with the mask over them</source>
        <translation>权重及其上的掩码</translation>
    </message>
    <message>
        <source>&amp;Distribution</source>
        <translation>分布(&amp;D)</translation>
    </message>
    <message>
        <source>Histogram of weight magnitudes</source>
        <translation>权重幅值的直方图</translation>
    </message>
    <message>
        <source>&amp;Channels</source>
        <translation>通道(&amp;C)</translation>
    </message>
    <message>
        <source>Norm of each channel</source>
        <translation>每个通道的范数</translation>
    </message>
    <message>
        <source>&amp;Model</source>
        <translation>模型(&amp;M)</translation>
    </message>
    <message>
        <source>Sparsity of each tensor</source>
        <translation>每个张量的稀疏度</translation>
    </message>
    <message>
        <source>C&amp;ompare</source>
        <translation>比较(&amp;O)</translation>
    </message>
    <message>
        <source>Differences between two states or two files</source>
        <translation>两个状态或两个文件之间的差异</translation>
    </message>
    <message>
        <source>&amp;Quality</source>
        <translation>质量(&amp;Q)</translation>
    </message>
    <message>
        <source>Metric of each evaluated state against its sparsity</source>
        <translation>每个已评估状态的指标与稀疏度的关系</translation>
    </message>
    <message>
        <source>&amp;Sensitivity</source>
        <translation>敏感度(&amp;S)</translation>
    </message>
    <message>
        <source>Damage of pruning each tensor alone, as scanned</source>
        <translation>扫描得到的单独剪枝每个张量的损害</translation>
    </message>
    <message>
        <source>Mas&amp;k on and off</source>
        <translation>显示/隐藏掩码(&amp;K)</translation>
    </message>
    <message>
        <source>Show or hide the mask</source>
        <translation>显示或隐藏掩码</translation>
    </message>
    <message>
        <source>Zoom &amp;in</source>
        <translation>放大(&amp;I)</translation>
    </message>
    <message>
        <source>Zoom in</source>
        <translation>放大</translation>
    </message>
    <message>
        <source>Zoom o&amp;ut</source>
        <translation>缩小(&amp;U)</translation>
    </message>
    <message>
        <source>Zoom out</source>
        <translation>缩小</translation>
    </message>
    <message>
        <source>&amp;Fit</source>
        <translation>适应窗口(&amp;F)</translation>
    </message>
    <message>
        <source>Show the whole tensor</source>
        <translation>显示整个张量</translation>
    </message>
    <message>
        <source>&amp;Previous tensor</source>
        <translation>上一个张量(&amp;P)</translation>
    </message>
    <message>
        <source>Show the previous tensor</source>
        <translation>显示上一个张量</translation>
    </message>
    <message>
        <source>&amp;Next tensor</source>
        <translation>下一个张量(&amp;N)</translation>
    </message>
    <message>
        <source>Show the next tensor</source>
        <translation>显示下一个张量</translation>
    </message>
    <message>
        <source>Tensors as a &amp;list</source>
        <translation>张量列表(&amp;L)</translation>
    </message>
    <message>
        <source>List all tensors below each other, to be sorted, instead of the tree</source>
        <translation>将所有张量列在一起以便排序，代替树</translation>
    </message>
    <message>
        <source>History &amp;back</source>
        <translation>历史后退(&amp;B)</translation>
    </message>
    <message>
        <source>Go to the previous state</source>
        <translation>转到上一个状态</translation>
    </message>
    <message>
        <source>History fo&amp;rward</source>
        <translation>历史前进(&amp;R)</translation>
    </message>
    <message>
        <source>Go to the next state</source>
        <translation>转到下一个状态</translation>
    </message>
    <message>
        <source>&amp;System</source>
        <translation>跟随系统(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Light</source>
        <translation>浅色(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Dark</source>
        <translation>深色(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;High contrast, light</source>
        <translation>高对比度，浅色(&amp;H)</translation>
    </message>
    <message>
        <source>High &amp;contrast, dark</source>
        <translation>高对比度，深色(&amp;C)</translation>
    </message>
    <message>
        <source>Pre&amp;view</source>
        <translation>预览(&amp;V)</translation>
    </message>
    <message>
        <source>Preview the step with the current settings</source>
        <translation>按当前设置预览此步骤</translation>
    </message>
    <message>
        <source>Apply the pruning step</source>
        <translation>应用剪枝步骤</translation>
    </message>
    <message>
        <source>Ite&amp;rative pruning…</source>
        <translation>迭代剪枝(&amp;R)…</translation>
    </message>
    <message>
        <source>Repeat the pruning step on a sparsity schedule; each round is a step in the history</source>
        <translation>按稀疏度计划重复剪枝步骤；每一轮是历史中的一个步骤</translation>
    </message>
    <message>
        <source>Choose the metho&amp;d</source>
        <translation>选择方法(&amp;D)</translation>
    </message>
    <message>
        <source>Go to the method in the form</source>
        <translation>转到表单中的方法</translation>
    </message>
    <message>
        <source>Enter the am&amp;ount</source>
        <translation>输入剪枝量(&amp;O)</translation>
    </message>
    <message>
        <source>Go to the amount in the form</source>
        <translation>转到表单中的剪枝量</translation>
    </message>
    <message>
        <source>&amp;Cancel</source>
        <translation>取消(&amp;C)</translation>
    </message>
    <message>
        <source>Cancel the running job, else clear the preview</source>
        <translation>取消正在运行的任务，否则清除预览</translation>
    </message>
    <message>
        <source>Reset &amp;form</source>
        <translation>重置表单(&amp;F)</translation>
    </message>
    <message>
        <source>Set the rules, amounts and limits in the form back to their defaults</source>
        <translation>将表单中的规则、剪枝量和限制恢复为默认值</translation>
    </message>
    <message>
        <source>&amp;Prune selection</source>
        <translation>剪枝所选(&amp;P)</translation>
    </message>
    <message>
        <source>Prune the selected channels or weights (Del)</source>
        <translation>剪枝所选的通道或权重 (Del)</translation>
    </message>
    <message>
        <source>&amp;Restore selection</source>
        <translation>恢复所选(&amp;R)</translation>
    </message>
    <message>
        <source>Restore the selected channels or weights (R)</source>
        <translation>恢复所选的通道或权重 (R)</translation>
    </message>
    <message>
        <source>Pr&amp;otect selection</source>
        <translation>保护所选(&amp;O)</translation>
    </message>
    <message>
        <source>Exclude the selection from all later pruning steps (P)</source>
        <translation>将所选排除在之后的所有剪枝步骤之外 (P)</translation>
    </message>
    <message>
        <source>&amp;Unprotect selection</source>
        <translation>取消保护所选(&amp;U)</translation>
    </message>
    <message>
        <source>Allow later steps to prune the selection again (Shift+P)</source>
        <translation>允许之后的步骤再次剪枝所选 (Shift+P)</translation>
    </message>
    <message>
        <source>Apply to the same layer in all &amp;blocks</source>
        <translation>应用到所有块中的同一层(&amp;B)</translation>
    </message>
    <message>
        <source>Apply manual edits to the same layer in all blocks; the tensors are listed first</source>
        <translation>将手动编辑应用到所有块中的同一层；先列出涉及的张量</translation>
    </message>
    <message>
        <source>Include matching bias and &amp;norm</source>
        <translation>包括对应的偏置和归一化(&amp;N)</translation>
    </message>
    <message>
        <source>Apply manual edits of output channels (dim 0) to their bias and norm entries</source>
        <translation>将输出通道（维度 0）的手动编辑应用到其偏置和归一化项</translation>
    </message>
    <message>
        <source>Include all tensors of the &amp;group</source>
        <translation>包括组内所有张量(&amp;G)</translation>
    </message>
    <message>
        <source>Apply manual edits of channels to the same units in all tensors that have them</source>
        <translation>将通道的手动编辑应用到所有含有这些单元的张量</translation>
    </message>
    <message>
        <source>Prune bias and norm of pruned &amp;channels</source>
        <translation>剪枝已剪通道的偏置和归一化(&amp;C)</translation>
    </message>
    <message>
        <source>Prune the bias and norm entries of fully pruned channels; otherwise a pruned filter still outputs a constant</source>
        <translation>剪枝已完全剪枝通道的偏置和归一化项；否则被剪枝的滤波器仍会输出常数</translation>
    </message>
    <message>
        <source>&amp;Load masks…</source>
        <translation>加载掩码(&amp;L)…</translation>
    </message>
    <message>
        <source>Prune with masks from a file</source>
        <translation>用文件中的掩码剪枝</translation>
    </message>
    <message>
        <source>Com&amp;bine masks with a file…</source>
        <translation>与文件合并掩码(&amp;B)…</translation>
    </message>
    <message>
        <source>Compare masks with those of a file and combine them</source>
        <translation>将掩码与文件中的掩码比较并合并</translation>
    </message>
    <message>
        <source>Load importance &amp;scores…</source>
        <translation>加载重要性分数(&amp;S)…</translation>
    </message>
    <message>
        <source>Rank weights by importance scores from a file</source>
        <translation>按文件中的重要性分数对权重排序</translation>
    </message>
    <message>
        <source>Treat &amp;zeros as pruned</source>
        <translation>将零视为已剪枝(&amp;Z)</translation>
    </message>
    <message>
        <source>Count existing zeros as pruned, so that amounts apply to the remaining weights</source>
        <translation>将已有的零计为已剪枝，使剪枝量作用于剩余权重</translation>
    </message>
    <message>
        <source>Mak&amp;e permanent</source>
        <translation>永久化(&amp;E)</translation>
    </message>
    <message>
        <source>Replace pruned weights of the checked tensors by zeros, like torch.nn.utils.prune.remove</source>
        <translation>将勾选张量中已剪枝的权重替换为零，如同 torch.nn.utils.prune.remove</translation>
    </message>
    <message>
        <source>Repa&amp;ir…</source>
        <translation>修复(&amp;I)…</translation>
    </message>
    <message>
        <source>Change the remaining weights so that the outputs of pruned layers come out as before</source>
        <translation>调整剩余权重，使被剪枝层的输出与之前一致</translation>
    </message>
    <message>
        <source>Compare &amp;with a file…</source>
        <translation>与文件比较(&amp;W)…</translation>
    </message>
    <message>
        <source>Compare with another checkpoint, such as a fine-tuned one</source>
        <translation>与另一个检查点比较，例如微调后的检查点</translation>
    </message>
    <message>
        <source>Chec&amp;k sparsity pattern…</source>
        <translation>检查稀疏模式(&amp;K)…</translation>
    </message>
    <message>
        <source>Find tensors and groups that violate a pattern such as 2:4, and repair them</source>
        <translation>查找违反 2:4 等模式的张量和组，并修复它们</translation>
    </message>
    <message>
        <source>&amp;Evaluate…</source>
        <translation>评估(&amp;E)…</translation>
    </message>
    <message>
        <source>Choose an evaluation script, and measure the current state with it</source>
        <translation>选择评估脚本，并用它测量当前状态</translation>
    </message>
    <message>
        <source>Evaluate &amp;this state</source>
        <translation>评估此状态(&amp;T)</translation>
    </message>
    <message>
        <source>Measure the current state with the evaluation script</source>
        <translation>用评估脚本测量当前状态</translation>
    </message>
    <message>
        <source>Eval&amp;uate all states</source>
        <translation>评估所有状态(&amp;U)</translation>
    </message>
    <message>
        <source>Measure all states of the history that were not measured yet</source>
        <translation>测量历史中所有尚未测量的状态</translation>
    </message>
    <message>
        <source>Scan sensiti&amp;vity…</source>
        <translation>扫描敏感度(&amp;V)…</translation>
    </message>
    <message>
        <source>Prune each checked tensor alone to several amounts, and measure the model each time</source>
        <translation>将每个勾选的张量单独剪枝到若干剪枝量，每次都测量模型</translation>
    </message>
    <message>
        <source>All&amp;ocate…</source>
        <translation>分配(&amp;O)…</translation>
    </message>
    <message>
        <source>Choose the sparsity of each scanned tensor for the least predicted damage</source>
        <translation>为每个已扫描的张量选择稀疏度，使预测的损害最小</translation>
    </message>
    <message>
        <source>&amp;Save recipe…</source>
        <translation>保存配方(&amp;S)…</translation>
    </message>
    <message>
        <source>Save the steps of the history as a recipe that can be edited and reapplied</source>
        <translation>将历史中的步骤保存为可编辑、可重复应用的配方</translation>
    </message>
    <message>
        <source>&amp;Apply recipe…</source>
        <translation>应用配方(&amp;A)…</translation>
    </message>
    <message>
        <source>Apply the steps of a recipe, after checking that it matches this file</source>
        <translation>检查配方与此文件相符后应用其步骤</translation>
    </message>
    <message>
        <source>Copy as &amp;Python</source>
        <translation>复制为 Python(&amp;P)</translation>
    </message>
    <message>
        <source>Copy the history as a script that uses torch.nn.utils.prune</source>
        <translation>将历史复制为使用 torch.nn.utils.prune 的脚本</translation>
    </message>
    <message>
        <source>&amp;Load method from file…</source>
        <translation>从文件加载方法(&amp;L)…</translation>
    </message>
    <message>
        <source>Load a custom pruning method; this runs its code</source>
        <translation>加载自定义剪枝方法；这会运行其代码</translation>
    </message>
    <message>
        <source>Plu&amp;gins…</source>
        <translation>插件(&amp;G)…</translation>
    </message>
    <message>
        <source>Choose which installed packages may add methods and formats</source>
        <translation>选择允许哪些已安装的包添加方法和格式</translation>
    </message>
    <message>
        <source>&amp;Command palette…</source>
        <translation>命令面板(&amp;C)…</translation>
    </message>
    <message>
        <source>Find a command, tensor, method or setting by name</source>
        <translation>按名称查找命令、张量、方法或设置</translation>
    </message>
    <message>
        <source>Window &amp;{n}</source>
        <translation>窗口 &amp;{n}</translation>
    </message>
    <message>
        <source>&amp;Guide</source>
        <translation>指南(&amp;G)</translation>
    </message>
    <message>
        <source>Open the guide</source>
        <translation>打开指南</translation>
    </message>
    <message>
        <source>&amp;Tour</source>
        <translation>导览(&amp;T)</translation>
    </message>
    <message>
        <source>Learn the main steps with the sample, in two minutes</source>
        <translation>用两分钟借助示例了解主要步骤</translation>
    </message>
    <message>
        <source>&amp;Keyboard shortcuts</source>
        <translation>键盘快捷键(&amp;K)</translation>
    </message>
    <message>
        <source>List all keyboard shortcuts</source>
        <translation>列出所有键盘快捷键</translation>
    </message>
    <message>
        <source>&amp;Change keyboard shortcuts…</source>
        <translation>更改键盘快捷键(&amp;C)…</translation>
    </message>
    <message>
        <source>Choose the keyboard shortcuts of commands</source>
        <translation>为命令选择键盘快捷键</translation>
    </message>
    <message>
        <source>&amp;About Pruneapp</source>
        <translation>关于 Pruneapp(&amp;A)</translation>
    </message>
    <message>
        <source>Versions, licenses, and a report for an issue</source>
        <translation>版本、许可证以及用于提交问题的报告</translation>
    </message>
    <message>
        <source>Check or uncheck in the tree</source>
        <translation>在树中勾选或取消勾选</translation>
    </message>
    <message>
        <source>Move the cursor in the picture</source>
        <translation>在图片中移动光标</translation>
    </message>
    <message>
        <source>Select from the cursor; move the threshold</source>
        <translation>从光标处选择；移动阈值</translation>
    </message>
    <message>
        <source>First and last weight in the row of the cursor</source>
        <translation>光标所在行的第一个和最后一个权重</translation>
    </message>
    <message>
        <source>Move by a page</source>
        <translation>移动一页</translation>
    </message>
    <message>
        <source>Select the row, column or channel at the cursor</source>
        <translation>选择光标处的行、列或通道</translation>
    </message>
    <message>
        <source>Select one channel or all channels, on the Channels page</source>
        <translation>在“通道”页选择一个或所有通道</translation>
    </message>
    <message>
        <source>Prune the selection</source>
        <translation>剪枝所选</translation>
    </message>
    <message>
        <source>Restore the selection</source>
        <translation>恢复所选</translation>
    </message>
    <message>
        <source>Protect or unprotect the selection</source>
        <translation>保护或取消保护所选</translation>
    </message>
    <message>
        <source>Move the threshold or the channel cut</source>
        <translation>移动阈值或通道截断线</translation>
    </message>
    <message>
        <source>Move the target, on the Quality page</source>
        <translation>在“质量”页移动目标</translation>
    </message>
    <message>
        <source>Zoom a chart, and show all of it</source>
        <translation>缩放图表，以及显示全部</translation>
    </message>
    <message>
        <source>Show the data of the picture as a table</source>
        <translation>以表格显示图片的数据</translation>
    </message>
    <message>
        <source>Copy the selected rows or channels, select copied channels</source>
        <translation>复制选中的行或通道，选中已复制的通道</translation>
    </message>
    <message>
        <source>Name a state of the history</source>
        <translation>为历史中的状态命名</translation>
    </message>
    <message>
        <source>Open or press what has the focus</source>
        <translation>打开或按下获得焦点的控件</translation>
    </message>
    <message>
        <source>Go to the next or previous control</source>
        <translation>转到下一个或上一个控件</translation>
    </message>
</context>
<context>
    <name>AffectedTensor</name>
    <message>
        <source>{share} of norm² lost</source>
        <translation>损失了 {share} 的范数²</translation>
    </message>
</context>
<context>
    <name>Alarm</name>
    <message>
        <source>{what}. Click to select it.</source>
        <translation>{what}。点击以选中。</translation>
    </message>
    <message>
        <source>No warnings</source>
        <translation>没有警告</translation>
    </message>
    <message>
        <source>Selects the first of these tensors.</source>
        <translation>选中其中第一个张量。</translation>
    </message>
</context>
<context>
    <name>AllBlocksDialog</name>
    <message>
        <source>Apply to the same layer in all blocks</source>
        <translation>应用到所有块中的同一层</translation>
    </message>
    <message>
        <source>Pattern</source>
        <translation>模式</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>Included</source>
        <translation>包括</translation>
    </message>
    <message>
        <source>Changed</source>
        <translation>更改</translation>
    </message>
    <message>
        <source>Protected</source>
        <translation>受保护</translation>
    </message>
    <message>
        <source>Included tensors</source>
        <translation>包括的张量</translation>
    </message>
    <message>
        <source>Don&apos;t ask again</source>
        <translation>不再询问</translation>
    </message>
    <message>
        <source>{weights} weights change in {n} of {all} tensors, in one step.</source>
        <translation>一个步骤中更改 {all} 个张量中 {n} 个的 {weights} 个权重。</translation>
    </message>
    <message>
        <source>{n} protected weights are unchanged.</source>
        <translation>{n} 个受保护的权重不变。</translation>
    </message>
    <message>
        <source>{n} weights were made permanent earlier and are still 0.</source>
        <translation>{n} 个权重此前已永久化，仍为 0。</translation>
    </message>
</context>
<context>
    <name>AllocationController</name>
    <message>
        <source>The step follows the state that was scanned, &apos;{state}&apos;, in a branch.</source>
        <translation>此步骤接在被扫描的状态“{state}”之后，位于一个分支中。</translation>
    </message>
    <message>
        <source>The scan repaired each tensor before the model was measured: repair the result, too.</source>
        <translation>扫描在测量模型之前修复了每个张量：请同样修复结果。</translation>
    </message>
    <message>
        <source>The scan is not finished: {n} of {all} evaluations are measured. Scan again to continue it.</source>
        <translation>扫描尚未完成：{all} 次评估中已测量 {n} 次。再次扫描以继续。</translation>
    </message>
    <message>
        <source>The script that measured the scan measures the result as well, on the data that it was chosen by. Measure it on other data, too.</source>
        <translation>测量扫描的脚本也将用选择时的同一数据测量结果。请也用其他数据测量。</translation>
    </message>
    <message>
        <source>The script that measured the scan measures the result as well, with another limit: their data may overlap. Measure it on other data, too.</source>
        <translation>测量扫描的脚本也会以不同的样本上限测量结果：两者的数据可能重叠。请也用其他数据测量。</translation>
    </message>
    <message>
        <source>It is not known whether the result will be measured on other data than the scan.</source>
        <translation>无法确定结果是否会用不同于扫描的数据测量。</translation>
    </message>
    <message>
        <source>Pruning</source>
        <translation>剪枝</translation>
    </message>
    <message>
        <source>Allocation {share}</source>
        <translation>分配 {share}</translation>
    </message>
    <message>
        <source>Allocated: {metric} {predicted} predicted, {before} before.</source>
        <translation>已分配：{metric} 预测为 {predicted}，之前为 {before}。</translation>
    </message>
    <message>
        <source>Evaluate this state</source>
        <translation>评估此状态</translation>
    </message>
    <message>
        <source>Allocation: {metric} {measured} measured, {predicted} predicted. {data}</source>
        <translation>分配：{metric} 测得 {measured}，预测 {predicted}。{data}</translation>
    </message>
    <message>
        <source>The unpruned model has exactly the value that it had in the scan, so the data seem to be the same.</source>
        <translation>未剪枝模型的值与扫描时完全相同，因此数据似乎相同。</translation>
    </message>
</context>
<context>
    <name>AllocationDialog</name>
    <message>
        <source>Allocate</source>
        <translation>分配</translation>
    </message>
    <message>
        <source>Prune</source>
        <translation>剪枝</translation>
    </message>
    <message>
        <source>Chooses how much of each scanned tensor is pruned, so that the total is met with the least damage that the scan predicts. The result is one step with a rule for each tensor. Change is that of the metric with one tensor alone pruned: the worst of all smaller amounts, so it may be larger than in the scan.</source>
        <translation>选择每个已扫描张量的剪枝量，使总量达到目标，且扫描预测的损害最小。结果是一个步骤，每个张量有一条规则。“变化”是单独剪枝该张量时指标的变化：取所有较小剪枝量中最差的，因此可能大于扫描值。</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>Pruned</source>
        <translation>已剪枝</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>变化</translation>
    </message>
    <message>
        <source>Sparsity of each tensor</source>
        <translation>每个张量的稀疏度</translation>
    </message>
    <message>
        <source>{metric}: {before} before, {predicted} predicted if damages add up</source>
        <translation>{metric}：之前 {before}，若损害可相加则预测为 {predicted}</translation>
    </message>
    <message>
        <source>1 tensor is not measured yet and stays as it is</source>
        <translation>1 个张量尚未测量，保持不变</translation>
    </message>
    <message>
        <source>{n} tensors are not measured yet and stay as they are</source>
        <translation>{n} 个张量尚未测量，保持不变</translation>
    </message>
    <message>
        <source>Prune 1 weight</source>
        <translation>剪枝 1 个权重</translation>
    </message>
    <message>
        <source>Prune {n} weights</source>
        <translation>剪枝 {n} 个权重</translation>
    </message>
</context>
<context>
    <name>AmountEditor</name>
    <message>
        <source>{label}, slider</source>
        <translation>{label}，滑块</translation>
    </message>
    <message>
        <source>Enter a count instead of a percentage</source>
        <translation>输入数量而不是百分比</translation>
    </message>
    <message>
        <source>Enter a percentage from 0 to 100 %, or choose # to enter a count.</source>
        <translation>输入 0 到 100 % 的百分比，或选择 # 以输入数量。</translation>
    </message>
    <message>
        <source>Enter a percentage from 0 to 100 % with a decimal point, or a count.</source>
        <translation>输入 0 到 100 % 的百分比（使用小数点），或一个数量。</translation>
    </message>
    <message>
        <source>Enter a percentage from 0 to 100 %, or a count.</source>
        <translation>输入 0 到 100 % 的百分比，或一个数量。</translation>
    </message>
</context>
<context>
    <name>AxesRow</name>
    <message>
        <source>Dimension shown as rows</source>
        <translation>作为行显示的维度</translation>
    </message>
    <message>
        <source>Dimension shown as columns</source>
        <translation>作为列显示的维度</translation>
    </message>
    <message>
        <source>Rows</source>
        <translation>行</translation>
    </message>
    <message>
        <source>Columns</source>
        <translation>列</translation>
    </message>
    <message>
        <source>all</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Index along {dim}</source>
        <translation>沿 {dim} 的索引</translation>
    </message>
</context>
<context>
    <name>AxisRow</name>
    <message>
        <source>&#xa0;%</source>
        <translation>&#xa0;%</translation>
    </message>
    <message>
        <source>{axis} per key/value head</source>
        <translation>每个键/值头的{axis}</translation>
    </message>
    <message>
        <source>Click a layer to remove it.</source>
        <translation>点击一层以移除。</translation>
    </message>
    <message>
        <source>Share of each group</source>
        <translation>每组的比例</translation>
    </message>
    <message>
        <source> And {n} more.</source>
        <translation> 以及另外 {n} 个。</translation>
    </message>
    <message>
        <source>There is no smaller size that the model&apos;s class takes.</source>
        <translation>没有模型的类可接受的更小尺寸。</translation>
    </message>
    <message>
        <source>{n} of {all} stay: {exactness}</source>
        <translation>{all} 个中保留 {n} 个：{exactness}</translation>
    </message>
    <message>
        <source>nothing chosen</source>
        <translation>未选择</translation>
    </message>
    <message>
        <source>no dead layers</source>
        <translation>没有失效的层</translation>
    </message>
    <message>
        <source>no dead units to cut</source>
        <translation>没有可裁去的失效单元</translation>
    </message>
    <message>
        <source>A layer that does nothing is cut anyway. Click another to remove it.</source>
        <translation>不起作用的层总会被裁去。点击其他层以移除。</translation>
    </message>
    <message>
        <source>What is dead is cut. The slider cuts this share of the units of each group, those that rank lowest; what stays of each is rounded up to the multiple.</source>
        <translation>失效的部分会被裁去。滑块裁去每组中排名最低的这一比例的单元；每组保留的数量向上取整到倍数。</translation>
    </message>
    <message>
        <source>The slider cuts the experts that rank lowest.</source>
        <translation>滑块裁去排名最低的专家。</translation>
    </message>
    <message>
        <source>What is dead in every layer is cut. The slider cuts the units that rank lowest, too.</source>
        <translation>在每层中都失效的部分会被裁去。滑块还会裁去排名最低的单元。</translation>
    </message>
</context>
<context>
    <name>BoundEditor</name>
    <message>
        <source>no limit</source>
        <translation>无限制</translation>
    </message>
</context>
<context>
    <name>BranchController</name>
    <message>
        <source>Rename state</source>
        <translation>重命名状态</translation>
    </message>
    <message>
        <source>Name of this state; leave it empty to show the step:</source>
        <translation>此状态的名称；留空则显示步骤：</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Deleting a branch</source>
        <translation>正在删除分支</translation>
    </message>
    <message>
        <source>The state that follows it is deleted, too.</source>
        <translation>其后的状态也会被删除。</translation>
    </message>
    <message>
        <source>The {n} states that follow it are deleted, too.</source>
        <translation>其后的 {n} 个状态也会被删除。</translation>
    </message>
</context>
<context>
    <name>BusyIndicator</name>
    <message>
        <source>Updating…</source>
        <translation>正在更新…</translation>
    </message>
</context>
<context>
    <name>Cells</name>
    <message>
        <source>Below this module: {what}.</source>
        <translation>此模块之下：{what}。</translation>
    </message>
    <message>
        <source>Tensors in here that are excluded: {n}</source>
        <translation>其中被排除的张量：{n}</translation>
    </message>
    <message>
        <source>Excluded: embeddings</source>
        <translation>已排除：嵌入</translation>
    </message>
    <message>
        <source>Excluded: first layer</source>
        <translation>已排除：第一层</translation>
    </message>
    <message>
        <source>Excluded: last layer</source>
        <translation>已排除：最后一层</translation>
    </message>
    <message>
        <source>Excluded by rule {n}</source>
        <translation>被规则 {n} 排除</translation>
    </message>
    <message>
        <source>Rule {n} applies</source>
        <translation>适用规则 {n}</translation>
    </message>
    <message>
        <source>Below this module: 1 tensor, pruned together with {name}.</source>
        <translation>此模块之下：1 个张量，与 {name} 一起剪枝。</translation>
    </message>
    <message>
        <source>Below this module: {n} tensors, pruned together with {name}.</source>
        <translation>此模块之下：{n} 个张量，与 {name} 一起剪枝。</translation>
    </message>
    <message>
        <source>{units} of {place}: pruned together with {names}</source>
        <translation>{place} 的{units}：与 {names} 一起剪枝</translation>
    </message>
    <message>
        <source>{units}: pruned together with {names}</source>
        <translation>{units}：与 {names} 一起剪枝</translation>
    </message>
    <message>
        <source>{names} and {n} more</source>
        <translation>{names} 以及另外 {n} 个</translation>
    </message>
    <message>
        <source>(no name)</source>
        <translation>（无名称）</translation>
    </message>
    <message>
        <source>{name} · tied to {other}</source>
        <translation>{name} · 与 {other} 绑定</translation>
    </message>
    <message>
        <source>buffer</source>
        <translation>缓冲区</translation>
    </message>
    <message>
        <source>The same tensor as {other}: pruned once, counted once.</source>
        <translation>与 {other} 是同一个张量：只剪枝一次，只计数一次。</translation>
    </message>
    <message>
        <source>Not prunable: {why}.</source>
        <translation>不可剪枝：{why}。</translation>
    </message>
    <message>
        <source>The model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Nothing was checked: no tensor of {name} can be pruned.</source>
        <translation>未勾选任何项：{name} 没有可剪枝的张量。</translation>
    </message>
    <message>
        <source>Nothing was checked: {name} has only norms and biases. Check them one by one, or all by “Check all below” in the context menu.</source>
        <translation>未勾选任何项：{name} 只有归一化和偏置。请逐个勾选，或用右键菜单中的“勾选以下全部”。</translation>
    </message>
    <message>
        <source>in the file: {name}</source>
        <translation>文件中：{name}</translation>
    </message>
    <message>
        <source>A buffer: computed, not learned. Nothing checks it but its own check box.</source>
        <translation>缓冲区：由计算得到，而非学习得到。只有它自己的复选框能勾选它。</translation>
    </message>
    <message>
        <source>{pruned} of {all} parameters pruned</source>
        <translation>{all} 个参数中 {pruned} 个已剪枝</translation>
    </message>
    <message>
        <source>{n} elements in buffers</source>
        <translation>缓冲区中有 {n} 个元素</translation>
    </message>
    <message>
        <source>{share} pruned. {why}</source>
        <translation>{share} 已剪枝。{why}</translation>
    </message>
    <message>
        <source>not prunable</source>
        <translation>不可剪枝</translation>
    </message>
    <message>
        <source>{share} pruned</source>
        <translation>{share} 已剪枝</translation>
    </message>
    <message>
        <source>{share} pruned, {after} after the step</source>
        <translation>{share} 已剪枝，此步骤后 {after}</translation>
    </message>
    <message>
        <source>Danger</source>
        <translation>危险</translation>
    </message>
</context>
<context>
    <name>ChannelListController</name>
    <message>
        <source>Copied 1 index.</source>
        <translation>已复制 1 个索引。</translation>
    </message>
    <message>
        <source>Copied {n} indices.</source>
        <translation>已复制 {n} 个索引。</translation>
    </message>
    <message>
        <source>Save channel list</source>
        <translation>保存通道列表</translation>
    </message>
    <message>
        <source>Text ({patterns})</source>
        <translation>文本 ({patterns})</translation>
    </message>
    <message>
        <source>Saved {file}.</source>
        <translation>已保存 {file}。</translation>
    </message>
    <message>
        <source>Saving channel list</source>
        <translation>正在保存通道列表</translation>
    </message>
    <message>
        <source>Load channel list</source>
        <translation>加载通道列表</translation>
    </message>
    <message>
        <source>Text ({patterns});;All files (*)</source>
        <translation>文本 ({patterns});;所有文件 (*)</translation>
    </message>
    <message>
        <source>Selected 1 index.</source>
        <translation>已选中 1 个索引。</translation>
    </message>
    <message>
        <source>Selected {n} indices.</source>
        <translation>已选中 {n} 个索引。</translation>
    </message>
</context>
<context>
    <name>ChannelsView</name>
    <message>
        <source>By index</source>
        <translation>按索引</translation>
    </message>
    <message>
        <source>By norm</source>
        <translation>按范数</translation>
    </message>
    <message>
        <source>Measuring channels…</source>
        <translation>正在测量通道…</translation>
    </message>
    <message>
        <source>Dimension</source>
        <translation>维度</translation>
    </message>
    <message>
        <source>Dimension whose slices are the channels, or units that lie along one</source>
        <translation>以其切片为通道的维度，或沿某一维度的单元</translation>
    </message>
    <message>
        <source>Norm</source>
        <translation>范数</translation>
    </message>
    <message>
        <source>Norm of the channels</source>
        <translation>通道的范数</translation>
    </message>
    <message>
        <source>Select a tensor with two or more dimensions in the tree.</source>
        <translation>在树中选择一个二维及以上的张量。</translation>
    </message>
    <message>
        <source>Norms of the channels</source>
        <translation>各通道的范数</translation>
    </message>
    <message>
        <source>units, sorted by norm</source>
        <translation>单元，按范数排序</translation>
    </message>
    <message>
        <source>unit</source>
        <translation>单元</translation>
    </message>
    <message>
        <source>channels, sorted by norm</source>
        <translation>通道，按范数排序</translation>
    </message>
    <message>
        <source>channel</source>
        <translation>通道</translation>
    </message>
    <message>
        <source>{channels} (columns of {n}: the largest of each state)</source>
        <translation>{channels}（每列 {n} 个：各状态中最大者）</translation>
    </message>
    <message>
        <source>channel {index}:  {norm} {value},  {state}</source>
        <translation>通道 {index}：  {norm} {value}，  {state}</translation>
    </message>
    <message>
        <source>unit {index} ({channels}):  {norm} {value},  {state}</source>
        <translation>单元 {index}（{channels}）：  {norm} {value}，  {state}</translation>
    </message>
    <message>
        <source>1 channel</source>
        <translation>1 个通道</translation>
    </message>
    <message>
        <source>{n} channels</source>
        <translation>{n} 个通道</translation>
    </message>
    <message>
        <source>{left} of {whole}</source>
        <translation>{whole} 中的 {left}</translation>
    </message>
    <message>
        <source>, {after} after the step</source>
        <translation>，此步骤后 {after}</translation>
    </message>
    <message>
        <source>{n} pruned</source>
        <translation>{n} 个已剪枝</translation>
    </message>
    <message>
        <source>{n} partly pruned</source>
        <translation>{n} 个部分剪枝</translation>
    </message>
    <message>
        <source>{n} to be pruned</source>
        <translation>{n} 个将剪枝</translation>
    </message>
    <message>
        <source>{n} protected</source>
        <translation>{n} 个受保护</translation>
    </message>
    <message>
        <source>{n} partly protected</source>
        <translation>{n} 个部分受保护</translation>
    </message>
    <message>
        <source>{n} units</source>
        <translation>{n} 个单元</translation>
    </message>
    <message>
        <source>all kept</source>
        <translation>全部保留</translation>
    </message>
    <message>
        <source>protected</source>
        <translation>受保护</translation>
    </message>
    <message>
        <source>Partly protected: structured methods do not prune the channel; unstructured methods prune its unprotected weights only.</source>
        <translation>部分受保护：结构化方法不剪枝该通道；非结构化方法只剪枝其未受保护的权重。</translation>
    </message>
    <message>
        <source>partly protected</source>
        <translation>部分受保护</translation>
    </message>
    <message>
        <source>{norm} left</source>
        <translation>剩余 {norm}</translation>
    </message>
    <message>
        <source>{norm} after the step</source>
        <translation>此步骤后的 {norm}</translation>
    </message>
    <message>
        <source>share of weights kept</source>
        <translation>保留权重的比例</translation>
    </message>
    <message>
        <source>share kept after the step</source>
        <translation>此步骤后保留的比例</translation>
    </message>
    <message>
        <source>state</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>click or drag to choose units</source>
        <translation>点击或拖动以选择单元</translation>
    </message>
    <message>
        <source>1 unit selected</source>
        <translation>已选中 1 个单元</translation>
    </message>
    <message>
        <source>{n} units selected</source>
        <translation>已选中 {n} 个单元</translation>
    </message>
    <message>
        <source>, in {n} tensors</source>
        <translation>，位于 {n} 个张量中</translation>
    </message>
    <message>
        <source>click or drag to choose channels</source>
        <translation>点击或拖动以选择通道</translation>
    </message>
    <message>
        <source>1 channel selected</source>
        <translation>已选中 1 个通道</translation>
    </message>
    <message>
        <source>{n} channels selected</source>
        <translation>已选中 {n} 个通道</translation>
    </message>
    <message>
        <source>{channels}, {norm} {total}</source>
        <translation>{channels}，{norm} {total}</translation>
    </message>
    <message>
        <source>{channels}, sum of {norm}s {total}</source>
        <translation>{channels}，{norm} 之和 {total}</translation>
    </message>
    <message>
        <source>{dim}: {units} ({n})</source>
        <translation>{dim}：{units}（{n}）</translation>
    </message>
    <message>
        <source>Frobenius</source>
        <translation>Frobenius</translation>
    </message>
    <message>
        <source>nuclear</source>
        <translation>核</translation>
    </message>
    <message>
        <source>Frobenius norm</source>
        <translation>Frobenius 范数</translation>
    </message>
    <message>
        <source>nuclear norm</source>
        <translation>核范数</translation>
    </message>
    <message>
        <source>{label} norm</source>
        <translation>{label} 范数</translation>
    </message>
    <message>
        <source>to be pruned</source>
        <translation>将剪枝</translation>
    </message>
    <message>
        <source>pruned</source>
        <translation>已剪枝</translation>
    </message>
    <message>
        <source>kept</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>{now} of its weights kept, {then} after the step</source>
        <translation>保留其权重的 {now}，此步骤后 {then}</translation>
    </message>
    <message>
        <source>{share} of its weights kept</source>
        <translation>保留其权重的 {share}</translation>
    </message>
    <message>
        <source>{state}, partly protected</source>
        <translation>{state}，部分受保护</translation>
    </message>
    <message>
        <source>{state}, protected</source>
        <translation>{state}，受保护</translation>
    </message>
</context>
<context>
    <name>Chart</name>
    <message>
        <source>kept</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>pruned</source>
        <translation>已剪枝</translation>
    </message>
    <message>
        <source>to be pruned</source>
        <translation>将剪枝</translation>
    </message>
</context>
<context>
    <name>CombineController</name>
    <message>
        <source>Combine masks with a file</source>
        <translation>与文件合并掩码</translation>
    </message>
    <message>
        <source>Reading masks</source>
        <translation>正在读取掩码</translation>
    </message>
    <message>
        <source>Combining masks</source>
        <translation>正在合并掩码</translation>
    </message>
</context>
<context>
    <name>CombineDialog</name>
    <message>
        <source>Combine masks</source>
        <translation>合并掩码</translation>
    </message>
    <message>
        <source>Other file: {file}. {n} tensors are in both files. Overlap of the pruned weights (intersection over union): {share}.</source>
        <translation>另一个文件：{file}。两个文件共有 {n} 个张量。已剪枝权重的重叠（交并比）：{share}。</translation>
    </message>
    <message>
        <source>The other file has no masks: its zeros count as pruned, except in biases, norms and embeddings that have no pruned weights in this file.</source>
        <translation>另一个文件没有掩码：其中的零计为已剪枝，但在此文件中没有已剪枝权重的偏置、归一化和嵌入除外。</translation>
    </message>
    <message>
        <source>Pruned in</source>
        <translation>剪枝于</translation>
    </message>
    <message>
        <source>Both</source>
        <translation>两者</translation>
    </message>
    <message>
        <source>Only in this file</source>
        <translation>仅此文件</translation>
    </message>
    <message>
        <source>Only in the other file</source>
        <translation>仅另一个文件</translation>
    </message>
    <message>
        <source>Overlap</source>
        <translation>重叠</translation>
    </message>
    <message>
        <source>Mask overlap per tensor</source>
        <translation>每个张量的掩码重叠</translation>
    </message>
    <message>
        <source>Union</source>
        <translation>并集</translation>
    </message>
    <message>
        <source>Also prune weights that are pruned only in the other file</source>
        <translation>同时剪枝仅在另一个文件中被剪枝的权重</translation>
    </message>
    <message>
        <source>Intersection</source>
        <translation>交集</translation>
    </message>
    <message>
        <source>Restore weights that are pruned only in this file</source>
        <translation>恢复仅在此文件中被剪枝的权重</translation>
    </message>
    <message>
        <source>Restore weights that are pruned in both files</source>
        <translation>恢复在两个文件中都被剪枝的权重</translation>
    </message>
    <message>
        <source>Show differences</source>
        <translation>显示差异</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Prune {n} weights</source>
        <translation>剪枝 {n} 个权重</translation>
    </message>
    <message>
        <source>Restore {n} weights</source>
        <translation>恢复 {n} 个权重</translation>
    </message>
    <message>
        <source>No changes</source>
        <translation>无更改</translation>
    </message>
</context>
<context>
    <name>CommandConsentDialog</name>
    <message>
        <source>Command line</source>
        <translation>命令行</translation>
    </message>
    <message>
        <source>It runs without a shell, once for each state that is evaluated: {checkpoint} stands for the opened file, or for a temporary file with a pruned state. The program can read and change your files and use the network, as if you started it yourself. Only run what you know.</source>
        <translation>它不经 shell 运行，每个被评估的状态运行一次：{checkpoint} 代表打开的文件，或含有剪枝状态的临时文件。该程序可以读取和更改您的文件并使用网络，如同您自己启动它。只运行您了解的程序。</translation>
    </message>
    <message>
        <source>Program</source>
        <translation>程序</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>Run command line</source>
        <translation>运行命令行</translation>
    </message>
    <message>
        <source>Run this command line? It is new.</source>
        <translation>运行此命令行？这是新的命令行。</translation>
    </message>
</context>
<context>
    <name>CommandPalette</name>
    <message>
        <source>Command palette</source>
        <translation>命令面板</translation>
    </message>
    <message>
        <source>Type part of the name of a command, tensor, method or setting</source>
        <translation>输入命令、张量、方法或设置名称的一部分</translation>
    </message>
    <message>
        <source>Part of a name</source>
        <translation>名称的一部分</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Shortcut or kind</source>
        <translation>快捷键或类型</translation>
    </message>
    <message>
        <source>Matches</source>
        <translation>匹配项</translation>
    </message>
    <message>
        <source>No matches.</source>
        <translation>没有匹配项。</translation>
    </message>
    <message>
        <source>{n} more tensors match.</source>
        <translation>另有 {n} 个张量匹配。</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>张量</translation>
    </message>
</context>
<context>
    <name>CompanionsRow</name>
    <message>
        <source>Also prune matching bias and norm entries</source>
        <translation>同时剪枝对应的偏置和归一化项</translation>
    </message>
    <message>
        <source>A pruned filter still outputs a constant if its norm layer has a bias (beta).</source>
        <translation>如果归一化层有偏置 (beta)，被剪枝的滤波器仍会输出常数。</translation>
    </message>
    <message>
        <source>No bias or norm layer was found for these tensors by name.</source>
        <translation>按名称未找到这些张量的偏置或归一化层。</translation>
    </message>
    <message>
        <source>{why} {n} of {m} tensors have a matching bias or norm.</source>
        <translation>{why} {m} 个张量中有 {n} 个有对应的偏置或归一化。</translation>
    </message>
    <message>
        <source>Matching entries are found by name, for example conv1 and bn1 in the same module. They do not count toward the amount.</source>
        <translation>对应项按名称查找，例如同一模块中的 conv1 和 bn1。它们不计入剪枝量。</translation>
    </message>
</context>
<context>
    <name>CompareController</name>
    <message>
        <source>Compare with a checkpoint</source>
        <translation>与检查点比较</translation>
    </message>
    <message>
        <source>Compare with a checkpoint in a folder</source>
        <translation>与文件夹中的检查点比较</translation>
    </message>
    <message>
        <source>Comparing</source>
        <translation>正在比较</translation>
    </message>
    <message>
        <source>Neither A nor B has been evaluated.</source>
        <translation>A 和 B 都尚未评估。</translation>
    </message>
    <message>
        <source>{state} is the only state to be compared, and does not differ from itself. Go to a later state, or choose two on the page Compare.</source>
        <translation>{state} 是唯一可比较的状态，与自身没有差异。请转到之后的状态，或在“比较”页选择两个状态。</translation>
    </message>
    <message>
        <source>Nothing differs here between {a} and {b}.</source>
        <translation>{a} 与 {b} 在此处没有差异。</translation>
    </message>
</context>
<context>
    <name>CompareView</name>
    <message>
        <source>Most different first</source>
        <translation>差异最大的在前</translation>
    </message>
    <message>
        <source>In file order</source>
        <translation>按文件顺序</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>度量</translation>
    </message>
    <message>
        <source>Measure of the difference; the readout and the table show all measures</source>
        <translation>差异的度量；读数和表格显示所有度量</translation>
    </message>
    <message>
        <source>Relative norm</source>
        <translation>相对范数</translation>
    </message>
    <message>
        <source>1 − cosine</source>
        <translation>1 − 余弦</translation>
    </message>
    <message>
        <source>Different signs</source>
        <translation>符号不同</translation>
    </message>
    <message>
        <source>Unshared zeros</source>
        <translation>非共有的零</translation>
    </message>
    <message>
        <source>Comparing…</source>
        <translation>正在比较…</translation>
    </message>
    <message>
        <source>Differences of the tensors</source>
        <translation>张量的差异</translation>
    </message>
    <message>
        <source>Neither side has a tensor.</source>
        <translation>两边都没有张量。</translation>
    </message>
    <message>
        <source>Nothing differs: all {n} tensors are equal.</source>
        <translation>没有差异：全部 {n} 个张量相同。</translation>
    </message>
    <message>
        <source>Open a checkpoint to compare its states, or to compare it with another file.</source>
        <translation>打开检查点以比较其状态，或与另一个文件比较。</translation>
    </message>
    <message>
        <source>There is only one state so far. Apply a pruning step, or choose another file as B.</source>
        <translation>目前只有一个状态。请应用剪枝步骤，或选择另一个文件作为 B。</translation>
    </message>
    <message>
        <source>A and B are the same. Choose another state or file above.</source>
        <translation>A 和 B 相同。请在上方选择另一个状态或文件。</translation>
    </message>
    <message>
        <source>Choose two states above to compare.</source>
        <translation>在上方选择两个要比较的状态。</translation>
    </message>
    <message>
        <source>differing tensors</source>
        <translation>有差异的张量</translation>
    </message>
    <message>
        <source>{share} of the weights differ</source>
        <translation>{share} 的权重不同</translation>
    </message>
    <message>
        <source>relative norm {value}</source>
        <translation>相对范数 {value}</translation>
    </message>
    <message>
        <source>cosine {value}</source>
        <translation>余弦 {value}</translation>
    </message>
    <message>
        <source>equal signs {value}</source>
        <translation>符号相同 {value}</translation>
    </message>
    <message>
        <source>shared zeros {value}</source>
        <translation>共有的零 {value}</translation>
    </message>
    <message>
        <source>{some} of {all} tensors differ</source>
        <translation>{all} 个张量中 {some} 个不同</translation>
    </message>
    <message>
        <source>{n} only in A</source>
        <translation>{n} 个仅在 A 中</translation>
    </message>
    <message>
        <source>{n} only in B</source>
        <translation>{n} 个仅在 B 中</translation>
    </message>
    <message>
        <source>{n} with a different shape</source>
        <translation>{n} 个形状不同</translation>
    </message>
    <message>
        <source>{n} that cannot be read</source>
        <translation>{n} 个无法读取</translation>
    </message>
    <message>
        <source>;  {n} beyond the end of the axis</source>
        <translation>；  {n} 个超出轴的末端</translation>
    </message>
    <message>
        <source>tensor</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>difference</source>
        <translation>差异</translation>
    </message>
    <message>
        <source>weights that differ</source>
        <translation>不同的权重</translation>
    </message>
    <message>
        <source>relative norm</source>
        <translation>相对范数</translation>
    </message>
    <message>
        <source>cosine</source>
        <translation>余弦</translation>
    </message>
    <message>
        <source>equal signs</source>
        <translation>符号相同</translation>
    </message>
    <message>
        <source>shared zeros</source>
        <translation>共有的零</translation>
    </message>
    <message>
        <source>identical</source>
        <translation>相同</translation>
    </message>
    <message>
        <source>differs</source>
        <translation>不同</translation>
    </message>
    <message>
        <source>only in A</source>
        <translation>仅在 A 中</translation>
    </message>
    <message>
        <source>only in B</source>
        <translation>仅在 B 中</translation>
    </message>
    <message>
        <source>different shape or type, not compared</source>
        <translation>形状或类型不同，未比较</translation>
    </message>
    <message>
        <source>cannot be read, not compared</source>
        <translation>无法读取，未比较</translation>
    </message>
    <message>
        <source>difference, % of A</source>
        <translation>差异，A 的 %</translation>
    </message>
    <message>
        <source>different signs, %</source>
        <translation>符号不同，%</translation>
    </message>
    <message>
        <source>unshared zeros, %</source>
        <translation>非共有的零，%</translation>
    </message>
    <message>
        <source>{measure}; longer bars end in ▶</source>
        <translation>{measure}；更长的条以 ▶ 结尾</translation>
    </message>
</context>
<context>
    <name>ComparisonSource</name>
    <message>
        <source>Opening</source>
        <translation>正在打开</translation>
    </message>
</context>
<context>
    <name>ConfigDiff</name>
    <message>
        <source>Changes of config.json</source>
        <translation>config.json 的更改</translation>
    </message>
</context>
<context>
    <name>ConsentDialog</name>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
</context>
<context>
    <name>CopyButton</name>
    <message>
        <source>✓ Copied</source>
        <translation>✓ 已复制</translation>
    </message>
    <message>
        <source>Copy as text</source>
        <translation>复制为文本</translation>
    </message>
</context>
<context>
    <name>Danger</name>
    <message>
        <source>little left</source>
        <translation>所剩无几</translation>
    </message>
    <message>
        <source>all pruned</source>
        <translation>全部剪枝</translation>
    </message>
    <message>
        <source>All of its weights are pruned.</source>
        <translation>其所有权重都已剪枝。</translation>
    </message>
    <message>
        <source>Only {share} of its weights are left.</source>
        <translation>其权重仅剩 {share}。</translation>
    </message>
    <message>
        <source>{share} of its weights are left, with {norm} of its norm².</source>
        <translation>其权重剩余 {share}，范数² 剩余 {norm}。</translation>
    </message>
    <message>
        <source>1 tensor is pruned completely</source>
        <translation>1 个张量被完全剪枝</translation>
    </message>
    <message>
        <source>{n} tensors are pruned completely</source>
        <translation>{n} 个张量被完全剪枝</translation>
    </message>
    <message>
        <source>little is left of 1 tensor</source>
        <translation>1 个张量所剩无几</translation>
    </message>
    <message>
        <source>little is left of {n} tensors</source>
        <translation>{n} 个张量所剩无几</translation>
    </message>
</context>
<context>
    <name>DataKind</name>
    <message>
        <source>&amp;Evaluation script</source>
        <translation>评估脚本(&amp;E)</translation>
    </message>
    <message>
        <source>A Python file that loads the model and runs inputs through it.</source>
        <translation>加载模型并对其运行输入的 Python 文件。</translation>
    </message>
    <message>
        <source>&amp;Text file</source>
        <translation>文本文件(&amp;T)</translation>
    </message>
    <message>
        <source>A text for the model, which transformers loads from its folder. Evaluate measures the perplexity of a language model; of an encoder, how far the embeddings of the lines are those of the unpruned model.</source>
        <translation>供模型使用的文本，由 transformers 从其文件夹加载模型。评估时测量语言模型的困惑度；对于编码器，测量各行的嵌入与未剪枝模型的接近程度。</translation>
    </message>
    <message>
        <source>&amp;Images</source>
        <translation>图像(&amp;I)</translation>
    </message>
    <message>
        <source>A folder of images for the classifier, which torchvision or timm builds. With a subfolder for each class of the model, Evaluate measures the accuracy; else, how far the outputs are those of the unpruned model.</source>
        <translation>供分类器使用的图像文件夹，由 torchvision 或 timm 构建分类器。若每个类别有一个子文件夹，评估时测量准确率；否则测量输出与未剪枝模型的接近程度。</translation>
    </message>
    <message>
        <source>&amp;No data</source>
        <translation>无数据(&amp;N)</translation>
    </message>
    <message>
        <source>Random token ids, the same each time: unlike any real input.</source>
        <translation>随机词元 ID，每次相同：与任何真实输入都不同。</translation>
    </message>
    <message>
        <source>&amp;Statistics file</source>
        <translation>统计文件(&amp;S)</translation>
    </message>
    <message>
        <source>Statistics of activations of the unpruned model.</source>
        <translation>未剪枝模型的激活统计。</translation>
    </message>
    <message>
        <source>&amp;Command line</source>
        <translation>命令行(&amp;C)</translation>
    </message>
    <message>
        <source>A program that evaluates a file: {checkpoint} stands for its path, {out} for that of the result, a JSON object or a number. Without {out}, the last one that it prints.</source>
        <translation>评估文件的程序：{checkpoint} 代表文件路径，{out} 代表结果路径，结果为 JSON 对象或一个数。没有 {out} 时，取它最后打印的结果。</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>所有文件 (*)</translation>
    </message>
    <message>
        <source>Python files ({patterns})</source>
        <translation>Python 文件 ({patterns})</translation>
    </message>
    <message>
        <source>Statistics ({patterns})</source>
        <translation>统计文件 ({patterns})</translation>
    </message>
</context>
<context>
    <name>DecisionDialog</name>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
<context>
    <name>Declarations</name>
    <message>
        <source>L1 unstructured (magnitude)</source>
        <extracomment>method l1_unstructured</extracomment>
        <translation>L1 非结构化（幅值）</translation>
    </message>
    <message>
        <source>Prunes the weights with the smallest magnitude. The usual baseline: most networks keep their accuracy up to about 30 % without retraining. Per tensor prunes the same fraction of each tensor; global ranks the weights of all selected tensors together, so that layers with small weights are pruned more. Zeros reduce the file size only if the file is compressed. Same as torch.nn.utils.prune.l1_unstructured and global_unstructured.</source>
        <extracomment>method l1_unstructured</extracomment>
        <translation>剪枝幅值最小的权重。常用的基线：大多数网络在不重新训练的情况下，剪枝到约 30 % 仍能保持准确率。“逐张量”在每个张量中剪枝相同的比例；“全局”将所有选中张量的权重一起排序，因此权重较小的层剪得更多。只有压缩文件时，零才会减小文件大小。等同于 torch.nn.utils.prune.l1_unstructured 和 global_unstructured。</translation>
    </message>
    <message>
        <source>Amount</source>
        <extracomment>method l1_unstructured, amount</extracomment>
        <translation>剪枝量</translation>
    </message>
    <message>
        <source>Fraction of remaining weights, or a number of weights.</source>
        <extracomment>method l1_unstructured, amount</extracomment>
        <translation>剩余权重的比例，或权重的数量。</translation>
    </message>
    <message>
        <source>L1 per row (unstructured)</source>
        <extracomment>method l1_per_row</extracomment>
        <translation>逐行 L1（非结构化）</translation>
    </message>
    <message>
        <source>Prunes the weights of the smallest magnitude in each row, that is, per output neuron or filter, to the same sparsity. Use it for language models: no output loses nearly all of its inputs (Wanda compares weights within the same groups; Sun et al., 2024). A fraction is rounded in each row; a count or a target total is exact, so that some rows may lose one weight more.</source>
        <extracomment>method l1_per_row</extracomment>
        <translation>在每一行（即每个输出神经元或滤波器）中剪枝幅值最小的权重，使各行稀疏度相同。适用于语言模型：没有输出会失去几乎所有输入（Wanda 在同样的组内比较权重；Sun et al., 2024）。比例在每行中取整；数量或目标总量是精确的，因此某些行可能多失去一个权重。</translation>
    </message>
    <message>
        <source>Normalized L1 (unstructured)</source>
        <extracomment>method l1_normalized</extracomment>
        <translation>归一化 L1（非结构化）</translation>
    </message>
    <message>
        <source>Ranks the weights of all selected tensors by magnitude divided by a typical magnitude of their tensor. Use it instead of global L1 when layers differ in scale: layers of small weights are not pruned away first. Pruned weights are ignored; NaN and infinite weights count as 0 in the divisor.</source>
        <extracomment>method l1_normalized</extracomment>
        <translation>将所有选中张量的权重按幅值除以其张量的典型幅值来排序。当各层尺度不同时，用它代替全局 L1：权重较小的层不会首先被剪掉。忽略已剪枝的权重；NaN 和无穷权重在除数中计为 0。</translation>
    </message>
    <message>
        <source>Divide by</source>
        <extracomment>method l1_normalized, divide_by</extracomment>
        <translation>除以</translation>
    </message>
    <message>
        <source>Divisor of the magnitudes of a tensor before they are compared.</source>
        <extracomment>method l1_normalized, divide_by</extracomment>
        <translation>比较之前用来除张量幅值的数。</translation>
    </message>
    <message>
        <source>RMS</source>
        <extracomment>method l1_normalized, divide_by</extracomment>
        <translation>RMS</translation>
    </message>
    <message>
        <source>Square root of the mean of squares.</source>
        <extracomment>method l1_normalized, divide_by</extracomment>
        <translation>平方均值的平方根。</translation>
    </message>
    <message>
        <source>Mean</source>
        <extracomment>method l1_normalized, divide_by</extracomment>
        <translation>均值</translation>
    </message>
    <message>
        <source>Mean of magnitudes.</source>
        <extracomment>method l1_normalized, divide_by</extracomment>
        <translation>幅值的均值。</translation>
    </message>
    <message>
        <source>Frobenius norm</source>
        <extracomment>method l1_normalized, divide_by</extracomment>
        <translation>Frobenius 范数</translation>
    </message>
    <message>
        <source>Prunes large tensors more.</source>
        <extracomment>method l1_normalized, divide_by</extracomment>
        <translation>大张量剪得更多。</translation>
    </message>
    <message>
        <source>Largest</source>
        <extracomment>method l1_normalized, divide_by</extracomment>
        <translation>最大值</translation>
    </message>
    <message>
        <source>Largest magnitude.</source>
        <extracomment>method l1_normalized, divide_by</extracomment>
        <translation>最大的幅值。</translation>
    </message>
    <message>
        <source>Relative importance (RIA)</source>
        <extracomment>method relative_importance</extracomment>
        <translation>相对重要性 (RIA)</translation>
    </message>
    <message>
        <source>Prunes weights that are small relative to their row and their column, so that no neuron loses all of its inputs or outputs. Use it for language models, where it often keeps more accuracy than magnitude. It is the data-free part of RIA (a = 0; Zhang et al., 2024). Pruned weights are ignored. A convolution is treated as a matrix of filters by all other dimensions.</source>
        <extracomment>method relative_importance</extracomment>
        <translation>剪枝相对于其所在行和列较小的权重，使没有神经元失去全部输入或输出。适用于语言模型，通常比按幅值保留更高的准确率。这是 RIA 中无需数据的部分（a = 0；Zhang et al., 2024）。忽略已剪枝的权重。卷积视为滤波器乘以其余所有维度的矩阵。</translation>
    </message>
    <message>
        <source>Wanda (per row)</source>
        <extracomment>method wanda</extracomment>
        <translation>Wanda（逐行）</translation>
    </message>
    <message>
        <source>Prunes the weights with the smallest product of magnitude and size of their input in each row, that is, per output neuron or filter, to the same sparsity (Sun et al., 2024), rounded in each row. Use it for language models. It needs statistics of activations, but no retraining. On small convolutional networks, and from about 70 % on, it is often worse than magnitude: measure it.</source>
        <extracomment>method wanda</extracomment>
        <translation>在每一行（即每个输出神经元或滤波器）中剪枝“幅值 × 输入大小”最小的权重，使各行稀疏度相同（Sun et al., 2024），在每行中取整。适用于语言模型。需要激活统计，但无需重新训练。对小型卷积网络，以及约 70 % 以上时，往往不如按幅值：请测量。</translation>
    </message>
    <message>
        <source>Wanda (per tensor)</source>
        <extracomment>method wanda_per_tensor</extracomment>
        <translation>Wanda（逐张量）</translation>
    </message>
    <message>
        <source>Prunes the weights of a tensor with the smallest product of magnitude and size of their input, whatever their row. Use it instead of Wanda per row for image models, and for layers whose rows are inputs (the Conv1D of transformers). It needs statistics of activations. Measure it beside magnitude.</source>
        <extracomment>method wanda_per_tensor</extracomment>
        <translation>不论所在行，剪枝张量中“幅值 × 输入大小”最小的权重。对图像模型，以及行为输入的层（transformers 的 Conv1D），用它代替逐行 Wanda。需要激活统计。请与按幅值的结果对比测量。</translation>
    </message>
    <message>
        <source>Swaps (per row)</source>
        <extracomment>method swaps</extracomment>
        <translation>交换（逐行）</translation>
    </message>
    <message>
        <source>Begins with Wanda per row and exchanges a pruned with a kept weight of the same row as long as the error of the row&apos;s output falls (after SparseSwaps, 2025). Use it where pruned weights are not repaired: about half of Wanda&apos;s error goes. It needs statistics with Gram matrices, and takes minutes for layers of thousands of inputs.</source>
        <extracomment>method swaps</extracomment>
        <translation>从逐行 Wanda 开始，只要该行输出的误差下降，就在同一行内交换一个已剪枝和一个保留的权重（参照 SparseSwaps, 2025）。适用于不修复已剪枝权重的情况：Wanda 的误差约减少一半。需要带格拉姆矩阵的统计；对有数千个输入的层需要数分钟。</translation>
    </message>
    <message>
        <source>Exchanges</source>
        <extracomment>method swaps, rounds</extracomment>
        <translation>交换次数</translation>
    </message>
    <message>
        <source>Most exchanges in each row; it ends sooner where none helps.</source>
        <extracomment>method swaps, rounds</extracomment>
        <translation>每行最多的交换次数；若再无改善则提前结束。</translation>
    </message>
    <message>
        <source>OWL (Wanda per row)</source>
        <extracomment>method owl</extracomment>
        <translation>OWL（逐行 Wanda）</translation>
    </message>
    <message>
        <source>Outlier weighed layerwise sparsity (Yin et al., 2024): Wanda per row, but layers with more outliers among the scores stay denser. A layer is a numbered block, else a tensor. It is meant for large language models at 70 % and more. On small models it mostly did harm: measure it beside Wanda, and prefer a sensitivity scan. It needs statistics of activations. Weights that are already pruned count toward the sparsity.</source>
        <extracomment>method owl</extracomment>
        <translation>按离群值加权的逐层稀疏度 (Yin et al., 2024)：逐行 Wanda，但分数中离群值较多的层保持更密。层是带编号的块，否则为张量。针对 70 % 及以上的大型语言模型。对小模型大多有害：请与 Wanda 对比测量，并优先使用敏感度扫描。需要激活统计。已剪枝的权重计入稀疏度。</translation>
    </message>
    <message>
        <source>Outlier threshold</source>
        <extracomment>method owl, outlier</extracomment>
        <translation>离群值阈值</translation>
    </message>
    <message>
        <source>How many times the mean of its layer a score must exceed (M in the paper).</source>
        <extracomment>method owl, outlier</extracomment>
        <translation>分数须超过其层均值的多少倍（论文中的 M）。</translation>
    </message>
    <message>
        <source>Spread</source>
        <extracomment>method owl, spread</extracomment>
        <translation>跨度</translation>
    </message>
    <message>
        <source>Half of how far the densities of layers lie apart (lambda in the paper).</source>
        <extracomment>method owl, spread</extracomment>
        <translation>各层密度相差范围的一半（论文中的 lambda）。</translation>
    </message>
    <message>
        <source>RIA (with activations)</source>
        <extracomment>method ria</extracomment>
        <translation>RIA（含激活）</translation>
    </message>
    <message>
        <source>Relative importance and activations (Zhang et al., 2024): ranks weights by their share of their row and of their column, times the root of the size of their input. Use it for language models; it is close to Wanda, and no neuron loses all of its inputs or outputs. It needs statistics of activations. Pruned weights are ignored.</source>
        <extracomment>method ria</extracomment>
        <translation>相对重要性与激活 (Zhang et al., 2024)：按权重在其行和列中的占比乘以输入大小的平方根排序。适用于语言模型；与 Wanda 接近，且没有神经元失去全部输入或输出。需要激活统计。忽略已剪枝的权重。</translation>
    </message>
    <message>
        <source>LAMP</source>
        <extracomment>method lamp</extracomment>
        <translation>LAMP</translation>
    </message>
    <message>
        <source>Layer-adaptive magnitude pruning (Lee et al., 2021). Ranks weights of all selected tensors by magnitude, normalized by the weights of the same layer that are at least as large, so that the sparsity of each layer follows from one global threshold. Use it for high sparsity without data: no layer collapses. Pruned and protected weights are not part of the score.</source>
        <extracomment>method lamp</extracomment>
        <translation>层自适应幅值剪枝 (Lee et al., 2021)。将所有选中张量的权重按幅值排序，并用同层中不小于它的权重进行归一化，从而由一个全局阈值得出每层的稀疏度。适用于无数据的高稀疏度：没有层会崩溃。已剪枝和受保护的权重不参与分数。</translation>
    </message>
    <message>
        <source>ERK</source>
        <extracomment>method erk</extracomment>
        <translation>ERK</translation>
    </message>
    <message>
        <source>Sets the density of each tensor in proportion to the sum of its dimensions divided by their product: large layers become sparser than small ones. Within a tensor, weights of the smallest magnitude are pruned. Use it for a layer-wise budget without data, as sparse training does (RigL; Evci et al., 2020). The ER variant ignores the kernel size of convolutions. Weights that are already pruned count toward the sparsity.</source>
        <extracomment>method erk</extracomment>
        <translation>使每个张量的密度与其各维度之和除以其乘积成正比：大层比小层更稀疏。在张量内剪枝幅值最小的权重。适用于无数据的逐层预算，如稀疏训练所用（RigL；Evci et al., 2020）。ER 变体忽略卷积核尺寸。已剪枝的权重计入稀疏度。</translation>
    </message>
    <message>
        <source>Variant</source>
        <extracomment>method erk, variant</extracomment>
        <translation>变体</translation>
    </message>
    <message>
        <source>Whether the kernel height and width count.</source>
        <extracomment>method erk, variant</extracomment>
        <translation>是否计入核的高度和宽度。</translation>
    </message>
    <message>
        <source>Erdős-Rényi kernel: includes height and width.</source>
        <extracomment>method erk, variant</extracomment>
        <translation>Erdős-Rényi 核：包括高度和宽度。</translation>
    </message>
    <message>
        <source>ER</source>
        <extracomment>method erk, variant</extracomment>
        <translation>ER</translation>
    </message>
    <message>
        <source>Erdős-Rényi: input and output channels only.</source>
        <extracomment>method erk, variant</extracomment>
        <translation>Erdős-Rényi：仅输入和输出通道。</translation>
    </message>
    <message>
        <source>Uniform+</source>
        <extracomment>method uniform_plus</extracomment>
        <translation>均匀+</translation>
    </message>
    <message>
        <source>Prunes each tensor to the same sparsity, except that the first convolution stays dense and the last linear layer is pruned to at most 80 %, because these layers are the most sensitive (Gale et al., 2019). Within a tensor, weights of the smallest magnitude are pruned. First and last refer to the selected tensors. If the other layers cannot reach the target, the last layer is pruned further, then the first. Weights that are already pruned count.</source>
        <extracomment>method uniform_plus</extracomment>
        <translation>将每个张量剪枝到相同的稀疏度，但第一个卷积保持稠密，最后一个线性层最多剪枝到 80 %，因为这些层最敏感 (Gale et al., 2019)。在张量内剪枝幅值最小的权重。“第一”和“最后”指选中的张量。若其他层无法达到目标，则进一步剪枝最后一层，然后是第一层。已剪枝的权重计入。</translation>
    </message>
    <message>
        <source>Random unstructured</source>
        <extracomment>method random_unstructured</extracomment>
        <translation>随机非结构化</translation>
    </message>
    <message>
        <source>Prunes weights at random, each with the same probability. Use it as a baseline: a useful ranking must do better. The result depends only on the seed, the tensor name and the weight index, so it is the same on every machine. Per tensor prunes the same fraction of each tensor; global draws from all selected tensors together. Like torch.nn.utils.prune.random_unstructured, with a reproducible generator.</source>
        <extracomment>method random_unstructured</extracomment>
        <translation>随机剪枝权重，每个权重概率相同。用作基线：有用的排序必须优于它。结果只取决于种子、张量名称和权重索引，因此在每台机器上相同。“逐张量”在每个张量中剪枝相同的比例；“全局”从所有选中张量中一起抽取。与 torch.nn.utils.prune.random_unstructured 类似，但生成器可复现。</translation>
    </message>
    <message>
        <source>Seed</source>
        <extracomment>method random_unstructured, seed</extracomment>
        <translation>种子</translation>
    </message>
    <message>
        <source>The same seed gives the same result on every machine.</source>
        <extracomment>method random_unstructured, seed</extracomment>
        <translation>相同的种子在每台机器上给出相同的结果。</translation>
    </message>
    <message>
        <source>Ln structured (channels)</source>
        <extracomment>method ln_structured</extracomment>
        <translation>Ln 结构化（通道）</translation>
    </message>
    <message>
        <source>Prunes the channels with the smallest Ln norm along a dimension: all weights of a filter, a neuron or an input at once. Use it to make a network smaller and faster: pruned channels can be removed from the architecture later. At the same sparsity it costs more accuracy than unstructured pruning. Each tensor is pruned separately; weights that are already pruned count as 0. Same as torch.nn.utils.prune.ln_structured.</source>
        <extracomment>method ln_structured</extracomment>
        <translation>沿某一维度剪枝 Ln 范数最小的通道：一次剪去一个滤波器、神经元或输入的所有权重。用于使网络更小更快：之后可以从结构中移除被剪枝的通道。在相同稀疏度下，它比非结构化剪枝损失更多准确率。每个张量单独剪枝；已剪枝的权重计为 0。等同于 torch.nn.utils.prune.ln_structured。</translation>
    </message>
    <message>
        <source>Fraction of remaining channels, or a number.</source>
        <extracomment>method ln_structured, amount</extracomment>
        <translation>剩余通道的比例，或数量。</translation>
    </message>
    <message>
        <source>Norm</source>
        <extracomment>method ln_structured, n</extracomment>
        <translation>范数</translation>
    </message>
    <message>
        <source>Order of the norm, as in torch.linalg.norm: 1 is the sum of magnitudes, 2 the Euclidean norm, inf the maximum and -inf the minimum magnitude, 0 the number of nonzero weights, fro the same as 2, nuc the sum of singular values.</source>
        <extracomment>method ln_structured, n</extracomment>
        <translation>范数的阶，与 torch.linalg.norm 相同：1 为幅值之和，2 为欧几里得范数，inf 为最大幅值，-inf 为最小幅值，0 为非零权重的数量，fro 同 2，nuc 为奇异值之和。</translation>
    </message>
    <message>
        <source>Dimension</source>
        <extracomment>method ln_structured, dim</extracomment>
        <translation>维度</translation>
    </message>
    <message>
        <source>Dimension along which channels are pruned; 0 is the output channels.</source>
        <extracomment>method ln_structured, dim</extracomment>
        <translation>剪枝通道所沿的维度；0 为输出通道。</translation>
    </message>
    <message>
        <source>FPGM (channels)</source>
        <extracomment>method fpgm</extracomment>
        <translation>FPGM（通道）</translation>
    </message>
    <message>
        <source>Filter pruning via geometric median (He et al., 2019). Prunes the channels with the smallest total distance to all other channels of the layer, because the others can replace them. Unlike norm-based methods it may prune large filters and keep small ones. Distances are between signed weights (Torch-Pruning uses magnitudes). Pruned weights count as 0; pruned channels are ignored. Slow for layers with thousands of channels.</source>
        <extracomment>method fpgm</extracomment>
        <translation>基于几何中位数的滤波器剪枝 (He et al., 2019)。剪枝与该层所有其他通道的总距离最小的通道，因为其他通道可以替代它们。与基于范数的方法不同，它可能剪枝大的滤波器而保留小的。距离按带符号的权重计算（Torch-Pruning 使用幅值）。已剪枝的权重计为 0；忽略已剪枝的通道。对有数千个通道的层较慢。</translation>
    </message>
    <message>
        <source>BatchNorm scale (channels)</source>
        <extracomment>method bn_scale</extracomment>
        <translation>BatchNorm 缩放（通道）</translation>
    </message>
    <message>
        <source>Prunes filters whose BatchNorm scale (gamma) has the smallest magnitude (Network Slimming; Liu et al., 2017). Use it for networks trained with an L1 penalty on these scales; otherwise the scales say little about importance. Global ranks the filters of all selected convolutions together. The norm layer of a convolution is found by name. Also prune the matching bias and norm entries, so that a pruned filter outputs exactly zero.</source>
        <extracomment>method bn_scale</extracomment>
        <translation>剪枝 BatchNorm 缩放 (gamma) 幅值最小的滤波器（Network Slimming；Liu et al., 2017）。适用于训练时对这些缩放施加 L1 惩罚的网络；否则缩放几乎不反映重要性。“全局”将所有选中卷积的滤波器一起排序。卷积的归一化层按名称查找。还应剪枝对应的偏置和归一化项，使被剪枝的滤波器输出恰好为零。</translation>
    </message>
    <message>
        <source>Dimension of the output channels, the only one that norm scales apply to.</source>
        <extracomment>method bn_scale, dim</extracomment>
        <translation>输出通道的维度，归一化缩放只适用于它。</translation>
    </message>
    <message>
        <source>Wanda structured (channels)</source>
        <extracomment>method wanda_structured</extracomment>
        <translation>Wanda 结构化（通道）</translation>
    </message>
    <message>
        <source>Prunes the channels with the smallest sum of magnitudes times sizes of their inputs: all weights of a filter, a neuron or an input at once. Use it along the input dimension (1) to find inputs that hardly carry a signal. It needs statistics of activations. Each tensor is pruned separately; pruned weights count as 0.</source>
        <extracomment>method wanda_structured</extracomment>
        <translation>剪枝“幅值 × 输入大小”之和最小的通道：一次剪去一个滤波器、神经元或输入的所有权重。沿输入维度 (1) 使用，可找出几乎不携带信号的输入。需要激活统计。每个张量单独剪枝；已剪枝的权重计为 0。</translation>
    </message>
    <message>
        <source>Random structured (channels)</source>
        <extracomment>method random_structured</extracomment>
        <translation>随机结构化（通道）</translation>
    </message>
    <message>
        <source>Prunes channels at random, each with the same probability: all weights of a filter, a neuron or an input at once. Use it as a baseline for methods that rank channels. The result depends only on the seed, the tensor name and the channel index. Channels that are already pruned are ignored. Like torch.nn.utils.prune.random_structured, with a reproducible generator.</source>
        <extracomment>method random_structured</extracomment>
        <translation>随机剪枝通道，每个通道概率相同：一次剪去一个滤波器、神经元或输入的所有权重。用作通道排序方法的基线。结果只取决于种子、张量名称和通道索引。忽略已剪枝的通道。与 torch.nn.utils.prune.random_structured 类似，但生成器可复现。</translation>
    </message>
    <message>
        <source>N:M semi-structured (2:4)</source>
        <extracomment>method n_m</extracomment>
        <translation>N:M 半结构化 (2:4)</translation>
    </message>
    <message>
        <source>Keeps the N weights of the largest magnitude in each group of M. Use 2:4 for sparse tensor cores (NVIDIA Ampere and later), which compute such layers up to twice as fast (Mishra et al., 2021). Groups lie along the input dimension; for convolutions, at the same kernel position. Weights that are already pruned count in their group; an incomplete group at the end is not pruned. At the same sparsity it costs more accuracy than unstructured pruning.</source>
        <extracomment>method n_m</extracomment>
        <translation>在每 M 个权重的组中保留幅值最大的 N 个。2:4 用于稀疏张量核心（NVIDIA Ampere 及之后），可使此类层的计算速度最高提高一倍 (Mishra et al., 2021)。组沿输入维度排列；对于卷积，位于相同的核位置。已剪枝的权重计入其组；末尾不完整的组不剪枝。在相同稀疏度下，它比非结构化剪枝损失更多准确率。</translation>
    </message>
    <message>
        <source>Pattern</source>
        <extracomment>method n_m, pattern</extracomment>
        <translation>模式</translation>
    </message>
    <message>
        <source>Weights kept in each group: 2:4 keeps 2 of every 4.</source>
        <extracomment>method n_m, pattern</extracomment>
        <translation>每组保留的权重：2:4 表示每 4 个保留 2 个。</translation>
    </message>
    <message>
        <source>Dimension along which groups lie; 1 is the input features of a linear layer or the input channels of a convolution.</source>
        <extracomment>method n_m, dim</extracomment>
        <translation>组所沿的维度；1 为线性层的输入特征或卷积的输入通道。</translation>
    </message>
    <message>
        <source>Wanda N:M (2:4)</source>
        <extracomment>method wanda_n_m</extracomment>
        <translation>Wanda N:M (2:4)</translation>
    </message>
    <message>
        <source>Keeps the N weights of each group of M with the largest product of magnitude and size of their input. Use it for 2:4 where statistics of activations are at hand: at this sparsity it usually keeps more accuracy than magnitude (Sun et al., 2024). Groups and dimension are those of N:M semi-structured.</source>
        <extracomment>method wanda_n_m</extracomment>
        <translation>在每 M 个权重的组中保留“幅值 × 输入大小”最大的 N 个。有激活统计时用于 2:4：在此稀疏度下通常比按幅值保留更高的准确率 (Sun et al., 2024)。组和维度与 N:M 半结构化相同。</translation>
    </message>
    <message>
        <source>Swaps N:M (2:4)</source>
        <extracomment>method swaps_n_m</extracomment>
        <translation>交换 N:M (2:4)</translation>
    </message>
    <message>
        <source>Begins with Wanda N:M and exchanges a pruned with a kept weight of the same group of M as long as the error of the row&apos;s output falls (after SparseSwaps, 2025). Use it for 2:4 where pruned weights are not repaired. It needs statistics with Gram matrices. Groups must lie along the inputs.</source>
        <extracomment>method swaps_n_m</extracomment>
        <translation>从 Wanda N:M 开始，只要该行输出的误差下降，就在同一组 M 个权重内交换一个已剪枝和一个保留的权重（参照 SparseSwaps, 2025）。用于不修复已剪枝权重的 2:4。需要带格拉姆矩阵的统计。组必须沿输入排列。</translation>
    </message>
    <message>
        <source>Blocks</source>
        <extracomment>method blocks</extracomment>
        <translation>块</translation>
    </message>
    <message>
        <source>Prunes rectangular blocks of neighboring weights with the smallest mean magnitude. Use it for runtimes with block-sparse kernels, which skip such blocks. Larger blocks cost more accuracy. A convolution is treated as a matrix of filters by all other dimensions; incomplete blocks at the edges are scored by the mean of their weights.</source>
        <extracomment>method blocks</extracomment>
        <translation>剪枝平均幅值最小的相邻权重矩形块。用于具有块稀疏内核的运行时，它们会跳过这些块。块越大，准确率损失越多。卷积视为滤波器乘以其余所有维度的矩阵；边缘不完整的块按其权重的均值评分。</translation>
    </message>
    <message>
        <source>Fraction of remaining blocks, or a number of blocks.</source>
        <extracomment>method blocks, amount</extracomment>
        <translation>剩余块的比例，或块的数量。</translation>
    </message>
    <message>
        <source>Block</source>
        <extracomment>method blocks, block</extracomment>
        <translation>块</translation>
    </message>
    <message>
        <source>Rows by columns of a block; a convolution is treated as filters by all other dimensions.</source>
        <extracomment>method blocks, block</extracomment>
        <translation>块的行数乘列数；卷积视为滤波器乘以其余所有维度。</translation>
    </message>
    <message>
        <source>Measure</source>
        <extracomment>method blocks, measure</extracomment>
        <translation>度量</translation>
    </message>
    <message>
        <source>How the weights of a block are scored.</source>
        <extracomment>method blocks, measure</extracomment>
        <translation>块内权重的评分方式。</translation>
    </message>
    <message>
        <source>Mean magnitude</source>
        <extracomment>method blocks, measure</extracomment>
        <translation>平均幅值</translation>
    </message>
    <message>
        <source>Root mean square</source>
        <extracomment>method blocks, measure</extracomment>
        <translation>均方根</translation>
    </message>
    <message>
        <source>Gives large weights more influence.</source>
        <extracomment>method blocks, measure</extracomment>
        <translation>使大权重的影响更大。</translation>
    </message>
    <message>
        <source>FFN neurons</source>
        <extracomment>method ffn_neurons</extracomment>
        <translation>FFN 神经元</translation>
    </message>
    <message>
        <source>Prunes whole neurons of the feed-forward layers of a transformer, the same number in each layer. They go in every tensor that has a part in them, biases and norms among them, so that the export &apos;shrunk&apos; can cut them out. Needs a model of a known type, with its config.json.</source>
        <extracomment>method ffn_neurons</extracomment>
        <translation>剪枝 transformer 前馈层的整个神经元，每层数量相同。它们会从所有相关张量中剪去，包括偏置和归一化，以便“缩减”导出可以将其裁去。需要已知类型的模型及其 config.json。</translation>
    </message>
    <message>
        <source>Fraction of remaining units of each group, or a number.</source>
        <extracomment>method ffn_neurons, amount</extracomment>
        <translation>每组剩余单元的比例，或数量。</translation>
    </message>
    <message>
        <source>Rank by</source>
        <extracomment>method ffn_neurons, by</extracomment>
        <translation>排序依据</translation>
    </message>
    <message>
        <source>Score of a unit over all weights that it has in the tensors of its group: a norm, or one by statistics of activations.</source>
        <extracomment>method ffn_neurons, by</extracomment>
        <translation>单元在其组的各张量中所有权重的分数：一种范数，或基于激活统计的分数。</translation>
    </message>
    <message>
        <source>L2 norm</source>
        <extracomment>method ffn_neurons, by</extracomment>
        <translation>L2 范数</translation>
    </message>
    <message>
        <source>Root of the sum of squares.</source>
        <extracomment>method ffn_neurons, by</extracomment>
        <translation>平方和的平方根。</translation>
    </message>
    <message>
        <source>L1 norm</source>
        <extracomment>method ffn_neurons, by</extracomment>
        <translation>L1 范数</translation>
    </message>
    <message>
        <source>Sum of magnitudes.</source>
        <extracomment>method ffn_neurons, by</extracomment>
        <translation>幅值之和。</translation>
    </message>
    <message>
        <source>Sum of magnitudes, divided by the number of weights.</source>
        <extracomment>method ffn_neurons, by</extracomment>
        <translation>幅值之和除以权重数量。</translation>
    </message>
    <message>
        <source>Wanda (with activations)</source>
        <extracomment>method ffn_neurons, by</extracomment>
        <translation>Wanda（含激活）</translation>
    </message>
    <message>
        <source>Sum of squares of each weight times the root mean square of its input, in the tensors that the statistics know (Sun et al., 2024).</source>
        <extracomment>method ffn_neurons, by</extracomment>
        <translation>在统计已知的张量中，每个权重乘以其输入的均方根，再求平方和 (Sun et al., 2024)。</translation>
    </message>
    <message>
        <source>FLAP (fluctuation)</source>
        <extracomment>method ffn_neurons, by</extracomment>
        <translation>FLAP（波动）</translation>
    </message>
    <message>
        <source>Sum of squares of each weight times the standard deviation of its input, in the tensors that read the unit (An et al., 2024).</source>
        <extracomment>method ffn_neurons, by</extracomment>
        <translation>在读取该单元的张量中，每个权重乘以其输入的标准差，再求平方和 (An et al., 2024)。</translation>
    </message>
    <message>
        <source>Multiple</source>
        <extracomment>method ffn_neurons, multiple</extracomment>
        <translation>倍数</translation>
    </message>
    <message>
        <source>The number of units that stay is rounded up to a multiple of this: some kernels refuse odd widths, others are slow with them.</source>
        <extracomment>method ffn_neurons, multiple</extracomment>
        <translation>保留的单元数向上取整到它的倍数：有些内核不接受奇数宽度，有些则会变慢。</translation>
    </message>
    <message>
        <source>1</source>
        <extracomment>method ffn_neurons, multiple</extracomment>
        <translation>1</translation>
    </message>
    <message>
        <source>8</source>
        <extracomment>method ffn_neurons, multiple</extracomment>
        <translation>8</translation>
    </message>
    <message>
        <source>64</source>
        <extracomment>method ffn_neurons, multiple</extracomment>
        <translation>64</translation>
    </message>
    <message>
        <source>128</source>
        <extracomment>method ffn_neurons, multiple</extracomment>
        <translation>128</translation>
    </message>
    <message>
        <source>256</source>
        <extracomment>method ffn_neurons, multiple</extracomment>
        <translation>256</translation>
    </message>
    <message>
        <source>Attention heads</source>
        <extracomment>method attention_heads</extracomment>
        <translation>注意力头</translation>
    </message>
    <message>
        <source>Prunes whole key/value heads with their query heads, the same number in each layer. They go in every tensor that has a part in them, biases and norms among them, so that the export &apos;shrunk&apos; can cut them out. Not every class of models takes fewer heads.</source>
        <extracomment>method attention_heads</extracomment>
        <translation>剪枝整个键/值头及其查询头，每层数量相同。在每个包含其一部分的张量中都会剪去，包括偏置和归一化，因此“shrunk”导出可以将其裁去。并非每种模型类都能接受更少的头。</translation>
    </message>
    <message>
        <source>Layers</source>
        <extracomment>method layers</extracomment>
        <translation>层</translation>
    </message>
    <message>
        <source>Prunes what whole layers write into the residual stream, so that they hand on what they were given. The export &apos;shrunk&apos; leaves them out.</source>
        <extracomment>method layers</extracomment>
        <translation>剪枝整层写入残差流的内容，使其原样传递输入。“缩减”导出会省去这些层。</translation>
    </message>
    <message>
        <source>Channel groups</source>
        <extracomment>method channel_groups</extracomment>
        <translation>通道组</translation>
    </message>
    <message>
        <source>Prunes channels of convolutions with everything that depends on them. They go in every tensor that has a part in them, biases and norms among them, so that the export &apos;shrunk&apos; can cut them out. Needs a file that holds its graph, or known blocks.</source>
        <extracomment>method channel_groups</extracomment>
        <translation>剪枝卷积的通道以及依赖它们的一切。它们会从所有相关张量中剪去，包括偏置和归一化，以便“缩减”导出可以将其裁去。需要包含计算图的文件，或已知的块。</translation>
    </message>
    <message>
        <source>Custom mask from file…</source>
        <extracomment>method custom_from_mask</extracomment>
        <translation>文件中的自定义掩码…</translation>
    </message>
    <message>
        <source>Applies masks from a file: weights are pruned where the mask is 0. The file is a checkpoint that holds the masks under the names of the tensors, or under NAME_mask. Weights that are already pruned stay pruned. Same as torch.nn.utils.prune.custom_from_mask.</source>
        <extracomment>method custom_from_mask</extracomment>
        <translation>应用文件中的掩码：掩码为 0 处的权重被剪枝。该文件是检查点，以张量的名称或 NAME_mask 保存掩码。已剪枝的权重保持剪枝。等同于 torch.nn.utils.prune.custom_from_mask。</translation>
    </message>
    <message>
        <source>Identity (no pruning)</source>
        <extracomment>method identity</extracomment>
        <translation>恒等（不剪枝）</translation>
    </message>
    <message>
        <source>Prunes nothing, but adds a mask of ones to each selected tensor without a mask. Use it before a resumable export, so that a script can continue pruning these tensors with torch. As the last of several rules it excludes tensors from those before. Same as torch.nn.utils.prune.identity.</source>
        <extracomment>method identity</extracomment>
        <translation>不剪枝，但为每个没有掩码的选中张量添加全 1 的掩码。在可继续的导出之前使用，使脚本可以用 torch 继续剪枝这些张量。作为若干规则中的最后一条时，它将张量排除在前面的规则之外。等同于 torch.nn.utils.prune.identity。</translation>
    </message>
    <message>
        <source>safetensors, dense</source>
        <extracomment>format safetensors</extracomment>
        <translation>safetensors，稠密</translation>
    </message>
    <message>
        <source>Weights with zeros where they are pruned. The most compatible format.</source>
        <extracomment>format safetensors</extracomment>
        <translation>被剪枝处为零的权重。兼容性最好的格式。</translation>
    </message>
    <message>
        <source>Loads in transformers from a folder with config.json.</source>
        <extracomment>format safetensors</extracomment>
        <translation>可由 transformers 从带 config.json 的文件夹加载。</translation>
    </message>
    <message>
        <source>Zeros do not reduce the size of a dense file.</source>
        <extracomment>format safetensors</extracomment>
        <translation>零不会减小稠密文件的大小。</translation>
    </message>
    <message>
        <source>and libraries built on it</source>
        <extracomment>format safetensors, safetensors</extracomment>
        <translation>及基于它的库</translation>
    </message>
    <message>
        <source>if it has the class that config.json names; tested with 5.23</source>
        <extracomment>format safetensors, transformers</extracomment>
        <translation>若其含有 config.json 所指的类；已用 5.23 测试</translation>
    </message>
    <message>
        <source>with safetensors.torch.load_file</source>
        <extracomment>format safetensors, torch</extracomment>
        <translation>用 safetensors.torch.load_file</translation>
    </message>
    <message>
        <source>detect zeros themselves</source>
        <extracomment>format safetensors, TensorRT, OpenVINO</extracomment>
        <translation>自行检测零</translation>
    </message>
    <message>
        <source>Type</source>
        <extracomment>format safetensors, dtype</extracomment>
        <translation>类型</translation>
    </message>
    <message>
        <source>Data type of the written weights: unchanged, or rounded to 16 bits.</source>
        <extracomment>format safetensors, dtype</extracomment>
        <translation>写入权重的数据类型：不变，或舍入到 16 位。</translation>
    </message>
    <message>
        <source>Keep dtype</source>
        <extracomment>format safetensors, dtype</extracomment>
        <translation>保持 dtype</translation>
    </message>
    <message>
        <source>float16</source>
        <extracomment>format safetensors, dtype</extracomment>
        <translation>float16</translation>
    </message>
    <message>
        <source>11 significant bits; values up to 65,504.</source>
        <extracomment>format safetensors, dtype</extracomment>
        <translation>11 位有效位；数值最大 65,504。</translation>
    </message>
    <message>
        <source>bfloat16</source>
        <extracomment>format safetensors, dtype</extracomment>
        <translation>bfloat16</translation>
    </message>
    <message>
        <source>8 significant bits; same range as float32.</source>
        <extracomment>format safetensors, dtype</extracomment>
        <translation>8 位有效位；范围与 float32 相同。</translation>
    </message>
    <message>
        <source>Max shard size</source>
        <extracomment>format safetensors, shard_size</extracomment>
        <translation>分片大小上限</translation>
    </message>
    <message>
        <source>Write a folder of shards up to this size, with an index file as in transformers and the other files of the model.</source>
        <extracomment>format safetensors, shard_size</extracomment>
        <translation>写入由不超过此大小的分片组成的文件夹，含 transformers 式的索引文件和模型的其他文件。</translation>
    </message>
    <message>
        <source>as opened</source>
        <extracomment>format safetensors, shard_size</extracomment>
        <translation>与打开时相同</translation>
    </message>
    <message>
        <source>torch state dict, dense</source>
        <extracomment>format torch</extracomment>
        <translation>torch 状态字典，稠密</translation>
    </message>
    <message>
        <source>Weights with zeros where they are pruned, for torch.load. If the opened file is a torch file, its other contents are kept.</source>
        <extracomment>format torch</extracomment>
        <translation>被剪枝处为零的权重，供 torch.load 使用。若打开的是 torch 文件，则保留其其他内容。</translation>
    </message>
    <message>
        <source>Optimizer state of pruned weights is unchanged.</source>
        <extracomment>format torch</extracomment>
        <translation>被剪枝权重的优化器状态不变。</translation>
    </message>
    <message>
        <source>float8 since 2.1; mmap=True works</source>
        <extracomment>format torch, torch.load</extracomment>
        <translation>float8 自 2.1 起；支持 mmap=True</translation>
    </message>
    <message>
        <source>as pytorch_model.bin beside a config.json</source>
        <extracomment>format torch, transformers</extracomment>
        <translation>作为 config.json 旁的 pytorch_model.bin</translation>
    </message>
    <message>
        <source>Resumable (weights and masks)</source>
        <extracomment>format resumable</extracomment>
        <translation>可继续（权重和掩码）</translation>
    </message>
    <message>
        <source>Original weights (NAME_orig) and masks (NAME_mask), as torch.nn.utils.prune stores them. Loads into a module pruned with torch, and opens in Pruneapp to continue or restore weights. Larger than the original, because each pruned tensor is stored twice. Use the suffix .safetensors, or .pt for a torch file.</source>
        <extracomment>format resumable</extracomment>
        <translation>原始权重 (NAME_orig) 和掩码 (NAME_mask)，与 torch.nn.utils.prune 的存储方式相同。可加载到用 torch 剪枝的模块中，也可在 Pruneapp 中打开以继续剪枝或恢复权重。比原文件大，因为每个被剪枝的张量存储两次。使用后缀 .safetensors，torch 文件用 .pt。</translation>
    </message>
    <message>
        <source>Contains masks and pruned values, so that training and pruning can continue.</source>
        <extracomment>format resumable</extracomment>
        <translation>包含掩码和被剪枝的值，因此可以继续训练和剪枝。</translation>
    </message>
    <message>
        <source>Does not load into an unpruned module, because the names are NAME_orig and NAME_mask.</source>
        <extracomment>format resumable</extracomment>
        <translation>无法加载到未剪枝的模块中，因为名称为 NAME_orig 和 NAME_mask。</translation>
    </message>
    <message>
        <source>Larger than the original file.</source>
        <extracomment>format resumable</extracomment>
        <translation>比原文件大。</translation>
    </message>
    <message>
        <source>load_state_dict of a pruned module</source>
        <extracomment>format resumable, torch.nn.utils.prune</extracomment>
        <translation>已剪枝模块的 load_state_dict</translation>
    </message>
    <message>
        <source>to continue, or to restore pruned weights</source>
        <extracomment>format resumable, Pruneapp</extracomment>
        <translation>以继续剪枝，或恢复被剪枝的权重</translation>
    </message>
    <message>
        <source>Masks only</source>
        <extracomment>format masks</extracomment>
        <translation>仅掩码</translation>
    </message>
    <message>
        <source>One bit per weight of each pruned tensor, without the weights: together with the original file it restores the pruned model. NAME_mask holds eight weights per byte, lowest bit first; 1 is kept. Pruneapp and numpy.unpackbits read it.</source>
        <extracomment>format masks</extracomment>
        <translation>每个被剪枝张量的每个权重一位，不含权重：与原文件一起可还原剪枝后的模型。NAME_mask 每字节存八个权重，低位在前；1 为保留。Pruneapp 和 numpy.unpackbits 可读取。</translation>
    </message>
    <message>
        <source>Not a model: it contains no weights.</source>
        <extracomment>format masks</extracomment>
        <translation>不是模型：不含权重。</translation>
    </message>
    <message>
        <source>with &apos;Load masks&apos; and custom_from_mask</source>
        <extracomment>format masks, Pruneapp</extracomment>
        <translation>用“加载掩码”和 custom_from_mask</translation>
    </message>
    <message>
        <source>as packed bits: numpy.unpackbits, bitorder=&apos;little&apos;</source>
        <extracomment>format masks, safetensors</extracomment>
        <translation>作为打包的位：numpy.unpackbits, bitorder=&apos;little&apos;</translation>
    </message>
    <message>
        <source>Compact (packed remaining weights)</source>
        <extracomment>format compact</extracomment>
        <translation>紧凑（打包的剩余权重）</translation>
    </message>
    <message>
        <source>The smallest file: one mask bit per weight and the nonzero values, byte-shuffled and compressed, in a safetensors container. Pruneapp opens it like any checkpoint; a short reader for numpy can be written beside it.</source>
        <extracomment>format compact</extracomment>
        <translation>最小的文件：每个权重一个掩码位加上非零值，经字节重排和压缩，存于 safetensors 容器中。Pruneapp 像打开任何检查点一样打开它；可在旁边写入一个简短的 numpy 读取脚本。</translation>
    </message>
    <message>
        <source>The smallest file, lossless.</source>
        <extracomment>format compact</extracomment>
        <translation>最小的文件，无损。</translation>
    </message>
    <message>
        <source>The smallest file, lossless for the weights; keep config.json and the tokenizer with it.</source>
        <extracomment>format compact</extracomment>
        <translation>最小的文件，对权重无损；请与 config.json 和分词器一同保存。</translation>
    </message>
    <message>
        <source>No other program loads it directly: expand it first, or use the reader script.</source>
        <extracomment>format compact</extracomment>
        <translation>没有其他程序可直接加载：请先展开，或使用读取脚本。</translation>
    </message>
    <message>
        <source>opens it; pruneapp expand writes the dense file</source>
        <extracomment>format compact, Pruneapp</extracomment>
        <translation>可打开；pruneapp expand 写入稠密文件</translation>
    </message>
    <message>
        <source>numpy arrays or torch tensors, read on demand</source>
        <extracomment>format compact, pruneapp.load_compact</extracomment>
        <translation>numpy 数组或 torch 张量，按需读取</translation>
    </message>
    <message>
        <source>with read_compact.py, written beside the file</source>
        <extracomment>format compact, numpy and zstandard</extracomment>
        <translation>用写在文件旁的 read_compact.py</translation>
    </message>
    <message>
        <source>Write reader script</source>
        <extracomment>format compact, reader</extracomment>
        <translation>写入读取脚本</translation>
    </message>
    <message>
        <source>A short Python script that reads the file with numpy and zstandard.</source>
        <extracomment>format compact, reader</extracomment>
        <translation>用 numpy 和 zstandard 读取文件的简短 Python 脚本。</translation>
    </message>
    <message>
        <source>torch state dict, compressed</source>
        <extracomment>format deflated</extracomment>
        <translation>torch 状态字典，压缩</translation>
    </message>
    <message>
        <source>A torch file with DEFLATE compression: torch.load reads it directly. Loading is slower, because all tensors are decompressed.</source>
        <extracomment>format deflated</extracomment>
        <translation>采用 DEFLATE 压缩的 torch 文件：torch.load 可直接读取。加载较慢，因为所有张量都要解压。</translation>
    </message>
    <message>
        <source>Loads directly with torch.load, but not in transformers.</source>
        <extracomment>format deflated</extracomment>
        <translation>可直接用 torch.load 加载，但不能用于 transformers。</translation>
    </message>
    <message>
        <source>Not compatible with torch.load(mmap=True) and transformers, which map uncompressed files.</source>
        <extracomment>format deflated</extracomment>
        <translation>与映射未压缩文件的 torch.load(mmap=True) 和 transformers 不兼容。</translation>
    </message>
    <message>
        <source>Contains only tensors; other entries of the opened file are not written.</source>
        <extracomment>format deflated</extracomment>
        <translation>仅包含张量；打开文件的其他条目不会写入。</translation>
    </message>
    <message>
        <source>without mmap=True; float8 since 2.1</source>
        <extracomment>format deflated, torch.load</extracomment>
        <translation>不用 mmap=True；float8 自 2.1 起</translation>
    </message>
    <message>
        <source>safetensors, compressed with zstd</source>
        <extracomment>format zst</extracomment>
        <translation>safetensors，zstd 压缩</translation>
    </message>
    <message>
        <source>The dense file in one zstd frame. Any zstd tool decompresses it to exactly the dense safetensors export.</source>
        <extracomment>format zst</extracomment>
        <translation>一个 zstd 帧中的稠密文件。任何 zstd 工具都能解压出与稠密 safetensors 导出完全相同的文件。</translation>
    </message>
    <message>
        <source>Decompresses with zstd or 7-Zip to exactly the safetensors file.</source>
        <extracomment>format zst</extracomment>
        <translation>用 zstd 或 7-Zip 解压后与 safetensors 文件完全相同。</translation>
    </message>
    <message>
        <source>Decompress it to model.safetensors beside config.json and the tokenizer, and transformers loads it.</source>
        <extracomment>format zst</extracomment>
        <translation>将其解压为 model.safetensors，与 config.json 和分词器放在一起，transformers 即可加载。</translation>
    </message>
    <message>
        <source>Must be decompressed before loading.</source>
        <extracomment>format zst</extracomment>
        <translation>加载前必须解压。</translation>
    </message>
    <message>
        <source>decompresses it to a safetensors file</source>
        <extracomment>format zst, zstd -d</extracomment>
        <translation>将其解压为 safetensors 文件</translation>
    </message>
    <message>
        <source>and 7-Zip ZS, PeaZip</source>
        <extracomment>format zst, 7-Zip</extracomment>
        <translation>以及 7-Zip ZS、PeaZip</translation>
    </message>
    <message>
        <source>decompresses it without other tools</source>
        <extracomment>format zst, pruneapp expand</extracomment>
        <translation>无需其他工具即可解压</translation>
    </message>
    <message>
        <source>Compression level</source>
        <extracomment>format zst, level</extracomment>
        <translation>压缩级别</translation>
    </message>
    <message>
        <source>1 is fastest; 12 gives the smallest file and takes about 12 times as long.</source>
        <extracomment>format zst, level</extracomment>
        <translation>1 最快；12 的文件最小，耗时约为 12 倍。</translation>
    </message>
    <message>
        <source>torch state dict, sparse (CSR)</source>
        <extracomment>format csr</extracomment>
        <translation>torch 状态字典，稀疏 (CSR)</translation>
    </message>
    <message>
        <source>Pruned matrices in torch&apos;s CSR layout where that is smaller; all other tensors are dense. For programs that compute with sparse tensors. To save disk space, use compact or a compressed format.</source>
        <extracomment>format csr</extracomment>
        <translation>在更小的情况下，被剪枝的矩阵采用 torch 的 CSR 布局；其他张量均为稠密。用于以稀疏张量计算的程序。若要节省磁盘空间，请用紧凑格式或压缩格式。</translation>
    </message>
    <message>
        <source>CSR is larger than dense below 67 % zeros in 16 bits, 50 % in float32 and 33 % in float64.</source>
        <extracomment>format csr</extracomment>
        <translation>当零的比例低于 67 %（16 位）、50 % (float32) 或 33 % (float64) 时，CSR 比稠密更大。</translation>
    </message>
    <message>
        <source>Convolutions, embeddings and float8 tensors stay dense. Only tensors are written.</source>
        <extracomment>format csr</extracomment>
        <translation>卷积、嵌入和 float8 张量保持稠密。只写入张量。</translation>
    </message>
    <message>
        <source>Load with load_state_dict(…, assign=True); 16-bit tensors need to_dense(). Not compatible with transformers.</source>
        <extracomment>format csr</extracomment>
        <translation>用 load_state_dict(…, assign=True) 加载；16 位张量需要 to_dense()。与 transformers 不兼容。</translation>
    </message>
    <message>
        <source>2.13, also with mmap=True; then load_state_dict(…, assign=True) or to_dense()</source>
        <extracomment>format csr, torch.load</extracomment>
        <translation>2.13，也支持 mmap=True；之后用 load_state_dict(…, assign=True) 或 to_dense()</translation>
    </message>
    <message>
        <source>as dense weights with zeros, to continue</source>
        <extracomment>format csr, Pruneapp</extracomment>
        <translation>作为含零的稠密权重，以继续</translation>
    </message>
    <message>
        <source>ONNX, dense</source>
        <extracomment>format onnx</extracomment>
        <translation>ONNX，稠密</translation>
    </message>
    <message>
        <source>The opened ONNX model with zeros where it is pruned. Everything else in it stays as it is; numbers in files beside the model are put into it.</source>
        <extracomment>format onnx</extracomment>
        <translation>打开的 ONNX 模型，被剪枝处为零。其余内容保持不变；模型旁文件中的数据会并入其中。</translation>
    </message>
    <message>
        <source>and whatever runs the original</source>
        <extracomment>format onnx, ONNX Runtime</extracomment>
        <translation>以及任何能运行原模型的程序</translation>
    </message>
    <message>
        <source>Min sparsity per tensor</source>
        <extracomment>limits, floor</extracomment>
        <translation>每个张量的最小稀疏度</translation>
    </message>
    <message>
        <source>Minimum sparsity of each tensor after the step.</source>
        <extracomment>limits, floor</extracomment>
        <translation>此步骤后每个张量的最小稀疏度。</translation>
    </message>
    <message>
        <source>Max sparsity per tensor</source>
        <extracomment>limits, ceiling</extracomment>
        <translation>每个张量的最大稀疏度</translation>
    </message>
    <message>
        <source>Maximum sparsity of each tensor after the step.</source>
        <extracomment>limits, ceiling</extracomment>
        <translation>此步骤后每个张量的最大稀疏度。</translation>
    </message>
    <message>
        <source>Target total sparsity</source>
        <extracomment>limits, total</extracomment>
        <translation>目标总稀疏度</translation>
    </message>
    <message>
        <source>Sparsity of all selected tensors together after the step, instead of an amount: a fraction of their weights, or a number of weights.</source>
        <extracomment>limits, total</extracomment>
        <translation>此步骤后所有选中张量合计的稀疏度，代替剪枝量：其权重的比例，或权重的数量。</translation>
    </message>
    <message>
        <source>Exclude</source>
        <extracomment>limits, spare</extracomment>
        <translation>排除</translation>
    </message>
    <message>
        <source>Tensors that the step leaves as they are: embeddings, and the first and the last layer.</source>
        <extracomment>limits, spare</extracomment>
        <translation>此步骤保持不变的张量：嵌入，以及第一层和最后一层。</translation>
    </message>
    <message>
        <source>Embeddings</source>
        <extracomment>limits, spare</extracomment>
        <translation>嵌入</translation>
    </message>
    <message>
        <source>Token and position embeddings.</source>
        <extracomment>limits, spare</extracomment>
        <translation>词元嵌入和位置嵌入。</translation>
    </message>
    <message>
        <source>First layer</source>
        <extracomment>limits, spare</extracomment>
        <translation>第一层</translation>
    </message>
    <message>
        <source>The first block of the model in order of execution, by its names.</source>
        <extracomment>limits, spare</extracomment>
        <translation>按执行顺序的第一个块，由名称推断。</translation>
    </message>
    <message>
        <source>Last layer</source>
        <extracomment>limits, spare</extracomment>
        <translation>最后一层</translation>
    </message>
    <message>
        <source>The last block of the model in order of execution, by its names.</source>
        <extracomment>limits, spare</extracomment>
        <translation>按执行顺序的最后一个块，由名称推断。</translation>
    </message>
    <message>
        <source>Final sparsity</source>
        <extracomment>schedule, final</extracomment>
        <translation>最终稀疏度</translation>
    </message>
    <message>
        <source>Sparsity of these tensors after the last round, including what is already pruned: a fraction, or a number of weights.</source>
        <extracomment>schedule, final</extracomment>
        <translation>最后一轮之后这些张量的稀疏度，包括已剪枝的部分：比例，或权重的数量。</translation>
    </message>
    <message>
        <source>Rounds</source>
        <extracomment>schedule, steps</extracomment>
        <translation>轮数</translation>
    </message>
    <message>
        <source>Number of steps added to the history.</source>
        <extracomment>schedule, steps</extracomment>
        <translation>添加到历史中的步骤数。</translation>
    </message>
    <message>
        <source>Schedule</source>
        <extracomment>schedule, path</extracomment>
        <translation>计划</translation>
    </message>
    <message>
        <source>How the sparsity grows from round to round.</source>
        <extracomment>schedule, path</extracomment>
        <translation>稀疏度逐轮增长的方式。</translation>
    </message>
    <message>
        <source>Linear</source>
        <extracomment>schedule, path</extracomment>
        <translation>线性</translation>
    </message>
    <message>
        <source>The same number of weights in each round.</source>
        <extracomment>schedule, path</extracomment>
        <translation>每轮权重数量相同。</translation>
    </message>
    <message>
        <source>Cubic</source>
        <extracomment>schedule, path</extracomment>
        <translation>三次</translation>
    </message>
    <message>
        <source>More weights in early rounds, fewer in late ones (Zhu and Gupta, 2017).</source>
        <extracomment>schedule, path</extracomment>
        <translation>前几轮较多，后几轮较少 (Zhu and Gupta, 2017)。</translation>
    </message>
    <message>
        <source>Iterations</source>
        <extracomment>repair, iterations</extracomment>
        <translation>迭代次数</translation>
    </message>
    <message>
        <source>Iterations of conjugate gradients. More take longer and come nearer to the outputs on these inputs.</source>
        <extracomment>repair, iterations</extracomment>
        <translation>共轭梯度法的迭代次数。次数越多耗时越长，也越接近这些输入上的输出。</translation>
    </message>
    <message>
        <source>Damping</source>
        <extracomment>repair, damping</extracomment>
        <translation>阻尼</translation>
    </message>
    <message>
        <source>Added to the diagonal of the Gram matrix, relative to its mean. More of it changes the weights less.</source>
        <extracomment>repair, damping</extracomment>
        <translation>加到格拉姆矩阵对角线上的值，相对于其均值。值越大，权重变化越小。</translation>
    </message>
    <message>
        <source>Adjust norms</source>
        <extracomment>repair, norms</extracomment>
        <translation>调整归一化</translation>
    </message>
    <message>
        <source>Change the running variances of norms as those of the outputs of repaired layers change.</source>
        <extracomment>repair, norms</extracomment>
        <translation>随被修复层输出方差的变化，调整归一化的移动方差。</translation>
    </message>
    <message>
        <source>Sequential</source>
        <extracomment>repair, sequential</extracomment>
        <translation>逐层顺序</translation>
    </message>
    <message>
        <source>Collect the inputs of each layer after the layers before it are repaired, and repair it for the outputs of the unpruned model. The inputs are run once more for each layer.</source>
        <extracomment>repair, sequential</extracomment>
        <translation>在修复前面的层之后收集每层的输入，并使其输出接近未剪枝模型。每层都会再运行一次输入。</translation>
    </message>
    <message>
        <source>Memory</source>
        <extracomment>repair, memory</extracomment>
        <translation>内存</translation>
    </message>
    <message>
        <source>Gram matrices that are summed at once take no more; with less, the inputs are run several times.</source>
        <extracomment>repair, memory</extracomment>
        <translation>同时累加的格拉姆矩阵不超过此值；内存较少时，输入会运行多次。</translation>
    </message>
    <message>
        <source>any</source>
        <extracomment>repair, memory</extracomment>
        <translation>任意</translation>
    </message>
    <message>
        <source>Sparsity of all scanned tensors together: a fraction of their weights, or a number.</source>
        <extracomment>allocation, total</extracomment>
        <translation>所有已扫描张量合计的稀疏度：其权重的比例，或数量。</translation>
    </message>
    <message>
        <source>Theme</source>
        <extracomment>settings, theme</extracomment>
        <translation>主题</translation>
    </message>
    <message>
        <source>Light, dark, high contrast, or the system setting.</source>
        <extracomment>settings, theme</extracomment>
        <translation>浅色、深色、高对比度或跟随系统设置。</translation>
    </message>
    <message>
        <source>System</source>
        <extracomment>settings, theme</extracomment>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>Light</source>
        <extracomment>settings, theme</extracomment>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Dark</source>
        <extracomment>settings, theme</extracomment>
        <translation>深色</translation>
    </message>
    <message>
        <source>High contrast, light</source>
        <extracomment>settings, theme</extracomment>
        <translation>高对比度，浅色</translation>
    </message>
    <message>
        <source>High contrast, dark</source>
        <extracomment>settings, theme</extracomment>
        <translation>高对比度，深色</translation>
    </message>
    <message>
        <source>Language</source>
        <extracomment>settings, language</extracomment>
        <translation>语言</translation>
    </message>
    <message>
        <source>Language of the window. Files and the command line are in English.</source>
        <extracomment>settings, language</extracomment>
        <translation>窗口的语言。文件和命令行使用英语。</translation>
    </message>
    <message>
        <source>Device</source>
        <extracomment>settings, device</extracomment>
        <translation>设备</translation>
    </message>
    <message>
        <source>Device that computes masks. The result is the same on all devices.</source>
        <extracomment>settings, device</extracomment>
        <translation>计算掩码的设备。在所有设备上结果相同。</translation>
    </message>
    <message>
        <source>Automatic</source>
        <extracomment>settings, device</extracomment>
        <translation>自动</translation>
    </message>
    <message>
        <source>CPU</source>
        <extracomment>settings, device</extracomment>
        <translation>CPU</translation>
    </message>
    <message>
        <source>CUDA</source>
        <extracomment>settings, device</extracomment>
        <translation>CUDA</translation>
    </message>
    <message>
        <source>MPS</source>
        <extracomment>settings, device</extracomment>
        <translation>MPS</translation>
    </message>
    <message>
        <source>Warn before running custom methods</source>
        <extracomment>settings, warn_own_methods</extracomment>
        <translation>运行自定义方法前警告</translation>
    </message>
    <message>
        <source>Ask before loading a .py file with a pruning method, because loading runs its code.</source>
        <extracomment>settings, warn_own_methods</extracomment>
        <translation>加载含剪枝方法的 .py 文件之前询问，因为加载会运行其代码。</translation>
    </message>
    <message>
        <source>Confirm manual edits in all blocks</source>
        <extracomment>settings, ask_all_blocks</extracomment>
        <translation>确认所有块中的手动编辑</translation>
    </message>
    <message>
        <source>List the tensors before a manual edit applies to the same layer in all blocks.</source>
        <extracomment>settings, ask_all_blocks</extracomment>
        <translation>在将手动编辑应用于所有块中的同一层之前列出张量。</translation>
    </message>
    <message>
        <source>Include bias and norm</source>
        <extracomment>settings, with_companions</extracomment>
        <translation>包括偏置和归一化</translation>
    </message>
    <message>
        <source>Apply manual edits of channels to their bias and norm entries.</source>
        <extracomment>settings, with_companions</extracomment>
        <translation>将通道的手动编辑应用到其偏置和归一化项。</translation>
    </message>
    <message>
        <source>Tensors as a list</source>
        <extracomment>settings, tensor_list</extracomment>
        <translation>张量列表</translation>
    </message>
    <message>
        <source>List all tensors below each other instead of the tree of modules.</source>
        <extracomment>settings, tensor_list</extracomment>
        <translation>将所有张量列在一起，代替模块树。</translation>
    </message>
    <message>
        <source>Notify when long jobs end</source>
        <extracomment>settings, notify</extracomment>
        <translation>长任务结束时通知</translation>
    </message>
    <message>
        <source>Show a notification when a job of more than 10 seconds ends in the background.</source>
        <extracomment>settings, notify</extracomment>
        <translation>超过 10 秒的任务在后台结束时显示通知。</translation>
    </message>
    <message>
        <source>Motion</source>
        <extracomment>settings, motion</extracomment>
        <translation>动画</translation>
    </message>
    <message>
        <source>Whether bars and menus move by themselves.</source>
        <extracomment>settings, motion</extracomment>
        <translation>进度条和菜单是否自行移动。</translation>
    </message>
    <message>
        <source>Full</source>
        <extracomment>settings, motion</extracomment>
        <translation>完整</translation>
    </message>
    <message>
        <source>Reduced</source>
        <extracomment>settings, motion</extracomment>
        <translation>减弱</translation>
    </message>
    <message>
        <source>line</source>
        <extracomment>axis of the picture</extracomment>
        <translation>行</translation>
    </message>
    <message>
        <source>position</source>
        <extracomment>axis of the picture</extracomment>
        <translation>位置</translation>
    </message>
    <message>
        <source>dim 0</source>
        <extracomment>axis of the picture</extracomment>
        <translation>维度 0</translation>
    </message>
    <message>
        <source>dim 1</source>
        <extracomment>axis of the picture</extracomment>
        <translation>维度 1</translation>
    </message>
    <message>
        <source>output channel</source>
        <extracomment>axis of the picture</extracomment>
        <translation>输出通道</translation>
    </message>
    <message>
        <source>input channel</source>
        <extracomment>axis of the picture</extracomment>
        <translation>输入通道</translation>
    </message>
    <message>
        <source>kernel position</source>
        <extracomment>axis of the picture</extracomment>
        <translation>核的位置</translation>
    </message>
    <message>
        <source>kernel row</source>
        <extracomment>axis of the picture</extracomment>
        <translation>核的行</translation>
    </message>
    <message>
        <source>kernel column</source>
        <extracomment>axis of the picture</extracomment>
        <translation>核的列</translation>
    </message>
    <message>
        <source>kernel depth</source>
        <extracomment>axis of the picture</extracomment>
        <translation>核的深度</translation>
    </message>
    <message>
        <source>dim 2</source>
        <extracomment>axis of the picture</extracomment>
        <translation>维度 2</translation>
    </message>
    <message>
        <source>dim 4</source>
        <extracomment>axis of the picture</extracomment>
        <translation>维度 4</translation>
    </message>
    <message>
        <source>dim 3</source>
        <extracomment>axis of the picture</extracomment>
        <translation>维度 3</translation>
    </message>
    <message>
        <source>dim 5</source>
        <extracomment>axis of the picture</extracomment>
        <translation>维度 5</translation>
    </message>
    <message>
        <source>output feature</source>
        <extracomment>axis of the picture</extracomment>
        <translation>输出特征</translation>
    </message>
    <message>
        <source>input feature</source>
        <extracomment>axis of the picture</extracomment>
        <translation>输入特征</translation>
    </message>
    <message>
        <source>entry</source>
        <extracomment>axis of the picture</extracomment>
        <translation>条目</translation>
    </message>
    <message>
        <source>feature</source>
        <extracomment>axis of the picture</extracomment>
        <translation>特征</translation>
    </message>
    <message>
        <source>Key/value heads</source>
        <extracomment>axis</extracomment>
        <translation>键/值头</translation>
    </message>
    <message>
        <source>key/value heads</source>
        <extracomment>axis, in a sentence</extracomment>
        <translation>键/值头</translation>
    </message>
    <message>
        <source>Query heads</source>
        <extracomment>axis</extracomment>
        <translation>查询头</translation>
    </message>
    <message>
        <source>query heads</source>
        <extracomment>axis, in a sentence</extracomment>
        <translation>查询头</translation>
    </message>
    <message>
        <source>Experts</source>
        <extracomment>axis</extracomment>
        <translation>专家</translation>
    </message>
    <message>
        <source>experts</source>
        <extracomment>axis, in a sentence</extracomment>
        <translation>专家</translation>
    </message>
    <message>
        <source>layers</source>
        <extracomment>axis, in a sentence</extracomment>
        <translation>层</translation>
    </message>
    <message>
        <source>Vocabulary</source>
        <extracomment>axis</extracomment>
        <translation>词表</translation>
    </message>
    <message>
        <source>vocabulary</source>
        <extracomment>axis, in a sentence</extracomment>
        <translation>词表</translation>
    </message>
    <message>
        <source>Channels</source>
        <extracomment>axis</extracomment>
        <translation>通道</translation>
    </message>
    <message>
        <source>channels</source>
        <extracomment>axis, in a sentence</extracomment>
        <translation>通道</translation>
    </message>
</context>
<context>
    <name>DependentsRow</name>
    <message>
        <source>With everything that depends on it</source>
        <translation>连同依赖它的一切</translation>
    </message>
    <message>
        <source>With everything that depends on it (not known)</source>
        <translation>连同依赖它的一切（未知）</translation>
    </message>
    <message>
        <source>Also prunes what other tensors have of the pruned channels: columns of the next layer, biases, norms. They do not count toward the amount, and protected weights stay.</source>
        <translation>同时剪枝其他张量中属于被剪枝通道的部分：下一层的列、偏置、归一化。它们不计入剪枝量，受保护的权重保留。</translation>
    </message>
    <message>
        <source>Off by default: {why}</source>
        <translation>默认关闭：{why}</translation>
    </message>
    <message>
        <source>On top of the amount, also prunes 1 tensor: {names}</source>
        <translation>在剪枝量之外，还剪枝 1 个张量：{names}</translation>
    </message>
    <message>
        <source>On top of the amount, also prunes {n} tensors: {names}</source>
        <translation>在剪枝量之外，还剪枝 {n} 个张量：{names}</translation>
    </message>
    <message>
        <source>On top of the amount, would also prune 1 tensor: {names}</source>
        <translation>在剪枝量之外，还会剪枝 1 个张量：{names}</translation>
    </message>
    <message>
        <source>On top of the amount, would also prune {n} tensors: {names}</source>
        <translation>在剪枝量之外，还会剪枝 {n} 个张量：{names}</translation>
    </message>
    <message>
        <source>On top of the amount, would also prune 1 tensor.</source>
        <translation>在剪枝量之外，还会剪枝 1 个张量。</translation>
    </message>
    <message>
        <source>On top of the amount, would also prune {n} tensors.</source>
        <translation>在剪枝量之外，还会剪枝 {n} 个张量。</translation>
    </message>
    <message>
        <source>{name} rows</source>
        <translation>{name} 的行</translation>
    </message>
    <message>
        <source>{name} columns</source>
        <translation>{name} 的列</translation>
    </message>
    <message>
        <source>{name} outputs</source>
        <translation>{name} 的输出</translation>
    </message>
    <message>
        <source>{name} inputs</source>
        <translation>{name} 的输入</translation>
    </message>
    <message>
        <source>{name} dim {dim}</source>
        <translation>{name} 维度 {dim}</translation>
    </message>
    <message>
        <source>No other tensor is pruned with {name}.</source>
        <translation>没有其他张量随 {name} 一起剪枝。</translation>
    </message>
    <message>
        <source>No other tensor is pruned with {n} of {m} tensors, such as {name}.</source>
        <translation>{m} 个张量中有 {n} 个（如 {name}）没有其他张量随之剪枝。</translation>
    </message>
</context>
<context>
    <name>Desktop</name>
    <message>
        <source>{job}: failed</source>
        <translation>“{job}”失败</translation>
    </message>
    <message>
        <source>{job}: finished</source>
        <translation>“{job}”已完成</translation>
    </message>
    <message>
        <source>A file is being written.</source>
        <translation>正在写入文件。</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>显示</translation>
    </message>
</context>
<context>
    <name>DimEditor</name>
    <message>
        <source>−1: last dimension</source>
        <translation>−1：最后一个维度</translation>
    </message>
</context>
<context>
    <name>Dims</name>
    <message>
        <source>entries</source>
        <translation>条目</translation>
    </message>
    <message>
        <source>features</source>
        <translation>特征</translation>
    </message>
    <message>
        <source>outputs</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>inputs</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>output channels</source>
        <translation>输出通道</translation>
    </message>
    <message>
        <source>input channels</source>
        <translation>输入通道</translation>
    </message>
    <message>
        <source>kernel rows</source>
        <translation>核的行</translation>
    </message>
    <message>
        <source>kernel columns</source>
        <translation>核的列</translation>
    </message>
    <message>
        <source>kernel</source>
        <translation>核</translation>
    </message>
    <message>
        <source>kernel depth</source>
        <translation>核的深度</translation>
    </message>
    <message>
        <source>dimension</source>
        <translation>维度</translation>
    </message>
</context>
<context>
    <name>DistributionView</name>
    <message>
        <source>Computing histogram…</source>
        <translation>正在计算直方图…</translation>
    </message>
    <message>
        <source>Count</source>
        <translation>计数</translation>
    </message>
    <message>
        <source>Histogram of magnitudes, of magnitudes on a logarithmic axis, or of signed values</source>
        <translation>幅值的直方图、对数轴上幅值的直方图，或带符号值的直方图</translation>
    </message>
    <message>
        <source>Magnitudes</source>
        <translation>幅值</translation>
    </message>
    <message>
        <source>Log magnitudes</source>
        <translation>对数幅值</translation>
    </message>
    <message>
        <source>Signed values</source>
        <translation>带符号的值</translation>
    </message>
    <message>
        <source>Log counts</source>
        <translation>对数计数</translation>
    </message>
    <message>
        <source>Logarithmic count axis</source>
        <translation>对数计数轴</translation>
    </message>
    <message>
        <source>Threshold</source>
        <translation>阈值</translation>
    </message>
    <message>
        <source>Weights of smaller magnitude are to be pruned. Enter a magnitude or use the arrow keys; in the chart, drag the line or press Shift and an arrow key.</source>
        <translation>幅值较小的权重将被剪枝。输入一个幅值或使用方向键；在图中可拖动线条，或按 Shift 和方向键。</translation>
    </message>
    <message>
        <source>number of weights</source>
        <translation>权重数量</translation>
    </message>
    <message>
        <source>Distribution of magnitudes</source>
        <translation>幅值的分布</translation>
    </message>
    <message>
        <source>Distribution of magnitudes, logarithmic</source>
        <translation>幅值的分布，对数</translation>
    </message>
    <message>
        <source>Distribution of values</source>
        <translation>值的分布</translation>
    </message>
    <message>
        <source>{low} to {high}:  {kept} kept, {pruned} pruned</source>
        <translation>{low} 到 {high}：  {kept} 个保留，{pruned} 个已剪枝</translation>
    </message>
    <message>
        <source>, {to_prune} to be pruned</source>
        <translation>，{to_prune} 个将剪枝</translation>
    </message>
    <message>
        <source>no weights</source>
        <translation>无权重</translation>
    </message>
    <message>
        <source>{n} weights, {share} pruned</source>
        <translation>{n} 个权重，{share} 已剪枝</translation>
    </message>
    <message>
        <source>, {share} to be pruned</source>
        <translation>，{share} 将剪枝</translation>
    </message>
    <message>
        <source>, {n} NaN or infinite</source>
        <translation>，{n} 个 NaN 或无穷</translation>
    </message>
    <message>
        <source>below {threshold}: {about}{n} weights, {share}</source>
        <translation>低于 {threshold}：{about}{n} 个权重，{share}</translation>
    </message>
    <message>
        <source>below {threshold}: {about}{n} weights, {share} of the remaining</source>
        <translation>低于 {threshold}：{about}{n} 个权重，剩余的 {share}</translation>
    </message>
    <message>
        <source>≈ </source>
        <translation>≈ </translation>
    </message>
    <message>
        <source>last bar: {n} weights from {limit} to {largest}</source>
        <translation>最后一条：{n} 个权重，从 {limit} 到 {largest}</translation>
    </message>
    <message>
        <source>first and last bar: {n} weights from ±{limit} to ±{largest}</source>
        <translation>第一条和最后一条：{n} 个权重，从 ±{limit} 到 ±{largest}</translation>
    </message>
    <message>
        <source>from</source>
        <translation>从</translation>
    </message>
    <message>
        <source>to</source>
        <translation>到</translation>
    </message>
    <message>
        <source>kept</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>pruned</source>
        <translation>已剪枝</translation>
    </message>
    <message>
        <source>to be pruned</source>
        <translation>将剪枝</translation>
    </message>
    <message>
        <source>kept after</source>
        <translation>之后保留</translation>
    </message>
    <message>
        <source>weight magnitude</source>
        <translation>权重幅值</translation>
    </message>
    <message>
        <source>weight magnitude (log scale)</source>
        <translation>权重幅值（对数刻度）</translation>
    </message>
    <message>
        <source>weight value</source>
        <translation>权重值</translation>
    </message>
    <message>
        <source>✕ Enter a magnitude of 0 or more (got &apos;{text}&apos;).</source>
        <translation>✕ 输入 0 或更大的幅值（得到“{text}”）。</translation>
    </message>
</context>
<context>
    <name>DocumentViews</name>
    <message>
        <source>Modules</source>
        <translation>模块</translation>
    </message>
    <message>
        <source>Prune</source>
        <translation>剪枝</translation>
    </message>
</context>
<context>
    <name>Done</name>
    <message>
        <source>Last action</source>
        <translation>上一个操作</translation>
    </message>
</context>
<context>
    <name>ElidedLabel</name>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
</context>
<context>
    <name>EmptyPage</name>
    <message>
        <source>Drop a checkpoint here</source>
        <translation>将检查点拖放到此处</translation>
    </message>
    <message>
        <source>.safetensors, .pt, .pth, .bin, .ckpt, or a model folder</source>
        <translation>.safetensors、.pt、.pth、.bin、.ckpt，或模型文件夹</translation>
    </message>
    <message>
        <source>Nothing is uploaded unless you name a URL as the target.
Files are read, never run.</source>
        <translation>除非您将 URL 指定为目标，否则不会上传任何内容。
文件只被读取，从不运行。</translation>
    </message>
    <message>
        <source>Open…</source>
        <translation>打开…</translation>
    </message>
    <message>
        <source>Open a file</source>
        <translation>打开文件</translation>
    </message>
    <message>
        <source>Open a model folder</source>
        <translation>打开模型文件夹</translation>
    </message>
    <message>
        <source>Missing: {folder}</source>
        <translation>缺失：{folder}</translation>
    </message>
    <message>
        <source>This file was not found.</source>
        <translation>未找到此文件。</translation>
    </message>
    <message>
        <source>Unpin {path}</source>
        <translation>取消固定 {path}</translation>
    </message>
    <message>
        <source>Pin {path}</source>
        <translation>固定 {path}</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>取消固定</translation>
    </message>
    <message>
        <source>Pin to the top of the recent files</source>
        <translation>固定到最近文件的顶部</translation>
    </message>
    <message>
        <source>Remove {path}</source>
        <translation>移除 {path}</translation>
    </message>
    <message>
        <source>Remove from the recent files</source>
        <translation>从最近文件中移除</translation>
    </message>
    <message>
        <source>Open folder…</source>
        <translation>打开文件夹…</translation>
    </message>
    <message>
        <source>Try the sample</source>
        <translation>试用示例</translation>
    </message>
    <message>
        <source>Open a small network included with Pruneapp</source>
        <translation>打开 Pruneapp 自带的小网络</translation>
    </message>
    <message>
        <source>Take the tour</source>
        <translation>开始导览</translation>
    </message>
    <message>
        <source>Learn the main steps with the sample</source>
        <translation>借助示例了解主要步骤</translation>
    </message>
    <message>
        <source>Welcome to Pruneapp</source>
        <translation>欢迎使用 Pruneapp</translation>
    </message>
    <message>
        <source>Drop a checkpoint here, or choose a file or the folder of a model.</source>
        <translation>将检查点拖放到此处，或选择文件或模型文件夹。</translation>
    </message>
    <message>
        <source>A small network that reads handwritten digits.</source>
        <translation>一个识别手写数字的小型网络。</translation>
    </message>
    <message>
        <source>The main steps in two minutes, with the sample. End it any time.</source>
        <translation>用示例在两分钟内了解主要步骤，可随时结束。</translation>
    </message>
    <message>
        <source>Recent files</source>
        <translation>最近的文件</translation>
    </message>
    <message>
        <source>Open {path}</source>
        <translation>打开 {path}</translation>
    </message>
</context>
<context>
    <name>EvaluateDialog</name>
    <message>
        <source>Evaluate</source>
        <translation>评估</translation>
    </message>
    <message>
        <source>Metrics of the model, measured in a separate process: first of the unpruned model, three times, which gives the noise; then of the current state. Further states are measured when you ask for them in the history.</source>
        <translation>模型的指标，在单独的进程中测量：首先测量未剪枝模型三次以得到噪声，然后测量当前状态。在历史中要求时再测量其他状态。</translation>
    </message>
    <message>
        <source>Ne&amp;w script…</source>
        <translation>新建脚本(&amp;W)…</translation>
    </message>
    <message>
        <source>Save a script to start from, made for this file</source>
        <translation>保存一个为此文件生成的初始脚本</translation>
    </message>
</context>
<context>
    <name>EvaluationController</name>
    <message>
        <source>All states have been evaluated already.</source>
        <translation>所有状态都已评估。</translation>
    </message>
    <message>
        <source>New evaluation script</source>
        <translation>新建评估脚本</translation>
    </message>
    <message>
        <source>Python files ({patterns})</source>
        <translation>Python 文件 ({patterns})</translation>
    </message>
    <message>
        <source>Saving the script</source>
        <translation>正在保存脚本</translation>
    </message>
    <message>
        <source>Evaluation:</source>
        <translation>评估：</translation>
    </message>
    <message>
        <source>Evaluation {n} of {count}:</source>
        <translation>评估 {n}/{count}：</translation>
    </message>
    <message>
        <source>Evaluation stopped.</source>
        <translation>评估已停止。</translation>
    </message>
    <message>
        <source>Evaluation stopped: {n} of {count} states were evaluated.</source>
        <translation>评估已停止：已评估 {count} 个状态中的 {n} 个。</translation>
    </message>
    <message>
        <source>Counting multiply-adds:</source>
        <translation>正在统计乘加运算：</translation>
    </message>
    <message>
        <source>Counting was stopped. Choose the axis again.</source>
        <translation>统计已停止。请重新选择该轴。</translation>
    </message>
    <message>
        <source>{method}, several rules</source>
        <translation>{method}，多条规则</translation>
    </message>
    <message>
        <source>Repair</source>
        <translation>修复</translation>
    </message>
    <message>
        <source>other</source>
        <translation>其他</translation>
    </message>
    <message>
        <source>Measured before this session was opened. Evaluate again ({keys}) to compare with new results.</source>
        <translation>在打开此会话之前测得。请再次评估 ({keys}) 以便与新结果比较。</translation>
    </message>
    <message>
        <source>Multiply-adds are counted by the script: evaluate a state again ({keys}), and they are.</source>
        <translation>乘加运算由脚本统计：评估任一状态 ({keys}) 即可得到。</translation>
    </message>
    <message>
        <source>Measured by another script, Python or options.</source>
        <translation>由其他脚本、Python 或选项测得。</translation>
    </message>
    <message>
        <source>Counting multiply-adds…</source>
        <translation>正在统计乘加运算…</translation>
    </message>
    <message>
        <source>being evaluated</source>
        <translation>正在评估</translation>
    </message>
    <message>
        <source>waiting to be evaluated</source>
        <translation>等待评估</translation>
    </message>
    <message>
        <source>not evaluated</source>
        <translation>未评估</translation>
    </message>
</context>
<context>
    <name>ExportController</name>
    <message>
        <source>Shrinking</source>
        <translation>正在缩减</translation>
    </message>
    <message>
        <source>Export of {name} cancelled: nothing was written.</source>
        <translation>已取消导出 {name}：未写入任何内容。</translation>
    </message>
    <message>
        <source>Exporting</source>
        <translation>正在导出</translation>
    </message>
    <message>
        <source>Exporting on the cluster</source>
        <translation>正在集群上导出</translation>
    </message>
    <message>
        <source>The export was already written when it was cancelled.</source>
        <translation>取消时导出已经写完。</translation>
    </message>
    <message>
        <source>Missing beside it: {names}.</source>
        <translation>旁边缺少：{names}。</translation>
    </message>
    <message>
        <source>No file manager was found to show &apos;{folder}&apos;. Open the folder manually.</source>
        <translation>找不到可显示“{folder}”的文件管理器。请手动打开该文件夹。</translation>
    </message>
</context>
<context>
    <name>ExportDialog</name>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>What is written</source>
        <translation>写入的内容</translation>
    </message>
    <message>
        <source>Full size</source>
        <translation>原尺寸</translation>
    </message>
    <message>
        <source>Tensors keep their shapes; what is pruned is 0.</source>
        <translation>张量保持形状；被剪枝处为 0。</translation>
    </message>
    <message>
        <source>Shrunk</source>
        <translation>缩减</translation>
    </message>
    <message>
        <source>Dead units are cut out: smaller tensors, and a config.json for them.</source>
        <translation>裁去失效单元：更小的张量，以及相应的 config.json。</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Purpose</source>
        <translation>用途</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>格式</translation>
    </message>
    <message>
        <source>State {title}</source>
        <translation>状态 {title}</translation>
    </message>
    <message>
        <source>  ·  {share} pruned</source>
        <translation>  ·  {share} 已剪枝</translation>
    </message>
    <message>
        <source>△ Nothing is pruned yet: the export is a copy.</source>
        <translation>△ 尚未剪枝：导出的是副本。</translation>
    </message>
    <message>
        <source>The step in the preview is not applied yet: press “{button}” first.</source>
        <translation>预览中的步骤尚未应用：请先按“{button}”。</translation>
    </message>
    <message>
        <source>{action}, {size}</source>
        <translation>{action}，{size}</translation>
    </message>
    <message>
        <source>Replace original</source>
        <translation>替换原文件</translation>
    </message>
    <message>
        <source>Replace {n} files</source>
        <translation>替换 {n} 个文件</translation>
    </message>
    <message>
        <source>Replace file</source>
        <translation>替换文件</translation>
    </message>
    <message>
        <source>{action} {size}</source>
        <translation>{action} {size}</translation>
    </message>
</context>
<context>
    <name>ExportMenu</name>
    <message>
        <source>Copy picture</source>
        <translation>复制图片</translation>
    </message>
    <message>
        <source>Save PNG…</source>
        <translation>保存 PNG…</translation>
    </message>
    <message>
        <source>Save SVG…</source>
        <translation>保存 SVG…</translation>
    </message>
    <message>
        <source>Save CSV…</source>
        <translation>保存 CSV…</translation>
    </message>
    <message>
        <source>Save picture</source>
        <translation>保存图片</translation>
    </message>
    <message>
        <source>PNG picture (*.png)</source>
        <translation>PNG 图片 (*.png)</translation>
    </message>
    <message>
        <source>SVG drawing (*.svg)</source>
        <translation>SVG 图形 (*.svg)</translation>
    </message>
    <message>
        <source>Save data</source>
        <translation>保存数据</translation>
    </message>
    <message>
        <source>Comma-separated values (*.csv)</source>
        <translation>逗号分隔值 (*.csv)</translation>
    </message>
</context>
<context>
    <name>ExportPlace</name>
    <message>
        <source>Replaces the open model; a backup is kept as {names}.</source>
        <translation>替换打开的模型；备份保存为 {names}。</translation>
    </message>
    <message>
        <source>{name} already exists and will be replaced.</source>
        <translation>{name} 已存在，将被替换。</translation>
    </message>
    <message>
        <source>{n} files already exist and will be replaced: {names}.</source>
        <translation>{n} 个文件已存在，将被替换：{names}。</translation>
    </message>
    <message>
        <source>{names} and {n} more</source>
        <translation>{names} 以及另外 {n} 个</translation>
    </message>
    <message>
        <source>Enter a folder.</source>
        <translation>请输入文件夹。</translation>
    </message>
    <message>
        <source>Enter a file name.</source>
        <translation>请输入文件名。</translation>
    </message>
    <message>
        <source>A name cannot contain a null character.</source>
        <translation>名称不能包含空字符。</translation>
    </message>
    <message>
        <source>There is no user {name}: enter the full path.</source>
        <translation>没有用户 {name}：请输入完整路径。</translation>
    </message>
    <message>
        <source>An export to {name} is under way: wait until it is done, or enter another name.</source>
        <translation>正在导出到 {name}：请等待其完成，或输入其他名称。</translation>
    </message>
    <message>
        <source>This is a folder: add a file name.</source>
        <translation>这是文件夹：请加上文件名。</translation>
    </message>
    <message>
        <source>{file} is a file, not a folder.</source>
        <translation>{file} 是文件，不是文件夹。</translation>
    </message>
    <message>
        <source>The folder {folder} does not exist.</source>
        <translation>文件夹 {folder} 不存在。</translation>
    </message>
    <message>
        <source>This is a file: shards of a maximum size need a folder.</source>
        <translation>这是文件：限定大小的分片需要文件夹。</translation>
    </message>
    <message>
        <source>This folder contains the open model: choose another.</source>
        <translation>此文件夹包含打开的模型：请另选一个。</translation>
    </message>
    <message>
        <source>The export is a folder: remove {suffix}.</source>
        <translation>导出的是文件夹：请去掉 {suffix}。</translation>
    </message>
</context>
<context>
    <name>ExportReportDialog</name>
    <message>
        <source>Exported</source>
        <translation>已导出</translation>
    </message>
    <message>
        <source>Undo goes on from the original that was kept.</source>
        <translation>撤销将基于保留的原文件继续。</translation>
    </message>
    <message>
        <source>This is not the original model: units that were not dead were cut, and checks compare it with the original in which these are zero.</source>
        <translation>这不是原模型：裁去了并未失效的单元，检查时将其与这些单元为零的原模型比较。</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>Pruned</source>
        <translation>已剪枝</translation>
    </message>
    <message>
        <source>Total</source>
        <translation>总计</translation>
    </message>
    <message>
        <source>Sparsity</source>
        <translation>稀疏度</translation>
    </message>
    <message>
        <source>Sparsity of the tensors</source>
        <translation>各张量的稀疏度</translation>
    </message>
    <message>
        <source>How to load</source>
        <translation>如何加载</translation>
    </message>
    <message>
        <source>Show in folder</source>
        <translation>在文件夹中显示</translation>
    </message>
    <message>
        <source>Open the folder that contains the file.</source>
        <translation>打开包含该文件的文件夹。</translation>
    </message>
    <message>
        <source>Copy the whole report.</source>
        <translation>复制整个报告。</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Exported file</source>
        <translation>导出的文件</translation>
    </message>
    <message>
        <source>File, size, checksum and notes.</source>
        <translation>文件、大小、校验和与说明。</translation>
    </message>
    <message>
        <source>Pruning steps</source>
        <translation>剪枝步骤</translation>
    </message>
    <message>
        <source>{size} in 1 file</source>
        <translation>1 个文件，{size}</translation>
    </message>
    <message>
        <source>{size} in {n} files</source>
        <translation>{n} 个文件，{size}</translation>
    </message>
    <message>
        <source> + {size} in 1 other</source>
        <translation> + 另外 1 个，{size}</translation>
    </message>
    <message>
        <source> + {size} in {n} others</source>
        <translation> + 另外 {n} 个，{size}</translation>
    </message>
    <message>
        <source>one per file, included in the copied text</source>
        <translation>每个文件一个，包含在复制的文本中</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>格式</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Checksum</source>
        <translation>校验和</translation>
    </message>
    <message>
        <source>Verified</source>
        <translation>已验证</translation>
    </message>
    <message>
        <source>✓ read back and compared</source>
        <translation>✓ 已回读并比较</translation>
    </message>
    <message>
        <source>✕ not compared</source>
        <translation>✕ 未比较</translation>
    </message>
    <message>
        <source>Cut out</source>
        <translation>已裁去</translation>
    </message>
    <message>
        <source>Effect</source>
        <translation>影响</translation>
    </message>
    <message>
        <source>{n} weights</source>
        <translation>{n} 个权重</translation>
    </message>
    <message>
        <source>Backup of original</source>
        <translation>原文件备份</translation>
    </message>
</context>
<context>
    <name>ExportSizes</name>
    <message>
        <source>calculating…</source>
        <translation>正在计算…</translation>
    </message>
    <message>
        <source>Max shard size {size}; calculating…</source>
        <translation>分片大小上限 {size}；正在计算…</translation>
    </message>
    <message>
        <source>One file: everything fits into {size}.</source>
        <translation>一个文件：{size} 足以容纳全部。</translation>
    </message>
    <message>
        <source>{n} files, up to {size} each.</source>
        <translation>{n} 个文件，每个不超过 {size}。</translation>
    </message>
    <message>
        <source>Computing the rounding error of {type}…</source>
        <translation>正在计算 {type} 的舍入误差…</translation>
    </message>
    <message>
        <source>✕ The rounding error of {type} is not known. {why}</source>
        <translation>✕ {type} 的舍入误差未知。{why}</translation>
    </message>
    <message>
        <source>Largest rounding error {error} ({name}).</source>
        <translation>最大舍入误差 {error}（{name}）。</translation>
    </message>
    <message>
        <source>Values rounded to 0: {n}.</source>
        <translation>舍入为 0 的值：{n}。</translation>
    </message>
    <message>
        <source>All values are exact.</source>
        <translation>所有值都精确。</translation>
    </message>
    <message>
        <source>▲ {n} values in {tensors} tensors, most of them in {name}, exceed the range of {type} and become infinite.</source>
        <translation>▲ {tensors} 个张量中的 {n} 个值（多数在 {name} 中）超出 {type} 的范围，变为无穷。</translation>
    </message>
    <message>
        <source>▲ 1 value in {name} exceeds the range of {type} and becomes infinite.</source>
        <translation>▲ {name} 中有 1 个值超出 {type} 的范围，变为无穷。</translation>
    </message>
    <message>
        <source>▲ {n} values in {name} exceed the range of {type} and become infinite.</source>
        <translation>▲ {name} 中有 {n} 个值超出 {type} 的范围，变为无穷。</translation>
    </message>
    <message>
        <source>About {size} (within 2 %)</source>
        <translation>约 {size}（误差 2 % 以内）</translation>
    </message>
    <message>
        <source>since {version}</source>
        <translation>自 {version} 起</translation>
    </message>
    <message>
        <source>{format}, {type}</source>
        <translation>{format}，{type}</translation>
    </message>
</context>
<context>
    <name>Field</name>
    <message>
        <source>Set by the target total sparsity.</source>
        <translation>由目标总稀疏度决定。</translation>
    </message>
    <message>
        <source>Allowed: {low} to {high}.</source>
        <translation>允许：{low} 到 {high}。</translation>
    </message>
</context>
<context>
    <name>Figures</name>
    <message>
        <source>Whole model</source>
        <translation>整个模型</translation>
    </message>
    <message>
        <source>Tensors</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>Weights pruned</source>
        <translation>被剪枝的权重</translation>
    </message>
    <message>
        <source>Sparsity (whole model)</source>
        <translation>稀疏度（整个模型）</translation>
    </message>
    <message>
        <source>Parameters remaining</source>
        <translation>剩余参数</translation>
    </message>
    <message>
        <source>Dense file</source>
        <translation>稠密文件</translation>
    </message>
    <message>
        <source>Zeros take as much space as other values. A dense file gets smaller only if it is compressed or if whole channels are removed.</source>
        <translation>零与其他值占用同样的空间。只有压缩或移除整个通道，稠密文件才会变小。</translation>
    </message>
    <message>
        <source>Compact file (uncompressed)</source>
        <translation>紧凑文件（未压缩）</translation>
    </message>
    <message>
        <source>Upper bound without compression and rounding: remaining weights, one mask bit per weight, and metadata. The file is also compressed; the export dialog estimates its size.</source>
        <translation>未压缩、未舍入时的上限：剩余权重、每个权重一个掩码位，以及元数据。文件还会被压缩；导出对话框会估计其大小。</translation>
    </message>
</context>
<context>
    <name>FileSizes</name>
    <message>
        <source>up to {size}</source>
        <translation>不超过 {size}</translation>
    </message>
</context>
<context>
    <name>FlagEditor</name>
    <message>
        <source>yes</source>
        <translation>是</translation>
    </message>
</context>
<context>
    <name>FolderRow</name>
    <message>
        <source>Destination folder</source>
        <translation>目标文件夹</translation>
    </message>
    <message>
        <source>A folder that is not there yet.</source>
        <translation>尚不存在的文件夹。</translation>
    </message>
    <message>
        <source>Browse…</source>
        <translation>浏览…</translation>
    </message>
    <message>
        <source>Choose the destination of the export.</source>
        <translation>选择导出的目标位置。</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>This is a file: name a new folder.</source>
        <translation>这是文件：请指定一个新文件夹。</translation>
    </message>
    <message>
        <source>This is there already: name a new folder.</source>
        <translation>已存在：请指定一个新文件夹。</translation>
    </message>
    <message>
        <source>Export to</source>
        <translation>导出到</translation>
    </message>
</context>
<context>
    <name>FormController</name>
    <message>
        <source>Load masks</source>
        <translation>加载掩码</translation>
    </message>
    <message>
        <source>Load importance scores</source>
        <translation>加载重要性分数</translation>
    </message>
    <message>
        <source>Load statistics of activations</source>
        <translation>加载激活统计</translation>
    </message>
</context>
<context>
    <name>FormatDetails</name>
    <message>
        <source>Selected format</source>
        <translation>所选格式</translation>
    </message>
    <message>
        <source>Description, notes, compatibility and settings.</source>
        <translation>说明、注意事项、兼容性和设置。</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>注意事项</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Compatible with</source>
        <translation>兼容</translation>
    </message>
</context>
<context>
    <name>GuideDialog</name>
    <message>
        <source>Guide</source>
        <translation>指南</translation>
    </message>
    <message>
        <source>Search  (Ctrl+F)</source>
        <translation>搜索  (Ctrl+F)</translation>
    </message>
    <message>
        <source>Search in the guide</source>
        <translation>在指南中搜索</translation>
    </message>
    <message>
        <source>Previous match (Shift+F3)</source>
        <translation>上一个匹配 (Shift+F3)</translation>
    </message>
    <message>
        <source>Next match (F3)</source>
        <translation>下一个匹配 (F3)</translation>
    </message>
    <message>
        <source>Contents</source>
        <translation>目录</translation>
    </message>
    <message>
        <source>{place} of {all}</source>
        <translation>{place}/{all}</translation>
    </message>
    <message>
        <source>No match</source>
        <translation>没有匹配</translation>
    </message>
</context>
<context>
    <name>HistoryController</name>
    <message>
        <source>Redoing</source>
        <translation>正在重做</translation>
    </message>
    <message>
        <source>Undoing</source>
        <translation>正在撤销</translation>
    </message>
    <message>
        <source>Switching branches</source>
        <translation>正在切换分支</translation>
    </message>
</context>
<context>
    <name>HistoryStates</name>
    <message>
        <source>Undone. Click to redo up to this step.</source>
        <translation>已撤销。点击可重做到此步骤。</translation>
    </message>
    <message>
        <source>On another branch. Click to go to this state.</source>
        <translation>在另一个分支上。点击转到此状态。</translation>
    </message>
    <message>
        <source> (click the dot to evaluate it)</source>
        <translation> （点击圆点以评估）</translation>
    </message>
    <message>
        <source>{label}, current</source>
        <translation>{label}，当前</translation>
    </message>
    <message>
        <source>{label}, undone</source>
        <translation>{label}，已撤销</translation>
    </message>
    <message>
        <source>{label}, on another branch</source>
        <translation>{label}，在另一个分支上</translation>
    </message>
    <message>
        <source>and {n} more lines</source>
        <translation>以及另外 {n} 行</translation>
    </message>
    <message>
        <source>and {n} more</source>
        <translation>以及另外 {n} 个</translation>
    </message>
</context>
<context>
    <name>HistoryStrip</name>
    <message>
        <source>History</source>
        <translation>历史</translation>
    </message>
    <message>
        <source>All states, from first to last; branches below each other. Press Return to go to a state, F2 to rename it, Delete to delete it with those that follow it.</source>
        <translation>所有状态，从第一个到最后一个；分支依次列在下方。按 Return 转到一个状态，按 F2 重命名，按 Delete 删除它及其后的状态。</translation>
    </message>
    <message>
        <source>Go to this state	Return</source>
        <translation>转到此状态	Return</translation>
    </message>
    <message>
        <source>Rename…	F2</source>
        <translation>重命名…	F2</translation>
    </message>
    <message>
        <source>The current state is this one, or follows it</source>
        <translation>当前状态是此状态，或在其后</translation>
    </message>
    <message>
        <source>Delete this state and all that follow it</source>
        <translation>删除此状态及其后的所有状态</translation>
    </message>
    <message>
        <source>Delete branch…	Del</source>
        <translation>删除分支…	Del</translation>
    </message>
</context>
<context>
    <name>JobStatus</name>
    <message>
        <source>Progress of the job</source>
        <translation>任务进度</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Cancel the job; nothing is changed (Esc)</source>
        <translation>取消任务；不会更改任何内容 (Esc)</translation>
    </message>
    <message>
        <source>Cancelling…</source>
        <translation>正在取消…</translation>
    </message>
    <message>
        <source>Cancelling: finishing the current write…</source>
        <translation>正在取消：正在完成当前写入…</translation>
    </message>
    <message>
        <source>{job}: {item}</source>
        <translation>{job}：{item}</translation>
    </message>
    <message>
        <source>{time} left</source>
        <translation>剩余 {time}</translation>
    </message>
    <message>
        <source>This may take a while.</source>
        <translation>这可能需要一些时间。</translation>
    </message>
</context>
<context>
    <name>KeyField</name>
    <message>
        <source>Press the keys of a shortcut together</source>
        <translation>同时按下快捷键的各个按键</translation>
    </message>
</context>
<context>
    <name>KeySheet</name>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>键盘快捷键</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>Shortcut</source>
        <translation>快捷键</translation>
    </message>
    <message>
        <source>Commands and shortcuts</source>
        <translation>命令和快捷键</translation>
    </message>
    <message>
        <source>Change…</source>
        <translation>更改…</translation>
    </message>
    <message>
        <source>Choose other shortcuts for commands</source>
        <translation>为命令选择其他快捷键</translation>
    </message>
</context>
<context>
    <name>LayerStrip</name>
    <message>
        <source>Layers</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Layer {n} does nothing and is cut: computes the same</source>
        <translation>第 {n} 层不起作用，将被裁去：计算结果相同</translation>
    </message>
    <message>
        <source>Layer {n} is unlike the others and stays</source>
        <translation>第 {n} 层与其他层不同，保留</translation>
    </message>
    <message>
        <source>Layer {n} is cut: changes what the model computes</source>
        <translation>第 {n} 层被裁去：改变模型的计算结果</translation>
    </message>
    <message>
        <source>Layer {n} stays</source>
        <translation>第 {n} 层保留</translation>
    </message>
    <message>
        <source>Arrows move, Space cuts or keeps a layer.</source>
        <translation>方向键移动，空格键裁去或保留一层。</translation>
    </message>
</context>
<context>
    <name>Layout</name>
    <message>
        <source>A vector of {n} in lines of {width}, read like text.</source>
        <translation>{n} 个元素的向量，每行 {width} 个，按文本顺序阅读。</translation>
    </message>
    <message>
        <source>Each {height}×{width} block is one {what}</source>
        <translation>每个 {height}×{width} 块为一个{what}</translation>
    </message>
</context>
<context>
    <name>Legend</name>
    <message>
        <source>Legend: {words}</source>
        <translation>图例：{words}</translation>
    </message>
</context>
<context>
    <name>LimitsSection</name>
    <message>
        <source>Limit the sparsity per tensor and in total, and exclude layers</source>
        <translation>限制每个张量和总体的稀疏度，并排除层</translation>
    </message>
    <message>
        <source>Sparsity limits after this step: per tensor and in total.</source>
        <translation>此步骤之后的稀疏度限制：每个张量和总体。</translation>
    </message>
    <message>
        <source>From target file size…</source>
        <translation>按目标文件大小…</translation>
    </message>
    <message>
        <source>Compute the total sparsity at which a compact file fits a size</source>
        <translation>计算使紧凑文件符合某一大小的总稀疏度</translation>
    </message>
    <message>
        <source>Limits…</source>
        <translation>限制…</translation>
    </message>
    <message>
        <source>Limits ({n})</source>
        <translation>限制（{n}）</translation>
    </message>
</context>
<context>
    <name>LoadedMasks</name>
    <message>
        <source>Reading masks</source>
        <translation>正在读取掩码</translation>
    </message>
    <message>
        <source>Opening scores</source>
        <translation>正在打开分数</translation>
    </message>
    <message>
        <source>Opening statistics</source>
        <translation>正在打开统计</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>Main</source>
        <translation>主工具栏</translation>
    </message>
    <message>
        <source>Run on</source>
        <translation>运行于</translation>
    </message>
    <message>
        <source>What computes masks; or a cluster that exports run on. The result is the same everywhere.</source>
        <translation>用什么计算掩码；或运行导出的集群。结果处处相同。</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>自动</translation>
    </message>
</context>
<context>
    <name>ManualEditController</name>
    <message>
        <source>Finding channels</source>
        <translation>正在查找通道</translation>
    </message>
    <message>
        <source>Applying manual edit</source>
        <translation>正在应用手动编辑</translation>
    </message>
    <message>
        <source>{done}; {n} protected weights unchanged</source>
        <translation>{done}；{n} 个受保护的权重不变</translation>
    </message>
    <message>
        <source>{done}; {n} weights made permanent earlier are still 0</source>
        <translation>{done}；{n} 个此前已永久化的权重仍为 0</translation>
    </message>
    <message>
        <source>Prune {what} in {n} tensors</source>
        <translation>在 {n} 个张量中剪枝{what}</translation>
    </message>
    <message>
        <source>Restore {what} in {n} tensors</source>
        <translation>在 {n} 个张量中恢复{what}</translation>
    </message>
    <message>
        <source>Protect {what} in {n} tensors</source>
        <translation>在 {n} 个张量中保护{what}</translation>
    </message>
    <message>
        <source>Unprotect {what} in {n} tensors</source>
        <translation>在 {n} 个张量中取消保护{what}</translation>
    </message>
    <message>
        <source>{n} weights</source>
        <translation>{n} 个权重</translation>
    </message>
    <message>
        <source>{units} of {place}</source>
        <translation>{place} 的{units}</translation>
    </message>
</context>
<context>
    <name>ManualEditOptions</name>
    <message>
        <source>Manual edit</source>
        <translation>手动编辑</translation>
    </message>
    <message>
        <source>Include bias and norm</source>
        <translation>包括偏置和归一化</translation>
    </message>
    <message>
        <source>Bias and norm</source>
        <translation>偏置和归一化</translation>
    </message>
    <message>
        <source>Apply to the same layer in all {n} blocks</source>
        <translation>应用到所有 {n} 个块中的同一层</translation>
    </message>
    <message>
        <source>Same layer in all {n} blocks</source>
        <translation>所有 {n} 个块中的同一层</translation>
    </message>
    <message>
        <source>Manual edits apply to {pattern}; the tensors are listed before anything changes</source>
        <translation>手动编辑应用于 {pattern}；更改之前会先列出张量</translation>
    </message>
    <message>
        <source>Include the group ({n} tensors)</source>
        <translation>包括该组（{n} 个张量）</translation>
    </message>
    <message>
        <source>Group ({n} tensors)</source>
        <translation>组（{n} 个张量）</translation>
    </message>
    <message>
        <source>{names} and {n} more</source>
        <translation>{names} 以及另外 {n} 个</translation>
    </message>
    <message>
        <source>{units}: manual edits apply to {names}, too</source>
        <translation>{units}：手动编辑同时应用于 {names}</translation>
    </message>
</context>
<context>
    <name>MaskDragController</name>
    <message>
        <source>Drop here to prune what is pruned in {tensors} of {file}.</source>
        <translation>拖放到此处，以剪去 {file} 的 {tensors}中已剪枝的权重。</translation>
    </message>
    <message>
        <source>Reading masks</source>
        <translation>正在读取掩码</translation>
    </message>
    <message>
        <source>Masks of {tensors} were taken from {file}. Left out, because they do not fit this file: {others}.</source>
        <translation>已从 {file} 取得 {tensors}的掩码。因与此文件不匹配而略去：{others}。</translation>
    </message>
    <message>
        <source>Masks of {tensors} were taken from {file}. Prune applies them.</source>
        <translation>已从 {file} 取得 {tensors}的掩码。点击“剪枝”即可应用。</translation>
    </message>
    <message>
        <source>1 tensor</source>
        <translation>1 个张量</translation>
    </message>
    <message>
        <source>{n} tensors</source>
        <translation>{n} 个张量</translation>
    </message>
</context>
<context>
    <name>MenuButton</name>
    <message>
        <source>Copy or save this picture and its data</source>
        <translation>复制或保存此图片及其数据</translation>
    </message>
    <message>
        <source>Copy or save</source>
        <translation>复制或保存</translation>
    </message>
</context>
<context>
    <name>ModeRow</name>
    <message>
        <source>Show</source>
        <translation>显示</translation>
    </message>
    <message>
        <source>What the picture shows</source>
        <translation>图片显示的内容</translation>
    </message>
    <message>
        <source>Magnitude</source>
        <translation>幅值</translation>
    </message>
    <message>
        <source>Magnitudes with the mask over them</source>
        <translation>幅值及其上的掩码</translation>
    </message>
    <message>
        <source>Signed</source>
        <translation>带符号</translation>
    </message>
    <message>
        <source>Signed weights</source>
        <translation>带符号的权重</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Weights as exported: pruned weights are 0</source>
        <translation>导出时的权重：被剪枝的权重为 0</translation>
    </message>
    <message>
        <source>Mask</source>
        <translation>掩码</translation>
    </message>
    <message>
        <source>Kept and pruned weights only</source>
        <translation>仅显示保留与被剪枝的权重</translation>
    </message>
    <message>
        <source>Mask opacity</source>
        <translation>掩码不透明度</translation>
    </message>
    <message>
        <source>Axes</source>
        <translation>轴</translation>
    </message>
    <message>
        <source>choose the dimensions shown as rows and columns</source>
        <translation>选择作为行和列显示的维度</translation>
    </message>
    <message>
        <source>Mask opacity: {share} (M: show or hide)</source>
        <translation>掩码不透明度：{share}（M：显示或隐藏）</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>差异</translation>
    </message>
    <message>
        <source>Difference: {label}</source>
        <translation>差异：{label}</translation>
    </message>
</context>
<context>
    <name>ModelStatus</name>
    <message>
        <source>1 layer</source>
        <translation>1 层</translation>
    </message>
    <message>
        <source>{n} layers</source>
        <translation>{n} 层</translation>
    </message>
    <message>
        <source>mixed: {dtypes}</source>
        <translation>混合：{dtypes}</translation>
    </message>
    <message>
        <source>{names} and {n} more</source>
        <translation>{names} 以及另外 {n} 个</translation>
    </message>
    <message>
        <source>An export as a folder copies: {names}</source>
        <translation>导出为文件夹时会复制：{names}</translation>
    </message>
    <message>
        <source>No parameters</source>
        <translation>没有参数</translation>
    </message>
    <message>
        <source>{n} parameters   ·   {share} pruned</source>
        <translation>{n} 个参数   ·   {share} 已剪枝</translation>
    </message>
    <message>
        <source>{n} parameters, {buffers} in buffers   ·   {share} pruned</source>
        <translation>{n} 个参数，缓冲区 {buffers} 个   ·   {share} 已剪枝</translation>
    </message>
    <message>
        <source>{pruned} of {n} parameters pruned.</source>
        <translation>{n} 个参数中 {pruned} 个已剪枝。</translation>
    </message>
    <message>
        <source>Besides, {n} elements in buffers: running statistics, counters, positions, masks.</source>
        <translation>此外，缓冲区中有 {n} 个元素：移动统计量、计数器、位置、掩码。</translation>
    </message>
</context>
<context>
    <name>ModelView</name>
    <message>
        <source>In file order</source>
        <translation>按文件顺序</translation>
    </message>
    <message>
        <source>Most pruned first</source>
        <translation>剪枝最多的在前</translation>
    </message>
    <message>
        <source>Largest first</source>
        <translation>最大的在前</translation>
    </message>
    <message>
        <source>Least norm² retained first</source>
        <translation>范数² 保留最少的在前</translation>
    </message>
    <message>
        <source>By role</source>
        <translation>按角色</translation>
    </message>
    <message>
        <source>Pruned</source>
        <translation>已剪枝</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Norm² retained (whole model)</source>
        <translation>保留的范数²（整个模型）</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>显示</translation>
    </message>
    <message>
        <source>Height of the bars</source>
        <translation>条的高度</translation>
    </message>
    <message>
        <source>Counting…</source>
        <translation>正在计数…</translation>
    </message>
    <message>
        <source>Open a checkpoint to see the sparsity of its tensors.</source>
        <translation>打开检查点以查看其张量的稀疏度。</translation>
    </message>
    <message>
        <source>Sparsity of the tensors</source>
        <translation>各张量的稀疏度</translation>
    </message>
    <message>
        <source>Sizes of the tensors</source>
        <translation>张量的大小</translation>
    </message>
    <message>
        <source>Norm² retained per tensor</source>
        <translation>每个张量保留的范数²</translation>
    </message>
    <message>
        <source>tensors</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>1 tensor; model {share} pruned</source>
        <translation>1 个张量；模型 {share} 已剪枝</translation>
    </message>
    <message>
        <source>{n} tensors; model {share} pruned</source>
        <translation>{n} 个张量；模型 {share} 已剪枝</translation>
    </message>
    <message>
        <source>, {then} after the step</source>
        <translation>，此步骤后 {then}</translation>
    </message>
    <message>
        <source>;  norm²: calculating…</source>
        <translation>；  范数²：正在计算…</translation>
    </message>
    <message>
        <source>;  norm² retained {share}</source>
        <translation>；  范数² 保留 {share}</translation>
    </message>
    <message>
        <source>;  shown are those usually pruned, or with pruned weights</source>
        <translation>；  显示通常剪枝的或含被剪枝权重的张量</translation>
    </message>
    <message>
        <source>tensor</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>bytes</source>
        <translation>字节</translation>
    </message>
    <message>
        <source>pruned</source>
        <translation>已剪枝</translation>
    </message>
    <message>
        <source>pruned after</source>
        <translation>之后已剪枝</translation>
    </message>
    <message>
        <source>sparsity</source>
        <translation>稀疏度</translation>
    </message>
    <message>
        <source>sparsity after</source>
        <translation>之后的稀疏度</translation>
    </message>
    <message>
        <source>norm² retained</source>
        <translation>保留的范数²</translation>
    </message>
    <message>
        <source>norm² retained after</source>
        <translation>之后保留的范数²</translation>
    </message>
    <message>
        <source>pruned, %</source>
        <translation>已剪枝，%</translation>
    </message>
    <message>
        <source>size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>norm² retained, %</source>
        <translation>保留的范数²，%</translation>
    </message>
    <message>
        <source>{name}:  {now} → {then} pruned</source>
        <translation>{name}：  {now} → {then} 已剪枝</translation>
    </message>
    <message>
        <source>, norm² retained {norm} (this step)</source>
        <translation>，范数² 保留 {norm}（此步骤）</translation>
    </message>
    <message>
        <source>{name}:  {now} pruned, {some} of {all}</source>
        <translation>{name}：  {now} 已剪枝，{all} 中的 {some}</translation>
    </message>
    <message>
        <source>, norm² retained {norm} since opening</source>
        <translation>，自打开以来范数² 保留 {norm}</translation>
    </message>
    <message>
        <source>{n} tensors, {size}</source>
        <translation>{n} 个张量，{size}</translation>
    </message>
    <message>
        <source>{name}:  {size}, {why}</source>
        <translation>{name}：  {size}，{why}</translation>
    </message>
    <message>
        <source>not pruned</source>
        <translation>未剪枝</translation>
    </message>
</context>
<context>
    <name>ModuleTree</name>
    <message>
        <source>Chosen by rules; {n} checked, not used</source>
        <translation>由规则选择；{n} 个已勾选，未使用</translation>
    </message>
    <message>
        <source>1 tensor</source>
        <translation>1 个张量</translation>
    </message>
    <message>
        <source>{n} tensors</source>
        <translation>{n} 个张量</translation>
    </message>
    <message>
        <source>, {weights} weights checked</source>
        <translation>，已勾选 {weights} 个权重</translation>
    </message>
    <message>
        <source> checked</source>
        <translation> 已勾选</translation>
    </message>
    <message>
        <source>; rules choose others</source>
        <translation>；规则选择了其他张量</translation>
    </message>
    <message>
        <source> · {n} not shown</source>
        <translation> · {n} 个未显示</translation>
    </message>
    <message>
        <source>Check all of this type ({n})</source>
        <translation>勾选所有此类型（{n}）</translation>
    </message>
    <message>
        <source>Uncheck the same role in all blocks ({n})</source>
        <translation>取消勾选所有块中的同一角色（{n}）</translation>
    </message>
    <message>
        <source>Check the same role in all blocks ({n})</source>
        <translation>勾选所有块中的同一角色（{n}）</translation>
    </message>
    <message>
        <source>Check all below</source>
        <translation>勾选以下全部</translation>
    </message>
    <message>
        <source>Check only this</source>
        <translation>仅勾选此项</translation>
    </message>
    <message>
        <source>Check the {n} selected rows</source>
        <translation>勾选 {n} 个选中的行</translation>
    </message>
    <message>
        <source>Uncheck the {n} selected rows</source>
        <translation>取消勾选 {n} 个选中的行</translation>
    </message>
    <message>
        <source>Copy rows</source>
        <translation>复制行</translation>
    </message>
    <message>
        <source>Uncheck all</source>
        <translation>全部取消勾选</translation>
    </message>
    <message>
        <source>Copy name</source>
        <translation>复制名称</translation>
    </message>
</context>
<context>
    <name>NormEditor</name>
    <message>
        <source>L1, sum of magnitudes</source>
        <translation>L1，幅值之和</translation>
    </message>
    <message>
        <source>L2, Euclidean</source>
        <translation>L2，欧几里得</translation>
    </message>
    <message>
        <source>maximum magnitude</source>
        <translation>最大幅值</translation>
    </message>
    <message>
        <source>minimum magnitude</source>
        <translation>最小幅值</translation>
    </message>
    <message>
        <source>Frobenius, same as 2</source>
        <translation>Frobenius，同 2</translation>
    </message>
    <message>
        <source>nuclear, sum of singular values</source>
        <translation>核范数，奇异值之和</translation>
    </message>
</context>
<context>
    <name>NoticeBar</name>
    <message>
        <source>{n} older</source>
        <translation>更早的 {n} 条</translation>
    </message>
    <message>
        <source>1 older notice</source>
        <translation>1 条更早的通知</translation>
    </message>
    <message>
        <source>{n} older notices</source>
        <translation>{n} 条更早的通知</translation>
    </message>
</context>
<context>
    <name>NoticeRow</name>
    <message>
        <source>Error</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>注意</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>详细信息</translation>
    </message>
    <message>
        <source>Close this notice</source>
        <translation>关闭此通知</translation>
    </message>
    <message>
        <source>Copy details</source>
        <translation>复制详细信息</translation>
    </message>
</context>
<context>
    <name>Notifications</name>
    <message>
        <source>Something went wrong in Pruneapp itself ({what}).</source>
        <translation>Pruneapp 自身出现了问题（{what}）。</translation>
    </message>
</context>
<context>
    <name>Numbers</name>
    <message>
        <source>{what} (%)</source>
        <translation>{what}（%）</translation>
    </message>
    <message>
        <source>one number</source>
        <translation>一个数</translation>
    </message>
    <message>
        <source>{n} bytes</source>
        <translation>{n} 字节</translation>
    </message>
    <message>
        <source>{n} s</source>
        <translation>{n} 秒</translation>
    </message>
    <message>
        <source>{n} min</source>
        <translation>{n} 分钟</translation>
    </message>
    <message>
        <source>{n} h</source>
        <translation>{n} 小时</translation>
    </message>
</context>
<context>
    <name>NumbersLine</name>
    <message>
        <source>Statistics of the tensor</source>
        <translation>张量的统计</translation>
    </message>
    <message>
        <source>After repair:</source>
        <translation>修复后：</translation>
    </message>
    <message>
        <source>In the file:</source>
        <translation>文件中：</translation>
    </message>
    <message>
        <source>std</source>
        <translation>标准差</translation>
    </message>
    <message>
        <source>mean</source>
        <translation>均值</translation>
    </message>
    <message>
        <source>zeros</source>
        <translation>零</translation>
    </message>
    <message>
        <source>max</source>
        <translation>最大</translation>
    </message>
    <message>
        <source>min</source>
        <translation>最小</translation>
    </message>
    <message>
        <source>infinite</source>
        <translation>无穷</translation>
    </message>
</context>
<context>
    <name>NumbersView</name>
    <message>
        <source>Data of the picture</source>
        <translation>图片的数据</translation>
    </message>
</context>
<context>
    <name>OpenController</name>
    <message>
        <source>Open a checkpoint or a session</source>
        <translation>打开检查点或会话</translation>
    </message>
    <message>
        <source>Checkpoints and sessions ({patterns});;All files (*)</source>
        <translation>检查点和会话 ({patterns});;所有文件 (*)</translation>
    </message>
    <message>
        <source>Open a model folder</source>
        <translation>打开模型文件夹</translation>
    </message>
    <message>
        <source>This file holds {n} state dicts; &apos;{key}&apos; is shown.</source>
        <translation>此文件包含 {n} 个状态字典；显示的是“{key}”。</translation>
    </message>
    <message>
        <source>Choose another…</source>
        <translation>选择其他…</translation>
    </message>
</context>
<context>
    <name>OpenDocument</name>
    <message>
        <source>Opening</source>
        <translation>正在打开</translation>
    </message>
</context>
<context>
    <name>OperationButtons</name>
    <message>
        <source>Edit</source>
        <translation>编辑</translation>
    </message>
    <message>
        <source>Prune, restore, protect or unprotect the selection</source>
        <translation>剪枝、恢复、保护或取消保护所选</translation>
    </message>
    <message>
        <source>Prune</source>
        <translation>剪枝</translation>
    </message>
    <message>
        <source>Prune the selection</source>
        <translation>剪枝所选</translation>
    </message>
    <message>
        <source>Del</source>
        <translation>Del</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>恢复</translation>
    </message>
    <message>
        <source>Restore the selection</source>
        <translation>恢复所选</translation>
    </message>
    <message>
        <source>Protect</source>
        <translation>保护</translation>
    </message>
    <message>
        <source>Exclude the selection from all later pruning steps</source>
        <translation>将所选排除在之后的所有剪枝步骤之外</translation>
    </message>
    <message>
        <source>Unprotect</source>
        <translation>取消保护</translation>
    </message>
    <message>
        <source>Allow later steps to prune the selection again</source>
        <translation>允许之后的步骤再次剪枝所选</translation>
    </message>
    <message>
        <source>Shift+P</source>
        <translation>Shift+P</translation>
    </message>
</context>
<context>
    <name>OrderedChart</name>
    <message>
        <source>Order</source>
        <translation>顺序</translation>
    </message>
    <message>
        <source>Order of the bars</source>
        <translation>条的顺序</translation>
    </message>
</context>
<context>
    <name>PaletteController</name>
    <message>
        <source>Setting</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Add rule</source>
        <translation>添加规则</translation>
    </message>
    <message>
        <source>Exclude layers</source>
        <translation>排除层</translation>
    </message>
    <message>
        <source>Remove rule</source>
        <translation>移除规则</translation>
    </message>
    <message>
        <source>Limits</source>
        <translation>限制</translation>
    </message>
    <message>
        <source>Pruning step</source>
        <translation>剪枝步骤</translation>
    </message>
    <message>
        <source>Picture</source>
        <translation>图片</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>方法</translation>
    </message>
</context>
<context>
    <name>PatternController</name>
    <message>
        <source>No tensor of this file can be pruned.</source>
        <translation>此文件没有可剪枝的张量。</translation>
    </message>
    <message>
        <source>Checking sparsity pattern</source>
        <translation>正在检查稀疏模式</translation>
    </message>
    <message>
        <source>Repairing sparsity pattern</source>
        <translation>正在修复稀疏模式</translation>
    </message>
    <message>
        <source>Nothing was repaired. The main window shows why.</source>
        <translation>未修复任何内容。主窗口显示原因。</translation>
    </message>
    <message>
        <source>1 tensor repaired to {pattern}.</source>
        <translation>1 个张量已修复为 {pattern}。</translation>
    </message>
    <message>
        <source>{n} tensors repaired to {pattern}.</source>
        <translation>{n} 个张量已修复为 {pattern}。</translation>
    </message>
    <message>
        <source>Stopped.</source>
        <translation>已停止。</translation>
    </message>
    <message>
        <source>Nothing was repaired: the history changed in the meantime.</source>
        <translation>未修复任何内容：历史在此期间发生了变化。</translation>
    </message>
    <message>
        <source>The masks have changed since this check.</source>
        <translation>自此次检查以来掩码已更改。</translation>
    </message>
    <message>
        <source>The checked tensors have changed since this check.</source>
        <translation>自此次检查以来勾选的张量已更改。</translation>
    </message>
</context>
<context>
    <name>PatternDialog</name>
    <message>
        <source>Check sparsity pattern</source>
        <translation>检查稀疏模式</translation>
    </message>
    <message>
        <source>Violating groups</source>
        <translation>违反的组</translation>
    </message>
    <message>
        <source>Copy the whole table as tab-separated text.</source>
        <translation>将整个表格复制为制表符分隔的文本。</translation>
    </message>
    <message>
        <source>Check again</source>
        <translation>再次检查</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Tensors, most violations first</source>
        <translation>张量，违反最多的在前</translation>
    </message>
    <message>
        <source>Select a tensor to show it in the main window.</source>
        <translation>选择一个张量以在主窗口中显示。</translation>
    </message>
    <message>
        <source>Repair 1 tensor</source>
        <translation>修复 1 个张量</translation>
    </message>
    <message>
        <source>Repair {n} tensors</source>
        <translation>修复 {n} 个张量</translation>
    </message>
    <message>
        <source>Repair</source>
        <translation>修复</translation>
    </message>
    <message>
        <source>Nothing to repair</source>
        <translation>无需修复</translation>
    </message>
</context>
<context>
    <name>Patterns</name>
    <message>
        <source>The tensor has no groups of {m} along dim {dim}.</source>
        <translation>该张量沿维度 {dim} 没有 {m} 个一组的组。</translation>
    </message>
    <message>
        <source>None of the {n} tensors has groups of {m} along dim {dim}.</source>
        <translation>{n} 个张量沿维度 {dim} 都没有 {m} 个一组的组。</translation>
    </message>
    <message>
        <source>The tensor has {pattern}.</source>
        <translation>该张量具有 {pattern}。</translation>
    </message>
    <message>
        <source>All {n} tensors have {pattern}.</source>
        <translation>全部 {n} 个张量都具有 {pattern}。</translation>
    </message>
    <message>
        <source>The tensor violates {pattern} in {broken} of {groups} groups.</source>
        <translation>该张量在 {groups} 个组中的 {broken} 个违反 {pattern}。</translation>
    </message>
    <message>
        <source>1 of {every} tensors has {pattern}.</source>
        <translation>{every} 个张量中有 1 个具有 {pattern}。</translation>
    </message>
    <message>
        <source>{n} of {every} tensors have {pattern}.</source>
        <translation>{every} 个张量中有 {n} 个具有 {pattern}。</translation>
    </message>
    <message>
        <source>1 violates it in {broken} of {groups} groups.</source>
        <translation>1 个在 {groups} 个组中的 {broken} 个违反。</translation>
    </message>
    <message>
        <source>{n} violate it in {broken} of {groups} groups.</source>
        <translation>{n} 个在 {groups} 个组中的 {broken} 个违反。</translation>
    </message>
    <message>
        <source>Repair prunes 1 more weight</source>
        <translation>修复会再剪枝 1 个权重</translation>
    </message>
    <message>
        <source>Repair prunes {n} more weights</source>
        <translation>修复会再剪枝 {n} 个权重</translation>
    </message>
    <message>
        <source>norm² not known.</source>
        <translation>范数² 未知。</translation>
    </message>
    <message>
        <source>{share} of the norm² of these tensors.</source>
        <translation>占这些张量范数² 的 {share}。</translation>
    </message>
    <message>
        <source>1 group cannot be repaired: too many of its weights are protected.</source>
        <translation>1 个组无法修复：其中受保护的权重太多。</translation>
    </message>
    <message>
        <source>{n} groups cannot be repaired: too many of their weights are protected.</source>
        <translation>{n} 个组无法修复：其中受保护的权重太多。</translation>
    </message>
    <message>
        <source>1 more tensor has no groups of {m} along dim {dim}.</source>
        <translation>另有 1 个张量沿维度 {dim} 没有 {m} 个一组的组。</translation>
    </message>
    <message>
        <source>{n} more tensors have no groups of {m} along dim {dim}.</source>
        <translation>另有 {n} 个张量沿维度 {dim} 没有 {m} 个一组的组。</translation>
    </message>
    <message>
        <source>In 1 tensor the dimension is not a multiple of {m}: {beside} weights are in no group, and kernels that need complete groups reject it.</source>
        <translation>1 个张量的维度不是 {m} 的倍数：{beside} 个权重不属于任何组，需要完整组的内核会拒绝它。</translation>
    </message>
    <message>
        <source>In {n} tensors the dimension is not a multiple of {m}: {beside} weights are in no group, and kernels that need complete groups reject them.</source>
        <translation>{n} 个张量的维度不是 {m} 的倍数：{beside} 个权重不属于任何组，需要完整组的内核会拒绝它们。</translation>
    </message>
    <message>
        <source>Sparse tensor cores support 2:4. Whether {pattern} is supported depends on your kernels.</source>
        <translation>稀疏张量核心支持 2:4。是否支持 {pattern} 取决于您的内核。</translation>
    </message>
    <message>
        <source>Sparse tensor cores support 2:4 along the input dimension of linear layers: dim 1, or dim 0 for transposed weights.</source>
        <translation>稀疏张量核心支持沿线性层输入维度的 2:4：维度 1，转置的权重为维度 0。</translation>
    </message>
    <message>
        <source>Sparse tensor cores support 2:4 along the input dimension of linear layers.</source>
        <translation>稀疏张量核心支持沿线性层输入维度的 2:4。</translation>
    </message>
    <message>
        <source>{pattern} implies 2:4, which sparse tensor cores support along the input dimension of linear layers.</source>
        <translation>{pattern} 蕴含 2:4，稀疏张量核心支持沿线性层输入维度的 2:4。</translation>
    </message>
    <message>
        <source>1 of these is a convolution: its groups lie along the input channels, and it needs a runtime with sparse convolutions.</source>
        <translation>其中 1 个是卷积：其组沿输入通道排列，需要支持稀疏卷积的运行时。</translation>
    </message>
    <message>
        <source>{n} of these are convolutions: their groups lie along the input channels, and they need a runtime with sparse convolutions.</source>
        <translation>其中 {n} 个是卷积：其组沿输入通道排列，需要支持稀疏卷积的运行时。</translation>
    </message>
    <message>
        <source>The pattern alone makes neither the file smaller nor the model faster.</source>
        <translation>仅有模式既不会使文件变小，也不会使模型变快。</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>形状</translation>
    </message>
    <message>
        <source>Violating groups</source>
        <translation>违反的组</translation>
    </message>
    <message>
        <source>First group</source>
        <translation>第一个组</translation>
    </message>
    <message>
        <source>Repair prunes</source>
        <translation>修复剪枝</translation>
    </message>
    <message>
        <source>Of its norm²</source>
        <translation>占其范数²</translation>
    </message>
    <message>
        <source>In no group</source>
        <translation>不属于任何组</translation>
    </message>
    <message>
        <source>{n} of {groups}</source>
        <translation>{groups} 中的 {n}</translation>
    </message>
    <message>
        <source>{name} has {pattern}.</source>
        <translation>{name} 具有 {pattern}。</translation>
    </message>
    <message>
        <source>{place} has {n}</source>
        <translation>{place} 有 {n}</translation>
    </message>
    <message>
        <source>, and 1 more group</source>
        <translation>，以及另外 1 个组</translation>
    </message>
    <message>
        <source>, and {n} more groups</source>
        <translation>，以及另外 {n} 个组</translation>
    </message>
    <message>
        <source>Groups</source>
        <translation>组</translation>
    </message>
    <message>
        <source>Fraction of norm²</source>
        <translation>占范数² 的比例</translation>
    </message>
    <message>
        <source>Reason for no groups</source>
        <translation>没有组的原因</translation>
    </message>
</context>
<context>
    <name>PlotController</name>
    <message>
        <source>This file has no tensors.</source>
        <translation>此文件没有张量。</translation>
    </message>
    <message>
        <source>No tensor of this file can be pruned.</source>
        <translation>此文件没有可剪枝的张量。</translation>
    </message>
    <message>
        <source>This view could not be computed.</source>
        <translation>无法计算此视图。</translation>
    </message>
    <message>
        <source>A tensor of one dimension has no channels.</source>
        <translation>一维张量没有通道。</translation>
    </message>
</context>
<context>
    <name>PlotPages</name>
    <message>
        <source>Pictures</source>
        <translation>图片</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>Distribution</source>
        <translation>分布</translation>
    </message>
    <message>
        <source>Channels</source>
        <translation>通道</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>Quality</source>
        <translation>质量</translation>
    </message>
    <message>
        <source>Sensitivity</source>
        <translation>敏感度</translation>
    </message>
</context>
<context>
    <name>PlotView</name>
    <message>
        <source>Reading the tensor…</source>
        <translation>正在读取张量…</translation>
    </message>
    <message>
        <source>Select a tensor in the tree.</source>
        <translation>在树中选择一个张量。</translation>
    </message>
</context>
<context>
    <name>PluginController</name>
    <message>
        <source>Plugins were installed and are not loaded: {names}.</source>
        <translation>已安装但未加载的插件：{names}。</translation>
    </message>
    <message>
        <source>Plugins…</source>
        <translation>插件…</translation>
    </message>
</context>
<context>
    <name>PluginDialog</name>
    <message>
        <source>Plugins</source>
        <translation>插件</translation>
    </message>
    <message>
        <source>Installed packages can add methods, export formats, model families and file formats. A plugin that is checked is loaded when Pruneapp starts, which runs its code with your permissions.</source>
        <translation>已安装的包可以添加方法、导出格式、模型系列和文件格式。勾选的插件会在 Pruneapp 启动时加载，其代码将以您的权限运行。</translation>
    </message>
    <message>
        <source>Package</source>
        <translation>包</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Adds</source>
        <translation>添加内容</translation>
    </message>
    <message>
        <source>No plugins are installed in the Python environment of Pruneapp.</source>
        <translation>Pruneapp 的 Python 环境中没有安装插件。</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>方法</translation>
    </message>
    <message>
        <source>Export format</source>
        <translation>导出格式</translation>
    </message>
    <message>
        <source>Model family</source>
        <translation>模型系列</translation>
    </message>
    <message>
        <source>File format</source>
        <translation>文件格式</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>Loaded</source>
        <translation>已加载</translation>
    </message>
    <message>
        <source>Loaded until Pruneapp is closed</source>
        <translation>已加载，直到 Pruneapp 关闭</translation>
    </message>
    <message>
        <source>Loading…</source>
        <translation>正在加载…</translation>
    </message>
    <message>
        <source>Not loaded</source>
        <translation>未加载</translation>
    </message>
</context>
<context>
    <name>PreviewController</name>
    <message>
        <source>Pruning</source>
        <translation>剪枝</translation>
    </message>
</context>
<context>
    <name>PreviewPanel</name>
    <message>
        <source>Preview</source>
        <translation>预览</translation>
    </message>
    <message>
        <source>{n} more weights would be pruned, but they are protected.</source>
        <translation>本应再剪枝 {n} 个权重，但它们受保护。</translation>
    </message>
    <message>
        <source>{n} weights are in no group of the pattern, and are kept.</source>
        <translation>{n} 个权重不属于模式的任何组，予以保留。</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Current state</source>
        <translation>当前状态</translation>
    </message>
    <message>
        <source>Most pruned</source>
        <translation>剪枝最多</translation>
    </message>
    <message>
        <source>up to {n}</source>
        <translation>最多 {n}</translation>
    </message>
    <message>
        <source>With these settings the next step prunes no more weights.</source>
        <translation>按这些设置，下一个步骤不再剪枝任何权重。</translation>
    </message>
    <message>
        <source>Amounts are fractions of the remaining weights: another {share} prunes {n} more.</source>
        <translation>剪枝量是剩余权重的比例：再剪 {share} 会再剪枝 {n} 个。</translation>
    </message>
    <message>
        <source>The same step again prunes {n} more weights.</source>
        <translation>再次执行同一步骤会再剪枝 {n} 个权重。</translation>
    </message>
    <message>
        <source>With these settings the next step prunes {n} weights.</source>
        <translation>按这些设置，下一个步骤剪枝 {n} 个权重。</translation>
    </message>
    <message>
        <source>Most affected (by sparsity)</source>
        <translation>受影响最大（按稀疏度）</translation>
    </message>
    <message>
        <source>Most affected (by norm² lost)</source>
        <translation>受影响最大（按损失的范数²）</translation>
    </message>
    <message>
        <source>Repair…</source>
        <translation>修复…</translation>
    </message>
    <message>
        <source>Change the remaining weights so that the outputs of pruned layers come out as before</source>
        <translation>调整剩余权重，使被剪枝层的输出与之前一致</translation>
    </message>
</context>
<context>
    <name>PreviewRunner</name>
    <message>
        <source>Previewing</source>
        <translation>正在预览</translation>
    </message>
</context>
<context>
    <name>PruneAction</name>
    <message>
        <source>Applies the step shown in the preview. You can undo it.</source>
        <translation>应用预览中显示的步骤。可以撤销。</translation>
    </message>
    <message>
        <source>Prunes the remaining weights with these settings. You can undo it.</source>
        <translation>用这些设置剪枝剩余权重。可以撤销。</translation>
    </message>
    <message>
        <source>Preview</source>
        <translation>预览</translation>
    </message>
    <message>
        <source>Preview the step with the current settings</source>
        <translation>按当前设置预览此步骤</translation>
    </message>
    <message>
        <source>Prune {what}</source>
        <translation>剪枝 {what}</translation>
    </message>
    <message>
        <source>Nothing to prune</source>
        <translation>没有可剪枝的内容</translation>
    </message>
    <message>
        <source>Add a mask to 1 tensor</source>
        <translation>为 1 个张量添加掩码</translation>
    </message>
    <message>
        <source>Add masks to {n} tensors</source>
        <translation>为 {n} 个张量添加掩码</translation>
    </message>
    <message>
        <source>Identity prunes nothing, and its tensors have masks already.</source>
        <translation>恒等不剪枝，且其张量已有掩码。</translation>
    </message>
    <message>
        <source>Prune again: {what}</source>
        <translation>再次剪枝：{what}</translation>
    </message>
    <message>
        <source>Nothing more to prune</source>
        <translation>没有更多可剪枝的内容</translation>
    </message>
    <message>
        <source>Prune again</source>
        <translation>再次剪枝</translation>
    </message>
    <message>
        <source>Prune</source>
        <translation>剪枝</translation>
    </message>
    <message>
        <source>Change a setting to preview a step</source>
        <translation>更改设置以预览步骤</translation>
    </message>
    <message>
        <source>Cannot prune with these settings</source>
        <translation>无法用这些设置剪枝</translation>
    </message>
    <message>
        <source>Prune ({keys})</source>
        <translation>剪枝 ({keys})</translation>
    </message>
    <message>
        <source>1 channel</source>
        <translation>1 个通道</translation>
    </message>
    <message>
        <source>{n} channels</source>
        <translation>{n} 个通道</translation>
    </message>
    <message>
        <source>{n} weights</source>
        <translation>{n} 个权重</translation>
    </message>
    <message>
        <source>up to {n} weights</source>
        <translation>最多 {n} 个权重</translation>
    </message>
    <message>
        <source>1 weight</source>
        <translation>1 个权重</translation>
    </message>
</context>
<context>
    <name>PruneController</name>
    <message>
        <source>Pruning cancelled: nothing was pruned.</source>
        <translation>剪枝已取消：未剪枝任何内容。</translation>
    </message>
    <message>
        <source>Making permanent</source>
        <translation>正在永久化</translation>
    </message>
    <message>
        <source>The preview is shown.</source>
        <translation>预览已显示。</translation>
    </message>
    <message>
        <source>Pruning was cancelled because the history changed before it finished. Nothing was pruned.</source>
        <translation>剪枝已取消，因为历史在完成前发生了变化。未剪枝任何内容。</translation>
    </message>
    <message>
        <source>Prune now</source>
        <translation>立即剪枝</translation>
    </message>
</context>
<context>
    <name>PruneForm</name>
    <message>
        <source>Rules</source>
        <translation>规则</translation>
    </message>
    <message>
        <source>The last rule that matches a tensor applies to it.</source>
        <translation>与张量匹配的最后一条规则对其生效。</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Remove the selected rule</source>
        <translation>移除选中的规则</translation>
    </message>
    <message>
        <source>Add rule…</source>
        <translation>添加规则…</translation>
    </message>
    <message>
        <source>Another method or amount for other tensors, as part of the same step</source>
        <translation>在同一步骤中，对其他张量使用另一种方法或剪枝量</translation>
    </message>
    <message>
        <source>Exclude…</source>
        <translation>排除…</translation>
    </message>
    <message>
        <source>Exclude layers by pattern or type: adds a rule that prunes nothing</source>
        <translation>按模式或类型排除层：添加一条不剪枝的规则</translation>
    </message>
    <message>
        <source>Pruning step</source>
        <translation>剪枝步骤</translation>
    </message>
    <message>
        <source>Iterative pruning…</source>
        <translation>迭代剪枝…</translation>
    </message>
    <message>
        <source>Repeat this step on a sparsity schedule</source>
        <translation>按稀疏度计划重复此步骤</translation>
    </message>
    <message>
        <source>Enter the tensors that this rule applies to.</source>
        <translation>输入此规则适用的张量。</translation>
    </message>
    <message>
        <source>A setting above is not valid.</source>
        <translation>上面的一项设置无效。</translation>
    </message>
    <message>
        <source>A setting of rule {n} is not valid.</source>
        <translation>规则 {n} 的一项设置无效。</translation>
    </message>
    <message>
        <source>Rule {n}: {error}</source>
        <translation>规则 {n}：{error}</translation>
    </message>
    <message>
        <source>Scope: global</source>
        <translation>范围：全局</translation>
    </message>
    <message>
        <source>Scope: per tensor</source>
        <translation>范围：逐张量</translation>
    </message>
    <message>
        <source>To be chosen below the rules.</source>
        <translation>在规则下方选择。</translation>
    </message>
    <message>
        <source>Scope: per tensor (rule {n} has no global scope)</source>
        <translation>范围：逐张量（规则 {n} 没有全局范围）</translation>
    </message>
    <message>
        <source>{method} in rule {n} has no global threshold.</source>
        <translation>规则 {n} 中的{method}没有全局阈值。</translation>
    </message>
    <message>
        <source>Scope: global (rule {n} has no per-tensor scope)</source>
        <translation>范围：全局（规则 {n} 没有逐张量范围）</translation>
    </message>
    <message>
        <source>{method} in rule {n} ranks all tensors together.</source>
        <translation>规则 {n} 中的{method}将所有张量一起排序。</translation>
    </message>
    <message>
        <source>✕ nothing checked</source>
        <translation>✕ 未勾选</translation>
    </message>
    <message>
        <source>✕ matches nothing</source>
        <translation>✕ 没有匹配</translation>
    </message>
    <message>
        <source>excluded by limits</source>
        <translation>被限制排除</translation>
    </message>
    <message>
        <source>later rules take its tensors</source>
        <translation>其张量由之后的规则处理</translation>
    </message>
    <message>
        <source>{n} of {m} tensors</source>
        <translation>{m} 个张量中的 {n} 个</translation>
    </message>
    <message>
        <source>1 tensor</source>
        <translation>1 个张量</translation>
    </message>
    <message>
        <source>{n} tensors</source>
        <translation>{n} 个张量</translation>
    </message>
</context>
<context>
    <name>Purposes</name>
    <message>
        <source>Share</source>
        <translation>分享</translation>
    </message>
    <message>
        <source>Load in transformers</source>
        <translation>在 transformers 中加载</translation>
    </message>
    <message>
        <source>Continue training in PyTorch</source>
        <translation>在 PyTorch 中继续训练</translation>
    </message>
    <message>
        <source>Archive</source>
        <translation>归档</translation>
    </message>
    <message>
        <source>Select the best format for this purpose.</source>
        <translation>为此用途选择最佳格式。</translation>
    </message>
    <message>
        <source>Choose a purpose, or select a format below.</source>
        <translation>选择用途，或在下方选择格式。</translation>
    </message>
    <message>
        <source>✓ {format}, {size}. {reason}</source>
        <translation>✓ {format}，{size}。{reason}</translation>
    </message>
    <message>
        <source>Estimating sizes…</source>
        <translation>正在估计大小…</translation>
    </message>
    <message>
        <source>No suitable format can store this checkpoint.</source>
        <translation>没有适合的格式可存储此检查点。</translation>
    </message>
</context>
<context>
    <name>Quality</name>
    <message>
        <source>{n} points</source>
        <translation>{n} 个百分点</translation>
    </message>
    <message>
        <source>{share} pruned: {value}</source>
        <translation>{share} 已剪枝：{value}</translation>
    </message>
    <message>
        <source>not measured</source>
        <translation>未测量</translation>
    </message>
    <message>
        <source>{metric} {value}</source>
        <translation>{metric} {value}</translation>
    </message>
    <message>
        <source>{value}, unpruned model</source>
        <translation>{value}，未剪枝模型</translation>
    </message>
    <message>
        <source>no difference found within ±{half} ({noise})</source>
        <translation>在 ±{half} 内未发现差异（{noise}）</translation>
    </message>
    <message>
        <source>difference {amount} ({noise})</source>
        <translation>差异 {amount}（{noise}）</translation>
    </message>
    <message>
        <source>{amount} worse than the unpruned model ({noise})</source>
        <translation>比未剪枝模型差 {amount}（{noise}）</translation>
    </message>
    <message>
        <source>{amount} better than the unpruned model ({noise})</source>
        <translation>比未剪枝模型好 {amount}（{noise}）</translation>
    </message>
    <message>
        <source>{share} pruned: {value}, {change}</source>
        <translation>{share} 已剪枝：{value}，{change}</translation>
    </message>
</context>
<context>
    <name>QualityAxis</name>
    <message>
        <source>pruned, %</source>
        <translation>已剪枝，%</translation>
    </message>
    <message>
        <source>{what}, billions</source>
        <translation>{what}，十亿</translation>
    </message>
    <message>
        <source>{what}, millions</source>
        <translation>{what}，百万</translation>
    </message>
    <message>
        <source>{what}, thousands</source>
        <translation>{what}，千</translation>
    </message>
    <message>
        <source>sparsity</source>
        <translation>稀疏度</translation>
    </message>
    <message>
        <source>Share of the parameters of the model that are pruned</source>
        <translation>模型参数中被剪枝的比例</translation>
    </message>
    <message>
        <source>up to {x} pruned</source>
        <translation>最多剪枝 {x}</translation>
    </message>
    <message>
        <source>parameters remaining</source>
        <translation>剩余参数</translation>
    </message>
    <message>
        <source>Parameters of the model that are not pruned</source>
        <translation>模型中未剪枝的参数</translation>
    </message>
    <message>
        <source>down to {x} parameters</source>
        <translation>最少 {x} 个参数</translation>
    </message>
    <message>
        <source>size of packed weights</source>
        <translation>打包权重的大小</translation>
    </message>
    <message>
        <source>Bytes of the tensors in a compact file before it is compressed: a mask bit for each weight of a pruned tensor, and the remaining weights</source>
        <translation>紧凑文件中张量压缩前的字节数：被剪枝张量的每个权重一个掩码位，以及剩余权重</translation>
    </message>
    <message>
        <source>down to {x} of packed weights</source>
        <translation>打包权重最少 {x}</translation>
    </message>
    <message>
        <source>multiply-adds per input</source>
        <translation>每个输入的乘加运算</translation>
    </message>
    <message>
        <source>Multiply-adds by weights that are not pruned, of matrices and convolutions, for one input of the script. A theoretical number: zeros alone make nothing faster</source>
        <translation>脚本的一个输入中，矩阵和卷积的未剪枝权重的乘加运算。理论值：仅有零不会使任何计算变快</translation>
    </message>
    <message>
        <source>down to {x} multiply-adds per input</source>
        <translation>每个输入最少 {x} 次乘加运算</translation>
    </message>
</context>
<context>
    <name>QualityView</name>
    <message>
        <source>Axis</source>
        <translation>轴</translation>
    </message>
    <message>
        <source>Measure of size on the horizontal axis</source>
        <translation>横轴上的规模度量</translation>
    </message>
    <message>
        <source>Metric</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>Metric on the vertical axis</source>
        <translation>纵轴上的指标</translation>
    </message>
    <message>
        <source>Not saved with the metrics of these states: {axis}. Choose another axis, or evaluate them again.</source>
        <translation>未与这些状态的指标一同保存：{axis}。请选择其他轴，或重新评估。</translation>
    </message>
    <message>
        <source>Evaluating… The unpruned model is measured first.</source>
        <translation>正在评估… 首先测量未剪枝模型。</translation>
    </message>
    <message>
        <source>Nothing has been evaluated yet. Choose Tools &gt; Evaluate… to measure the model with your own script.</source>
        <translation>尚未评估。选择“工具 &gt; 评估…”用您自己的脚本测量模型。</translation>
    </message>
    <message>
        <source>{metric}, %</source>
        <translation>{metric}，%</translation>
    </message>
    <message>
        <source>It is not known whether a higher or a lower {metric} is better: declare HIGHER_IS_BETTER in the script.</source>
        <translation>不知道 {metric} 是越高越好还是越低越好：请在脚本中声明 HIGHER_IS_BETTER。</translation>
    </message>
    <message>
        <source>At most {target} worse: no measured state with pruned weights.</source>
        <translation>最多差 {target}：没有已测量的、含被剪枝权重的状态。</translation>
    </message>
    <message>
        <source>States measured before do not count.</source>
        <translation>此前测量的状态不计入。</translation>
    </message>
    <message>
        <source>At most {target} worse: {up_to} ({label})</source>
        <translation>最多差 {target}：{up_to}（{label}）</translation>
    </message>
    <message>
        <source>; noise ±{noise}</source>
        <translation>；噪声 ±{noise}</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>是</translation>
    </message>
    <message>
        <source>no</source>
        <translation>否</translation>
    </message>
    <message>
        <source>measured before</source>
        <translation>此前测量</translation>
    </message>
    <message>
        <source>state</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>sparsity</source>
        <translation>稀疏度</translation>
    </message>
    <message>
        <source>difference</source>
        <translation>差异</translation>
    </message>
    <message>
        <source>noise ±</source>
        <translation>噪声 ±</translation>
    </message>
    <message>
        <source>holds the target</source>
        <translation>达到目标</translation>
    </message>
    <message>
        <source>Metric against {axis}</source>
        <translation>指标与{axis}</translation>
    </message>
    <message>
        <source>noise: {what}</source>
        <translation>噪声：{what}</translation>
    </message>
    <message>
        <source>A bar that crosses the dotted line, the unpruned model, means that no difference from it was found.</source>
        <translation>与虚线（未剪枝模型）相交的条表示未发现与其有差异。</translation>
    </message>
</context>
<context>
    <name>QuestionDialog</name>
    <message>
        <source>Confirmations</source>
        <translation>确认询问</translation>
    </message>
    <message>
        <source>Questions</source>
        <translation>询问</translation>
    </message>
    <message>
        <source>Scripts and command lines</source>
        <translation>脚本和命令行</translation>
    </message>
    <message>
        <source>Ask again</source>
        <translation>重新询问</translation>
    </message>
    <message>
        <source>Scripts and command lines are shown again before they run</source>
        <translation>脚本和命令行在运行之前会再次显示</translation>
    </message>
    <message>
        <source>What could lose work is always asked about.</source>
        <translation>可能丢失工作的操作总会询问。</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>{n} run without a question.</source>
        <translation>{n} 个不经询问即运行。</translation>
    </message>
    <message>
        <source>1 runs without a question.</source>
        <translation>1 个不经询问即运行。</translation>
    </message>
    <message>
        <source>Each that is new or has changed is shown before it runs.</source>
        <translation>新的或已更改的会在运行之前显示。</translation>
    </message>
</context>
<context>
    <name>QuestionRow</name>
    <message>
        <source>Tensors</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>The tensors to check.</source>
        <translation>要检查的张量。</translation>
    </message>
    <message>
        <source>&amp;Pattern</source>
        <translation>模式(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Along</source>
        <translation>沿(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;Tensors</source>
        <translation>张量(&amp;T)</translation>
    </message>
    <message>
        <source>1 checked tensor</source>
        <translation>1 个勾选的张量</translation>
    </message>
    <message>
        <source>{n} checked tensors</source>
        <translation>{n} 个勾选的张量</translation>
    </message>
    <message>
        <source>all prunable tensors: {n}</source>
        <translation>所有可剪枝的张量：{n}</translation>
    </message>
    <message>
        <source>{pattern} means that at most {n} of every {m} weights are nonzero. Zeros in the file count as pruned.</source>
        <translation>{pattern} 表示每 {m} 个权重中最多 {n} 个非零。文件中的零计为已剪枝。</translation>
    </message>
</context>
<context>
    <name>Questions</name>
    <message>
        <source>Save session…</source>
        <translation>保存会话…</translation>
    </message>
    <message>
        <source>Some changes are not saved in &apos;{name}&apos;.</source>
        <translation>“{name}”中有未保存的更改。</translation>
    </message>
    <message>
        <source>Metrics or scans are not saved in &apos;{name}&apos;.</source>
        <translation>“{name}”中有未保存的指标或扫描。</translation>
    </message>
    <message>
        <source>Save session</source>
        <translation>保存会话</translation>
    </message>
    <message>
        <source>Some changes are neither saved nor exported.</source>
        <translation>有些更改既未保存也未导出。</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>导出…</translation>
    </message>
    <message>
        <source>They are lost if you continue. The file on disk is unchanged.</source>
        <translation>如果继续，它们将丢失。磁盘上的文件不变。</translation>
    </message>
    <message>
        <source>Discard changes</source>
        <translation>放弃更改</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Some changes are not saved; only a session stores them.</source>
        <translation>有些更改未保存；只有会话能保存它们。</translation>
    </message>
    <message>
        <source>Protected weights are not saved; only a session stores them.</source>
        <translation>受保护的权重未保存；只有会话能保存它们。</translation>
    </message>
    <message>
        <source>Names of states are not saved; only a session stores them.</source>
        <translation>状态的名称未保存；只有会话能保存它们。</translation>
    </message>
    <message>
        <source>Steps that are undone or on other branches are not saved; only a session stores them.</source>
        <translation>已撤销或位于其他分支的步骤未保存；只有会话能保存它们。</translation>
    </message>
    <message>
        <source>Metrics or scans are not saved; only a session stores them.</source>
        <translation>指标或扫描未保存；只有会话能保存它们。</translation>
    </message>
    <message>
        <source>A file with this name already exists.</source>
        <translation>同名文件已存在。</translation>
    </message>
    <message>
        <source>Replace</source>
        <translation>替换</translation>
    </message>
    <message>
        <source>{name} was changed by another window since you opened it.</source>
        <translation>自您打开以来，{name} 已被另一个窗口更改。</translation>
    </message>
    <message>
        <source>Its changes are lost if you replace it.</source>
        <translation>如果替换，其更改将丢失。</translation>
    </message>
    <message>
        <source>Save as…</source>
        <translation>另存为…</translation>
    </message>
    <message>
        <source>Delete this unsaved work?</source>
        <translation>删除此未保存的工作？</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>This cannot be undone. It frees {size} of masks.</source>
        <translation>此操作无法撤销。它会释放 {size} 的掩码。</translation>
    </message>
    <message>
        <source>Delete &apos;{state}&apos;?</source>
        <translation>删除“{state}”？</translation>
    </message>
    <message>
        <source>If you cancel it, nothing is changed and no incomplete file is left.</source>
        <translation>如果取消，不会更改任何内容，也不会留下不完整的文件。</translation>
    </message>
    <message>
        <source>A job is still running.</source>
        <translation>仍有任务正在运行。</translation>
    </message>
    <message>
        <source>Cancel job</source>
        <translation>取消任务</translation>
    </message>
    <message>
        <source>Wait</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>Code can do anything that you can do on this computer. Only run code that you have read or whose author you trust.</source>
        <translation>代码可以在此计算机上做您能做的任何事。只运行您读过的代码，或来自您信任的作者的代码。</translation>
    </message>
    <message>
        <source>Loading this file runs its code.</source>
        <translation>加载此文件会运行其代码。</translation>
    </message>
    <message>
        <source>Don&apos;t ask again</source>
        <translation>不再询问</translation>
    </message>
    <message>
        <source>Run code</source>
        <translation>运行代码</translation>
    </message>
    <message>
        <source>The export would replace the file that the link points to.</source>
        <translation>导出将替换该链接所指向的文件。</translation>
    </message>
    <message>
        <source>This file name is a link to another file.</source>
        <translation>此文件名是指向另一个文件的链接。</translation>
    </message>
    <message>
        <source>Replace target</source>
        <translation>替换目标</translation>
    </message>
    <message>
        <source>{n} tensors of the file cannot be written in this format.</source>
        <translation>文件中有 {n} 个张量无法以此格式写入。</translation>
    </message>
    <message>
        <source>One tensor of the file cannot be written in this format.</source>
        <translation>文件中有一个张量无法以此格式写入。</translation>
    </message>
    <message>
        <source>The numbers of these tensors cannot be read, so that “{format}” cannot hold them. A model that needs them will not load from the export alone.</source>
        <translation>无法读取这些张量的数值，因此“{format}”无法容纳它们。需要它们的模型无法仅从导出文件加载。</translation>
    </message>
    <message>
        <source> “{format}” keeps them.</source>
        <translation> “{format}”会保留它们。</translation>
    </message>
    <message>
        <source>and {n} more</source>
        <translation>以及另外 {n} 个</translation>
    </message>
    <message>
        <source>Exclude and export</source>
        <translation>排除并导出</translation>
    </message>
    <message>
        <source>{key}: {tensors} tensors, {numel} elements</source>
        <translation>{key}：{tensors} 个张量，{numel} 个元素</translation>
    </message>
    <message>
        <source>(outermost)</source>
        <translation>（最外层）</translation>
    </message>
    <message>
        <source>Choose state dict</source>
        <translation>选择状态字典</translation>
    </message>
    <message>
        <source>This file contains several state dicts. Open:</source>
        <translation>此文件包含多个状态字典。打开：</translation>
    </message>
    <message>
        <source>Address of a Dask scheduler, such as tcp://host:8786,
or local:2 for two processes on this computer.

Exports run there. The workers read the opened files and write the new
ones, so they must see the same folders. Previews and masks are still
computed on this computer.</source>
        <translation>Dask 调度器的地址，例如 tcp://host:8786，
或 local:2 表示本机上的两个进程。

导出将在那里运行。工作进程读取打开的文件并写入新文件，
因此它们必须能看到相同的文件夹。预览和掩码仍在本机上计算。</translation>
    </message>
    <message>
        <source>Run on a cluster</source>
        <translation>在集群上运行</translation>
    </message>
    <message>
        <source>Use this cluster</source>
        <translation>使用此集群</translation>
    </message>
    <message>
        <source>Open location</source>
        <translation>打开位置</translation>
    </message>
    <message>
        <source>Path, or URL of an object store (s3://, gs://, az://, hf://):</source>
        <translation>路径，或对象存储的 URL (s3://, gs://, az://, hf://)：</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
</context>
<context>
    <name>RecentController</name>
    <message>
        <source>{file} (missing)</source>
        <translation>{file}（缺失）</translation>
    </message>
</context>
<context>
    <name>RecipeController</name>
    <message>
        <source>Save recipe</source>
        <translation>保存配方</translation>
    </message>
    <message>
        <source>Recipes ({patterns})</source>
        <translation>配方 ({patterns})</translation>
    </message>
    <message>
        <source>Saving recipe</source>
        <translation>正在保存配方</translation>
    </message>
    <message>
        <source>Recipe saved as {file}.</source>
        <translation>配方已保存为 {file}。</translation>
    </message>
    <message>
        <source>Its masks are in the folder {folder} beside it.</source>
        <translation>其掩码位于旁边的文件夹 {folder} 中。</translation>
    </message>
    <message>
        <source>Apply recipe</source>
        <translation>应用配方</translation>
    </message>
    <message>
        <source>Recipes ({patterns});;All files (*)</source>
        <translation>配方 ({patterns});;所有文件 (*)</translation>
    </message>
    <message>
        <source>Reading recipe</source>
        <translation>正在读取配方</translation>
    </message>
    <message>
        <source>Applying recipe</source>
        <translation>正在应用配方</translation>
    </message>
    <message>
        <source>{file} applied: {steps}.</source>
        <translation>已应用 {file}：{steps}。</translation>
    </message>
    <message>
        <source>1 step</source>
        <translation>1 个步骤</translation>
    </message>
    <message>
        <source>{n} steps</source>
        <translation>{n} 个步骤</translation>
    </message>
    <message>
        <source>Export on the cluster</source>
        <translation>在集群上导出</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>所有文件 (*)</translation>
    </message>
    <message>
        <source>Exporting on the cluster</source>
        <translation>正在集群上导出</translation>
    </message>
    <message>
        <source>{name} written: {share} of its weights are pruned.</source>
        <translation>已写入 {name}：其 {share} 的权重已剪枝。</translation>
    </message>
    <message>
        <source>Writing Python script</source>
        <translation>正在写入 Python 脚本</translation>
    </message>
    <message>
        <source>Python script copied: {steps}, with calls of torch.nn.utils.prune only.</source>
        <translation>已复制 Python 脚本：{steps}，仅调用 torch.nn.utils.prune。</translation>
    </message>
    <message>
        <source>Save script and masks</source>
        <translation>保存脚本和掩码</translation>
    </message>
    <message>
        <source>Python files (*.py)</source>
        <translation>Python 文件 (*.py)</translation>
    </message>
    <message>
        <source>Python script copied and saved as {file}: {own} of {steps} with calls of torch.nn.utils.prune, the others with masks from {masks}.</source>
        <translation>已复制 Python 脚本并保存为 {file}：{steps}中 {own} 个调用 torch.nn.utils.prune，其余使用 {masks} 中的掩码。</translation>
    </message>
</context>
<context>
    <name>RecipeDialog</name>
    <message>
        <source>Apply 1 step</source>
        <translation>应用 1 个步骤</translation>
    </message>
    <message>
        <source>Apply {n} steps</source>
        <translation>应用 {n} 个步骤</translation>
    </message>
    <message>
        <source>Apply recipe</source>
        <translation>应用配方</translation>
    </message>
    <message>
        <source>Recipe</source>
        <translation>配方</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>是</translation>
    </message>
    <message>
        <source>no</source>
        <translation>否</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步骤</translation>
    </message>
    <message>
        <source>Tensors</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>Matches</source>
        <translation>匹配项</translation>
    </message>
    <message>
        <source>Steps of the recipe</source>
        <translation>配方的步骤</translation>
    </message>
    <message>
        <source>Problems</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>✕ 1 problem</source>
        <translation>✕ 1 个问题</translation>
    </message>
    <message>
        <source>✕ {n} problems</source>
        <translation>✕ {n} 个问题</translation>
    </message>
    <message>
        <source>Export on the cluster…</source>
        <translation>在集群上导出…</translation>
    </message>
    <message>
        <source>The cluster {address} does the steps and writes a new file.</source>
        <translation>集群 {address} 执行这些步骤并写入新文件。</translation>
    </message>
    <message>
        <source>This recipe is empty.</source>
        <translation>此配方为空。</translation>
    </message>
    <message>
        <source>Nothing was applied. Edit the recipe, or open the file that it was made for.</source>
        <translation>未应用任何内容。请编辑配方，或打开它所对应的文件。</translation>
    </message>
    <message>
        <source>The steps are applied to the current state. Each step can be undone separately.</source>
        <translation>这些步骤应用于当前状态。每个步骤都可单独撤销。</translation>
    </message>
</context>
<context>
    <name>RecoveryView</name>
    <message>
        <source>Recovery</source>
        <translation>恢复工作</translation>
    </message>
    <message>
        <source>Pruneapp was closed unexpectedly</source>
        <translation>Pruneapp 曾意外关闭</translation>
    </message>
    <message>
        <source>Ask again next time</source>
        <translation>下次再问</translation>
    </message>
    <message>
        <source>An export was interrupted</source>
        <translation>一次导出被中断</translation>
    </message>
    <message>
        <source>{n} more</source>
        <translation>另外 {n} 个</translation>
    </message>
    <message>
        <source>{steps} on {file}, {time}</source>
        <translation>{file} 上的{steps}，{time}</translation>
    </message>
    <message>
        <source>1 step</source>
        <translation>1 个步骤</translation>
    </message>
    <message>
        <source>{n} steps</source>
        <translation>{n} 个步骤</translation>
    </message>
    <message>
        <source>1 undone step</source>
        <translation>1 个已撤销的步骤</translation>
    </message>
    <message>
        <source>{n} undone steps</source>
        <translation>{n} 个已撤销的步骤</translation>
    </message>
    <message>
        <source>Work saved by a newer version of Pruneapp, {time}</source>
        <translation>由更新版本的 Pruneapp 保存的工作，{time}</translation>
    </message>
    <message>
        <source>Metrics</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>{last} ({n} undone or on other branches)</source>
        <translation>{last}（{n} 个已撤销或在其他分支上）</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>恢复</translation>
    </message>
    <message>
        <source>Restore {what}</source>
        <translation>恢复 {what}</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Delete {what}</source>
        <translation>删除 {what}</translation>
    </message>
    <message>
        <source>The last step is recomputed.</source>
        <translation>最后一个步骤将重新计算。</translation>
    </message>
    <message>
        <source>The last {n} steps are recomputed.</source>
        <translation>最后 {n} 个步骤将重新计算。</translation>
    </message>
    <message>
        <source>1 temporary file of an export, {size}</source>
        <translation>1 个导出的临时文件，{size}</translation>
    </message>
    <message>
        <source>{n} temporary files of exports, {size}</source>
        <translation>{n} 个导出的临时文件，{size}</translation>
    </message>
</context>
<context>
    <name>RepairController</name>
    <message>
        <source>It has statistics of 1 pruned layer.</source>
        <translation>它有 1 个被剪枝层的统计。</translation>
    </message>
    <message>
        <source>It has statistics of {n} pruned layers.</source>
        <translation>它有 {n} 个被剪枝层的统计。</translation>
    </message>
    <message>
        <source>Repair:</source>
        <translation>修复：</translation>
    </message>
    <message>
        <source>Repair cancelled: nothing was changed.</source>
        <translation>修复已取消：未更改任何内容。</translation>
    </message>
    <message>
        <source>1 layer repaired.</source>
        <translation>已修复 1 层。</translation>
    </message>
    <message>
        <source>{n} layers repaired.</source>
        <translation>已修复 {n} 层。</translation>
    </message>
    <message>
        <source>no data, random token ids</source>
        <translation>无数据，随机词元 ID</translation>
    </message>
    <message>
        <source>The model is measured on the text that it was repaired by: its metric will be better than on other texts.</source>
        <translation>模型在用于修复的文本上测量：其指标会比在其他文本上好。</translation>
    </message>
    <message>
        <source>Without labels, the agreement is measured on the images that the model was repaired by: it will be lower on others. Accuracy is measured on others.</source>
        <translation>没有标签时，一致性在用于修复的图像上测量：在其他图像上会更低。准确率在其他图像上测量。</translation>
    </message>
    <message>
        <source>The same script measures the model: make sure that evaluate uses other data than calibrate.</source>
        <translation>同一脚本测量模型：请确保 evaluate 使用与 calibrate 不同的数据。</translation>
    </message>
    <message>
        <source>{name} is worse after the repair: {after}, before it {before}.</source>
        <translation>{name} 在修复后变差：{after}，之前为 {before}。</translation>
    </message>
    <message>
        <source>Undo repair</source>
        <translation>撤销修复</translation>
    </message>
</context>
<context>
    <name>RepairDialog</name>
    <message>
        <source>Repair</source>
        <translation>修复</translation>
    </message>
    <message>
        <source>Changes the remaining weights of pruned layers so that the outputs of each layer come out as those of the unpruned model. No mask is changed. You can undo it.</source>
        <translation>调整被剪枝层的剩余权重，使每层的输出与未剪枝模型一致。不更改任何掩码。可以撤销。</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Pruned</source>
        <translation>已剪枝</translation>
    </message>
    <message>
        <source>Remaining</source>
        <translation>剩余</translation>
    </message>
    <message>
        <source>Statistics</source>
        <translation>统计</translation>
    </message>
    <message>
        <source>Pruned layers</source>
        <translation>被剪枝的层</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Inputs of the layers</source>
        <translation>各层的输入</translation>
    </message>
    <message>
        <source>to be collected</source>
        <translation>待收集</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>是</translation>
    </message>
    <message>
        <source>no</source>
        <translation>否</translation>
    </message>
    <message>
        <source>Repair 1 layer</source>
        <translation>修复 1 层</translation>
    </message>
    <message>
        <source>Repair {n} layers</source>
        <translation>修复 {n} 层</translation>
    </message>
    <message>
        <source>Nothing to repair</source>
        <translation>无需修复</translation>
    </message>
    <message>
        <source>1 pruned layer</source>
        <translation>1 个被剪枝的层</translation>
    </message>
    <message>
        <source>{n} pruned layers</source>
        <translation>{n} 个被剪枝的层</translation>
    </message>
    <message>
        <source>{layers}, {n} of them with statistics</source>
        <translation>{layers}，其中 {n} 个有统计</translation>
    </message>
    <message>
        <source>Sequential runs inputs through the model, and a statistics file has none: choose what runs them, or clear the check box.</source>
        <translation>“逐层顺序”需要让输入通过模型，而统计文件没有输入：请选择能运行输入的来源，或取消勾选。</translation>
    </message>
    <message>
        <source>Memory: about {size} to compute the largest layer.</source>
        <translation>内存：计算最大的层约需 {size}。</translation>
    </message>
    <message>
        <source>Gram matrices: {total}, in temporary files. {rest}</source>
        <translation>格拉姆矩阵：{total}，存于临时文件。{rest}</translation>
    </message>
    <message>
        <source>Gram matrices: {total}, more than the memory limit. They stay in the process that runs the model, which solves the layers. {rest}</source>
        <translation>格拉姆矩阵：{total}，超过内存限制。它们保留在运行模型的进程中，由其求解各层。{rest}</translation>
    </message>
</context>
<context>
    <name>RepairReportDialog</name>
    <message>
        <source>Repaired</source>
        <translation>已修复</translation>
    </message>
    <message>
        <source>1 layer repaired: {moved} weights have new values.</source>
        <translation>已修复 1 层：{moved} 个权重有新值。</translation>
    </message>
    <message>
        <source>{n} layers repaired: {moved} weights have new values.</source>
        <translation>已修复 {n} 层：{moved} 个权重有新值。</translation>
    </message>
    <message>
        <source>{n} biases or running means moved with them.</source>
        <translation>{n} 个偏置或移动均值随之改变。</translation>
    </message>
    <message>
        <source>1 bias or running mean moved with them.</source>
        <translation>1 个偏置或移动均值随之改变。</translation>
    </message>
    <message>
        <source>Inputs: {source}. Solved by {solver}.</source>
        <translation>输入：{source}。由 {solver} 求解。</translation>
    </message>
    <message>
        <source>Inputs: {source}.</source>
        <translation>输入：{source}。</translation>
    </message>
    <message>
        <source>Errors are mean squares of the difference to the outputs of the unpruned layer, relative to these outputs.</source>
        <translation>误差是与未剪枝层输出之差的均方，相对于这些输出。</translation>
    </message>
    <message>
        <source>Sequential: they include what the layers before it have lost, so they are larger than those of a repair of each layer by itself.</source>
        <translation>逐层顺序：误差包含前面各层的损失，因此大于每层单独修复时的误差。</translation>
    </message>
    <message>
        <source>Measure the model on data that the statistics were not collected with: small errors of layers do not prove that it works.</source>
        <translation>请用未参与收集统计的数据测量模型：各层误差小并不能证明模型有效。</translation>
    </message>
    <message>
        <source>Not repaired, no statistics: {names}.</source>
        <translation>未修复，没有统计：{names}。</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Remaining</source>
        <translation>剩余</translation>
    </message>
    <message>
        <source>Moved</source>
        <translation>已改变</translation>
    </message>
    <message>
        <source>Error before</source>
        <translation>之前误差</translation>
    </message>
    <message>
        <source>Error after</source>
        <translation>之后误差</translation>
    </message>
    <message>
        <source>After rounding</source>
        <translation>舍入后</translation>
    </message>
    <message>
        <source>Errors of the layers</source>
        <translation>各层的误差</translation>
    </message>
    <message>
        <source>Sort by</source>
        <translation>排序依据</translation>
    </message>
    <message>
        <source>Order of the layers, largest values first; or click a column heading</source>
        <translation>层的顺序，最大值在前；或点击列标题</translation>
    </message>
    <message>
        <source>File order</source>
        <translation>文件顺序</translation>
    </message>
    <message>
        <source>Undo repair</source>
        <translation>撤销修复</translation>
    </message>
    <message>
        <source>Return to the state before the repair.</source>
        <translation>返回修复之前的状态。</translation>
    </message>
    <message>
        <source>Evaluate…</source>
        <translation>评估…</translation>
    </message>
    <message>
        <source>Measure the model before and after the repair with an evaluation script.</source>
        <translation>用评估脚本测量修复前后的模型。</translation>
    </message>
    <message>
        <source>Copy warnings and errors of the layers.</source>
        <translation>复制警告和各层的误差。</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>&amp;Sort by</source>
        <translation>排序依据(&amp;S)</translation>
    </message>
</context>
<context>
    <name>RoundingNote</name>
    <message>
        <source>Effect of rounding to this dtype.</source>
        <translation>舍入到此 dtype 的影响。</translation>
    </message>
    <message>
        <source>Round to {type}</source>
        <translation>舍入到 {type}</translation>
    </message>
    <message>
        <source>Select this dtype and show the rounding error.</source>
        <translation>选择此 dtype 并显示舍入误差。</translation>
    </message>
    <message>
        <source>{type}: {size}, with 8 significant bits per value.</source>
        <translation>{type}：{size}，每个值 8 位有效位。</translation>
    </message>
</context>
<context>
    <name>RoundsController</name>
    <message>
        <source>This method ranks the remaining weights again before each round, so the result may differ from a single step.</source>
        <translation>此方法在每一轮之前重新对剩余权重排序，因此结果可能与单个步骤不同。</translation>
    </message>
    <message>
        <source>With this method the final mask is the same as after a single step, apart from the rounding of each round. Each round can be inspected, undone and exported.</source>
        <translation>用此方法，除每轮的取整外，最终掩码与单个步骤相同。每一轮都可以查看、撤销和导出。</translation>
    </message>
    <message>
        <source>Iterative pruning</source>
        <translation>迭代剪枝</translation>
    </message>
    <message>
        <source>Pruned in {n} rounds.</source>
        <translation>已在 {n} 轮中剪枝。</translation>
    </message>
</context>
<context>
    <name>RoundsDialog</name>
    <message>
        <source>Iterative pruning</source>
        <translation>迭代剪枝</translation>
    </message>
    <message>
        <source>Pruning step</source>
        <translation>剪枝步骤</translation>
    </message>
    <message>
        <source>Round</source>
        <translation>轮</translation>
    </message>
    <message>
        <source>This round</source>
        <translation>本轮</translation>
    </message>
    <message>
        <source>Cumulative</source>
        <translation>累计</translation>
    </message>
    <message>
        <source>Sparsity</source>
        <translation>稀疏度</translation>
    </message>
    <message>
        <source>Rounds</source>
        <translation>轮数</translation>
    </message>
    <message>
        <source>up to {n}</source>
        <translation>最多 {n}</translation>
    </message>
    <message>
        <source>Prune {weights} weights in 1 round</source>
        <translation>在 1 轮中剪枝 {weights} 个权重</translation>
    </message>
    <message>
        <source>Prune {weights} weights in {n} rounds</source>
        <translation>在 {n} 轮中剪枝 {weights} 个权重</translation>
    </message>
    <message>
        <source>Nothing to prune</source>
        <translation>没有可剪枝的内容</translation>
    </message>
</context>
<context>
    <name>RuleEditor</name>
    <message>
        <source>Tensors</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>方法</translation>
    </message>
    <message>
        <source>Explain the method</source>
        <translation>解释此方法</translation>
    </message>
    <message>
        <source>Load mask…</source>
        <translation>加载掩码…</translation>
    </message>
    <message>
        <source>Load scores…</source>
        <translation>加载分数…</translation>
    </message>
    <message>
        <source>Rank weights by importance scores from a file instead of by magnitude.</source>
        <translation>按文件中的重要性分数而不是幅值对权重排序。</translation>
    </message>
    <message>
        <source>Load statistics…</source>
        <translation>加载统计…</translation>
    </message>
    <message>
        <source>Rank weights by their inputs, from a file of statistics of activations, which pruneapp statistics makes.</source>
        <translation>按输入对权重排序，使用由 pruneapp statistics 生成的激活统计文件。</translation>
    </message>
    <message>
        <source>No layers yet: enter a pattern or choose a type. Until then, this rule is ignored.</source>
        <translation>尚无层：请输入模式或选择类型。在此之前忽略此规则。</translation>
    </message>
    <message>
        <source>Skips 1 matching bias, norm or 1‑D tensor.</source>
        <translation>跳过 1 个匹配的偏置、归一化或一维张量。</translation>
    </message>
    <message>
        <source>Skips {n} matching biases, norms or 1‑D tensors.</source>
        <translation>跳过 {n} 个匹配的偏置、归一化或一维张量。</translation>
    </message>
    <message>
        <source>and {n} more</source>
        <translation>以及另外 {n} 个</translation>
    </message>
    <message>
        <source>The rule skips:</source>
        <translation>此规则跳过：</translation>
    </message>
    <message>
        <source>Or enter a pattern, such as {pattern}.</source>
        <translation>或输入模式，例如 {pattern}。</translation>
    </message>
    <message>
        <source>1 tensor.</source>
        <translation>1 个张量。</translation>
    </message>
    <message>
        <source>{n} tensors.</source>
        <translation>{n} 个张量。</translation>
    </message>
    <message>
        <source>rule {rule} takes {n}</source>
        <translation>规则 {rule} 处理 {n} 个</translation>
    </message>
    <message>
        <source>later rules take {n}</source>
        <translation>之后的规则处理 {n} 个</translation>
    </message>
    <message>
        <source>limits exclude {n}</source>
        <translation>限制排除 {n} 个</translation>
    </message>
    <message>
        <source>{n} of {m} tensors: {why}.</source>
        <translation>{m} 个张量中的 {n} 个：{why}。</translation>
    </message>
    <message>
        <source>no file loaded</source>
        <translation>未加载文件</translation>
    </message>
    <message>
        <source>Ranking: weight magnitude</source>
        <translation>排序依据：权重幅值</translation>
    </message>
    <message>
        <source>There is no method to choose.</source>
        <translation>没有可选择的方法。</translation>
    </message>
    <message>
        <source>Load a mask first.</source>
        <translation>请先加载掩码。</translation>
    </message>
    <message>
        <source>Load statistics of activations first.</source>
        <translation>请先加载激活统计。</translation>
    </message>
    <message>
        <source>no layers yet, ignored</source>
        <translation>尚无层，已忽略</translation>
    </message>
    <message>
        <source>✕ not valid</source>
        <translation>✕ 无效</translation>
    </message>
</context>
<context>
    <name>ScanController</name>
    <message>
        <source>no statistics with Gram matrices are loaded</source>
        <translation>未加载带格拉姆矩阵的统计</translation>
    </message>
    <message>
        <source>the loaded statistics have no Gram matrices</source>
        <translation>加载的统计没有格拉姆矩阵</translation>
    </message>
    <message>
        <source>The current state, {state}, is {share} pruned. Amounts are fractions of what remains of each tensor in it. To scan the unpruned model, go to &apos;Opened&apos; in the history first.</source>
        <translation>当前状态 {state} 已剪枝 {share}。剪枝量是其中每个张量剩余部分的比例。若要扫描未剪枝模型，请先在历史中转到“Opened”。</translation>
    </message>
    <message>
        <source>{tensors} × {amounts}:</source>
        <translation>{tensors} × {amounts}：</translation>
    </message>
    <message>
        <source>1 checked tensor</source>
        <translation>1 个勾选的张量</translation>
    </message>
    <message>
        <source>{n} checked tensors</source>
        <translation>{n} 个勾选的张量</translation>
    </message>
    <message>
        <source>1 amount</source>
        <translation>1 个剪枝量</translation>
    </message>
    <message>
        <source>{n} amounts</source>
        <translation>{n} 个剪枝量</translation>
    </message>
    <message>
        <source>{words} all evaluations ({n}) are measured already.</source>
        <translation>{words} 所有评估（{n} 次）都已测量。</translation>
    </message>
    <message>
        <source>1 evaluation is left</source>
        <translation>剩余 1 次评估</translation>
    </message>
    <message>
        <source>{n} evaluations are left</source>
        <translation>剩余 {n} 次评估</translation>
    </message>
    <message>
        <source>{n} measured already</source>
        <translation>已测量 {n} 次</translation>
    </message>
    <message>
        <source>1 evaluation</source>
        <translation>1 次评估</translation>
    </message>
    <message>
        <source>{n} evaluations</source>
        <translation>{n} 次评估</translation>
    </message>
    <message>
        <source>{n} of them are kept if script, Python and options are the same.</source>
        <translation>若脚本、Python 和选项相同，则保留其中 {n} 次。</translation>
    </message>
    <message>
        <source>About {time}: one evaluation of the unpruned model took {one}.</source>
        <translation>约 {time}：未剪枝模型的一次评估用时 {one}。</translation>
    </message>
    <message>
        <source>The time left is shown once the unpruned model was measured, three times.</source>
        <translation>未剪枝模型测量三次之后会显示剩余时间。</translation>
    </message>
    <message>
        <source>Sensitivity scan:</source>
        <translation>敏感度扫描：</translation>
    </message>
    <message>
        <source>Scan finished: {done}.</source>
        <translation>扫描完成：{done}。</translation>
    </message>
    <message>
        <source>Scan stopped after {done}; the next scan continues it.</source>
        <translation>扫描在 {done} 后停止；下一次扫描会继续。</translation>
    </message>
    <message>
        <source>Scan stopped: nothing was measured.</source>
        <translation>扫描已停止：未测量任何内容。</translation>
    </message>
    <message>
        <source>another script</source>
        <translation>另一个脚本</translation>
    </message>
    <message>
        <source>limit {n}</source>
        <translation>上限 {n}</translation>
    </message>
    <message>
        <source>seed {n}</source>
        <translation>种子 {n}</translation>
    </message>
    <message>
        <source>{n} of {all} evaluations</source>
        <translation>{all} 次评估中的 {n} 次</translation>
    </message>
    <message>
        <source>a deleted state</source>
        <translation>已删除的状态</translation>
    </message>
    <message>
        <source>{method}, repaired</source>
        <translation>{method}，已修复</translation>
    </message>
</context>
<context>
    <name>ScanDialog</name>
    <message>
        <source>Scan sensitivity</source>
        <translation>扫描敏感度</translation>
    </message>
    <message>
        <source>Scan</source>
        <translation>扫描</translation>
    </message>
    <message>
        <source>Prunes one of the checked tensors at a time, by each of the amounts, and measures the model each time in a separate process. The open model is not changed. Whatever was measured when you cancel is kept, and the next scan continues it.</source>
        <translation>每次只剪枝一个勾选的张量，依次按每个剪枝量，每次都在单独的进程中测量模型。打开的模型不变。取消时已测量的内容会保留，下一次扫描会继续。</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>方法</translation>
    </message>
    <message>
        <source>How weights or channels are ranked; settings are those of the form</source>
        <translation>权重或通道的排序方式；设置与表单相同</translation>
    </message>
    <message>
        <source>Amounts</source>
        <translation>剪枝量</translation>
    </message>
    <message>
        <source>Fractions of the remaining weights of each tensor, with commas between them</source>
        <translation>每个张量剩余权重的比例，用逗号分隔</translation>
    </message>
    <message>
        <source>&amp;Method</source>
        <translation>方法(&amp;M)</translation>
    </message>
    <message>
        <source>&amp;Amounts</source>
        <translation>剪枝量(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;Repair each tensor before the model is measured</source>
        <translation>测量模型之前修复每个张量(&amp;R)</translation>
    </message>
    <message>
        <source>By the statistics of activations that are loaded in the form, where Wanda or another method that needs them is chosen; they need Gram matrices.</source>
        <translation>使用表单中加载的激活统计（在表单中选择 Wanda 或其他需要它的方法）；需要格拉姆矩阵。</translation>
    </message>
</context>
<context>
    <name>ScopeRow</name>
    <message>
        <source>per tensor</source>
        <translation>逐张量</translation>
    </message>
    <message>
        <source>Each tensor is pruned to the same fraction of its own weights.</source>
        <translation>每个张量剪枝其自身权重的相同比例。</translation>
    </message>
    <message>
        <source>global</source>
        <translation>全局</translation>
    </message>
    <message>
        <source>One threshold for all tensors of a rule: the fraction pruned varies by tensor.</source>
        <translation>规则的所有张量共用一个阈值：各张量被剪枝的比例不同。</translation>
    </message>
    <message>
        <source>Scope</source>
        <translation>范围</translation>
    </message>
</context>
<context>
    <name>ScriptConsent</name>
    <message>
        <source>Run this script? It is new.</source>
        <translation>运行此脚本？这是新的脚本。</translation>
    </message>
    <message>
        <source>Run this script? It has changed since you last ran it.</source>
        <translation>运行此脚本？自上次运行以来它已更改。</translation>
    </message>
    <message>
        <source>Run this script with another Python than last time?</source>
        <translation>用与上次不同的 Python 运行此脚本？</translation>
    </message>
</context>
<context>
    <name>ScriptConsentDialog</name>
    <message>
        <source>Lines of the script</source>
        <translation>脚本的行</translation>
    </message>
    <message>
        <source>All {n} lines</source>
        <translation>全部 {n} 行</translation>
    </message>
    <message>
        <source>The first {shown} of {n} lines</source>
        <translation>{n} 行中的前 {shown} 行</translation>
    </message>
    <message>
        <source>A script is a program: it can read and change your files and use the network, as if you started it yourself. It runs in a separate process, which is not a sandbox. Only run scripts that you have read or whose author you trust.</source>
        <translation>脚本是程序：它可以读取和更改您的文件并使用网络，如同您自己启动它。它在单独的进程中运行，但这不是沙箱。只运行您读过的脚本，或来自您信任的作者的脚本。</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Python</source>
        <translation>Python</translation>
    </message>
    <message>
        <source>SHA-256</source>
        <translation>SHA-256</translation>
    </message>
    <message>
        <source>Run script</source>
        <translation>运行脚本</translation>
    </message>
</context>
<context>
    <name>ScriptController</name>
    <message>
        <source>Runs {program} in {folder}.</source>
        <translation>在 {folder} 中运行 {program}。</translation>
    </message>
    <message>
        <source>Runs with {python} ({found}).</source>
        <translation>使用 {python} 运行（{found}）。</translation>
    </message>
    <message>
        <source>The limit has no effect: no function of the script takes &apos;limit&apos;.</source>
        <translation>上限无效：脚本中没有函数接受“limit”。</translation>
    </message>
    <message>
        <source>Accuracy of {model} on {n} of {images}.</source>
        <translation>{model} 在 {images} 中 {n} 个上的准确率。</translation>
    </message>
    <message>
        <source>Agreement of {model} with the unpruned model on {n} of {images} ({folders}, but {classes}).</source>
        <translation>{model} 与未剪枝模型在 {images} 中 {n} 个上的一致性（{folders}，但有 {classes}）。</translation>
    </message>
    <message>
        <source>Agreement of {model} with the unpruned model on {n} of {images}.</source>
        <translation>{model} 与未剪枝模型在 {images} 中 {n} 个上的一致性。</translation>
    </message>
    <message>
        <source>1 image</source>
        <translation>1 张图像</translation>
    </message>
    <message>
        <source>{n} images</source>
        <translation>{n} 张图像</translation>
    </message>
    <message>
        <source>1 subfolder</source>
        <translation>1 个子文件夹</translation>
    </message>
    <message>
        <source>{n} subfolders</source>
        <translation>{n} 个子文件夹</translation>
    </message>
    <message>
        <source>1 class</source>
        <translation>1 个类别</translation>
    </message>
    <message>
        <source>{n} classes</source>
        <translation>{n} 个类别</translation>
    </message>
</context>
<context>
    <name>SeedEditor</name>
    <message>
        <source>Generate a new seed</source>
        <translation>生成新的种子</translation>
    </message>
</context>
<context>
    <name>SensitivityView</name>
    <message>
        <source>Metric</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>Metric by which damage is measured</source>
        <translation>衡量损害的指标</translation>
    </message>
    <message>
        <source>Scan…</source>
        <translation>扫描…</translation>
    </message>
    <message>
        <source>Measure the damage of pruning each checked tensor alone</source>
        <translation>测量单独剪枝每个勾选张量的损害</translation>
    </message>
    <message>
        <source>Allocate…</source>
        <translation>分配…</translation>
    </message>
    <message>
        <source>Choose the sparsity of each tensor for the least predicted damage</source>
        <translation>为每个张量选择稀疏度，使预测的损害最小</translation>
    </message>
    <message>
        <source>Restore settings</source>
        <translation>恢复设置</translation>
    </message>
    <message>
        <source>Reset the form to its settings before a cell was clicked</source>
        <translation>将表单恢复为点击单元格之前的设置</translation>
    </message>
    <message>
        <source>Order</source>
        <translation>顺序</translation>
    </message>
    <message>
        <source>Order of the tensors</source>
        <translation>张量的顺序</translation>
    </message>
    <message>
        <source>In file order</source>
        <translation>按文件顺序</translation>
    </message>
    <message>
        <source>Most sensitive first</source>
        <translation>最敏感的在前</translation>
    </message>
    <message>
        <source>Largest first</source>
        <translation>最大的在前</translation>
    </message>
    <message>
        <source>Scan</source>
        <translation>扫描</translation>
    </message>
    <message>
        <source>Go to this state</source>
        <translation>转到此状态</translation>
    </message>
    <message>
        <source>Make the scanned state the current one</source>
        <translation>使被扫描的状态成为当前状态</translation>
    </message>
    <message>
        <source>tensors</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>pruned, one tensor at a time</source>
        <translation>已剪枝，每次一个张量</translation>
    </message>
    <message>
        <source>Nothing has been scanned yet. Choose Tools &gt; Scan sensitivity… to measure how much of each tensor the model can spare.</source>
        <translation>尚未扫描。选择“工具 &gt; 扫描敏感度…”以测量模型能舍弃每个张量的多少。</translation>
    </message>
    <message>
        <source>Which of the scans is shown</source>
        <translation>显示哪一次扫描</translation>
    </message>
    <message>
        <source>{name}, {amount} pruned:  {what}</source>
        <translation>{name}，{amount} 已剪枝：  {what}</translation>
    </message>
    <message>
        <source>not measured yet</source>
        <translation>尚未测量</translation>
    </message>
    <message>
        <source>{metric} is not a finite number</source>
        <translation>{metric} 不是有限数</translation>
    </message>
    <message>
        <source>no difference</source>
        <translation>没有差异</translation>
    </message>
    <message>
        <source>no difference found within ±{noise}</source>
        <translation>在 ±{noise} 内未发现差异</translation>
    </message>
    <message>
        <source>{amount} worse</source>
        <translation>差 {amount}</translation>
    </message>
    <message>
        <source>{amount} better</source>
        <translation>好 {amount}</translation>
    </message>
    <message>
        <source>The scanned state was deleted.</source>
        <translation>被扫描的状态已删除。</translation>
    </message>
    <message>
        <source>Scanned state: {state}, the current one.</source>
        <translation>被扫描的状态：{state}，即当前状态。</translation>
    </message>
    <message>
        <source>Scanned state: {state}. The current state is another one.</source>
        <translation>被扫描的状态：{state}。当前状态是另一个。</translation>
    </message>
    <message>
        <source>Method: {method}.</source>
        <translation>方法：{method}。</translation>
    </message>
    <message>
        <source>Before pruning: {metric} {value}.</source>
        <translation>剪枝之前：{metric} {value}。</translation>
    </message>
    <message>
        <source>Repeatable; the uncertainty of the data is not known.</source>
        <translation>可重复；数据的不确定度未知。</translation>
    </message>
    <message>
        <source>{n} of {all} evaluations measured</source>
        <translation>{all} 次评估中已测量 {n} 次</translation>
    </message>
    <message>
        <source>largest damage: {name} at {amount}, {damage}</source>
        <translation>最大损害：{name} 在 {amount} 时，{damage}</translation>
    </message>
    <message>
        <source>no damage beyond the noise</source>
        <translation>没有超出噪声的损害</translation>
    </message>
    <message>
        <source>tensor</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>{metric} at {amount}</source>
        <translation>{amount} 时的{metric}</translation>
    </message>
    <message>
        <source>Damage by tensor and amount</source>
        <translation>按张量和剪枝量的损害</translation>
    </message>
    <message>
        <source>{n} worse (logarithmic)</source>
        <translation>差 {n}（对数）</translation>
    </message>
    <message>
        <source>0</source>
        <translation>0</translation>
    </message>
    <message>
        <source>not measured</source>
        <translation>未测量</translation>
    </message>
    <message>
        <source>measured before</source>
        <translation>此前测量</translation>
    </message>
    <message>
        <source>of another state</source>
        <translation>属于另一个状态</translation>
    </message>
    <message>
        <source>of another state, measured before</source>
        <translation>属于另一个状态，此前测量</translation>
    </message>
</context>
<context>
    <name>SessionController</name>
    <message>
        <source>Exported {name}. Undo is kept only in a session ({keys}).</source>
        <translation>已导出 {name}。只有会话 ({keys}) 能保留撤销。</translation>
    </message>
    <message>
        <source>Exported {name}. Undo and other branches are kept only in a session ({keys}).</source>
        <translation>已导出 {name}。只有会话 ({keys}) 能保留撤销和其他分支。</translation>
    </message>
    <message>
        <source>Save session</source>
        <translation>保存会话</translation>
    </message>
    <message>
        <source>Sessions ({patterns})</source>
        <translation>会话 ({patterns})</translation>
    </message>
    <message>
        <source>Saving session</source>
        <translation>正在保存会话</translation>
    </message>
    <message>
        <source>Saved {name}, {size}</source>
        <translation>已保存 {name}，{size}</translation>
    </message>
    <message>
        <source>The masks of &apos;{name}&apos; can be applied to this file, without the history.</source>
        <translation>“{name}”的掩码可以应用到此文件，但不含历史。</translation>
    </message>
    <message>
        <source>Use masks</source>
        <translation>使用掩码</translation>
    </message>
    <message>
        <source>Locate…</source>
        <translation>定位…</translation>
    </message>
    <message>
        <source>Locate the checkpoint of &apos;{name}&apos;</source>
        <translation>定位“{name}”的检查点</translation>
    </message>
</context>
<context>
    <name>SettingsController</name>
    <message>
        <source>The language changes when the window is opened again. Your work is kept.</source>
        <translation>重新打开窗口后语言才会更改。您的工作会保留。</translation>
    </message>
    <message>
        <source>Open again</source>
        <translation>重新打开</translation>
    </message>
    <message>
        <source>Automatic: {device}</source>
        <translation>自动：{device}</translation>
    </message>
    <message>
        <source>Cluster…</source>
        <translation>集群…</translation>
    </message>
    <message>
        <source>Cluster {address}…</source>
        <translation>集群 {address}…</translation>
    </message>
    <message>
        <source>{setting}: turn off</source>
        <translation>{setting}：关闭</translation>
    </message>
    <message>
        <source>{setting}: turn on</source>
        <translation>{setting}：打开</translation>
    </message>
    <message>
        <source>Load a pruning method</source>
        <translation>加载剪枝方法</translation>
    </message>
    <message>
        <source>Python files (*.py)</source>
        <translation>Python 文件 (*.py)</translation>
    </message>
    <message>
        <source>Loading method</source>
        <translation>正在加载方法</translation>
    </message>
    <message>
        <source>Open the menu {menu}</source>
        <translation>打开菜单“{menu}”</translation>
    </message>
</context>
<context>
    <name>ShortcutDialog</name>
    <message>
        <source>Change keyboard shortcuts</source>
        <translation>更改键盘快捷键</translation>
    </message>
    <message>
        <source>Search by name</source>
        <translation>按名称搜索</translation>
    </message>
    <message>
        <source>Part of the name of a command</source>
        <translation>命令名称的一部分</translation>
    </message>
    <message>
        <source>Search by pressing keys</source>
        <translation>按下按键进行搜索</translation>
    </message>
    <message>
        <source>Commands and shortcuts</source>
        <translation>命令和快捷键</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>Shortcut</source>
        <translation>快捷键</translation>
    </message>
    <message>
        <source>Default</source>
        <translation>默认</translation>
    </message>
    <message>
        <source>No matches.</source>
        <translation>没有匹配项。</translation>
    </message>
    <message>
        <source>New shortcut</source>
        <translation>新快捷键</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>重置</translation>
    </message>
    <message>
        <source>Reassign</source>
        <translation>重新分配</translation>
    </message>
    <message>
        <source>Reset all</source>
        <translation>全部重置</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>or by keys:</source>
        <translation>或按键：</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>New shortcut of “{command}”:</source>
        <translation>“{command}”的新快捷键：</translation>
    </message>
    <message>
        <source>{keys} is needed in the window: {what}. Press other keys.</source>
        <translation>{keys} 在窗口中另有用途：{what}。请按其他键。</translation>
    </message>
    <message>
        <source>{keys} is the shortcut of “{command}”.</source>
        <translation>{keys} 是“{command}”的快捷键。</translation>
    </message>
    <message>
        <source>Changed from {before} to {keys}.</source>
        <translation>已从 {before} 改为 {keys}。</translation>
    </message>
    <message>
        <source>Changed to {keys}.</source>
        <translation>已改为 {keys}。</translation>
    </message>
    <message>
        <source>{before} removed.</source>
        <translation>已移除 {before}。</translation>
    </message>
    <message>
        <source>In text fields, {keys} types text instead.</source>
        <translation>在文本框中，{keys} 则输入文字。</translation>
    </message>
    <message>
        <source>In text fields, {keys} edits the text instead.</source>
        <translation>在文本框中，{keys} 则编辑文字。</translation>
    </message>
    <message>
        <source>All shortcuts were reset.</source>
        <translation>所有快捷键均已重置。</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
</context>
<context>
    <name>Shrink</name>
    <message>
        <source>✓ computes the same</source>
        <translation>✓ 计算结果相同</translation>
    </message>
    <message>
        <source>▲ changes what the model computes</source>
        <translation>▲ 改变模型的计算结果</translation>
    </message>
    <message>
        <source>△ computes the same for these texts</source>
        <translation>△ 对这些文本计算结果相同</translation>
    </message>
    <message>
        <source>The weights alone do not say how much is lost: plan to train, and evaluate the result.</source>
        <translation>仅凭权重无法判断损失多少：请计划训练，并评估结果。</translation>
    </message>
    <message>
        <source>▲ This cuts more than a third.</source>
        <translation>▲ 这裁去了三分之一以上。</translation>
    </message>
    <message>
        <source>▲ This cuts more than a third. Without training, Torch-Pruning reports perplexities of 28,358 to 576,501 for language models at 43–50 % of all widths; NVIDIA cuts up to a third and distills afterwards.</source>
        <translation>▲ 这裁去了三分之一以上。未经训练，Torch-Pruning 报告语言模型在所有宽度减少 43–50 % 时困惑度为 28,358 到 576,501；NVIDIA 最多裁去三分之一，然后进行蒸馏。</translation>
    </message>
    <message>
        <source>The weights alone do not say how much is lost: plan to train, and evaluate the result. NVIDIA cuts up to a third and distills afterwards.</source>
        <translation>仅凭权重无法判断损失多少：请计划训练，并评估结果。NVIDIA 最多裁去三分之一，然后进行蒸馏。</translation>
    </message>
    <message>
        <source>Starts Python, and has the class in transformers take the shapes, without weights.</source>
        <translation>启动 Python，让 transformers 中的类接受这些形状，不含权重。</translation>
    </message>
    <message>
        <source>Starts Python, writes the model with zeros beside the folder for the moment, and compares the outputs of both in float32. Also says how far they are from those of the model before pruning. Needs memory and disk for both.</source>
        <translation>启动 Python，临时在文件夹旁写入含零的模型，并以 float32 比较两者的输出。还会给出与剪枝前模型输出的差距。两者都需要内存和磁盘空间。</translation>
    </message>
    <message>
        <source>Always done: the folder is read back, and its tensors are compared with the model.</source>
        <translation>始终执行：回读文件夹，并将其张量与模型比较。</translation>
    </message>
</context>
<context>
    <name>ShrinkForecasts</name>
    <message>
        <source>Looking for dead units</source>
        <translation>正在查找失效单元</translation>
    </message>
    <message>
        <source>The search for dead units was cancelled.</source>
        <translation>失效单元的查找已取消。</translation>
    </message>
</context>
<context>
    <name>ShrinkPage</name>
    <message>
        <source>“Full size” exports it with zeros in place of what is pruned. docs/shrink.md lists the types that can be shrunk.</source>
        <translation>“原尺寸”会以零代替被剪枝的部分导出。docs/shrink.md 列出了可缩减的类型。</translation>
    </message>
    <message>
        <source>Looking for dead units…</source>
        <translation>正在查找失效单元…</translation>
    </message>
    <message>
        <source>Looking for dead units</source>
        <translation>正在查找失效单元</translation>
    </message>
    <message>
        <source>Look again</source>
        <translation>重新查找</translation>
    </message>
    <message>
        <source>Rank by</source>
        <translation>排序依据</translation>
    </message>
    <message>
        <source>The units that rank lowest go first: by a norm over all their tensors, or by scores that you computed.</source>
        <translation>排名最低的单元先裁：按其所有张量的范数，或按您计算的分数。</translation>
    </message>
    <message>
        <source>L2 norm</source>
        <translation>L2 范数</translation>
    </message>
    <message>
        <source>L1 norm</source>
        <translation>L1 范数</translation>
    </message>
    <message>
        <source>Mean magnitude</source>
        <translation>平均幅值</translation>
    </message>
    <message>
        <source>Scores…</source>
        <translation>分数…</translation>
    </message>
    <message>
        <source>Choose a safetensors file with a vector of scores for each group, by the name that pruneapp shrink --list --json gives it; or statistics of activations, which rank by Wanda.</source>
        <translation>选择一个 safetensors 文件，其中每组有一个分数向量，名称由 pruneapp shrink --list --json 给出；或选择激活统计，按 Wanda 排序。</translation>
    </message>
    <message>
        <source>Multiple</source>
        <translation>倍数</translation>
    </message>
    <message>
        <source>The number of FFN neurons, channels or tokens that stay is rounded up to a multiple of this: some kernels refuse other widths, others are slow with them.</source>
        <translation>保留的 FFN 神经元、通道或词元数量向上取整到它的倍数：有些内核不接受其他宽度，有些则会变慢。</translation>
    </message>
    <message>
        <source>Write as another type</source>
        <translation>写为另一种类型</translation>
    </message>
    <message>
        <source>Check</source>
        <translation>检查</translation>
    </message>
    <message>
        <source>The files are always read back and compared with the pruned model. The class can be built or run by a Python that has transformers.</source>
        <translation>文件总会被重新读取并与剪枝后的模型比较。类可以由装有 transformers 的 Python 构建或运行。</translation>
    </message>
    <message>
        <source>Read back and compare</source>
        <translation>重新读取并比较</translation>
    </message>
    <message>
        <source>Class (meta device)</source>
        <translation>类（meta 设备）</translation>
    </message>
    <message>
        <source>Run and compare outputs</source>
        <translation>运行并比较输出</translation>
    </message>
    <message>
        <source>In multiples of</source>
        <translation>取整倍数</translation>
    </message>
    <message>
        <source>What is cut</source>
        <translation>裁去的内容</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>config.json</source>
        <translation>config.json</translation>
    </message>
    <message>
        <source>Compatible with</source>
        <translation>兼容</translation>
    </message>
    <message>
        <source>score in the file</source>
        <translation>文件中的分数</translation>
    </message>
    <message>
        <source>Dead units go without loss. Sliders and numbers cut more: the units of the lowest {rank} go first.</source>
        <translation>失效单元可无损裁去。滑块和数字会裁去更多：{rank} 最低的单元先裁。</translation>
    </message>
    <message>
        <source>Scores of {file}</source>
        <translation>{file} 的分数</translation>
    </message>
    <message>
        <source>File of scores</source>
        <translation>分数文件</translation>
    </message>
    <message>
        <source>safetensors (*.safetensors)</source>
        <translation>safetensors (*.safetensors)</translation>
    </message>
    <message>
        <source>calculating…</source>
        <translation>正在计算…</translation>
    </message>
    <message>
        <source>Units of each group</source>
        <translation>每组的单元</translation>
    </message>
    <message>
        <source>Changes of config.json</source>
        <translation>config.json 的更改</translation>
    </message>
    <message>
        <source>  nothing changes</source>
        <translation>  没有变化</translation>
    </message>
    <message>
        <source>Write as &apos;{other}&apos;, which computes the same and takes any heads</source>
        <translation>写为“{other}”，计算结果相同，并接受任意数量的头</translation>
    </message>
    <message>
        <source>nothing is cut yet</source>
        <translation>尚未裁去任何内容</translation>
    </message>
</context>
<context>
    <name>SideFiles</name>
    <message>
        <source>Comparison script</source>
        <translation>比较脚本</translation>
    </message>
    <message>
        <source>Python script that loads both files into your model and compares the outputs.</source>
        <translation>将两个文件加载到您的模型中并比较输出的 Python 脚本。</translation>
    </message>
    <message>
        <source>Report</source>
        <translation>报告</translation>
    </message>
    <message>
        <source>Steps, sparsity and norm² retained per tensor, sizes, checksums.</source>
        <translation>步骤、每个张量的稀疏度和保留的范数²、大小、校验和。</translation>
    </message>
    <message>
        <source>Report format</source>
        <translation>报告格式</translation>
    </message>
    <message>
        <source>File format of the report.</source>
        <translation>报告的文件格式。</translation>
    </message>
    <message>
        <source>HTML page</source>
        <translation>HTML 页面</translation>
    </message>
    <message>
        <source>CSV table</source>
        <translation>CSV 表格</translation>
    </message>
    <message>
        <source>JSON</source>
        <translation>JSON</translation>
    </message>
</context>
<context>
    <name>SideMetrics</name>
    <message>
        <source>Metrics of A and B</source>
        <translation>A 和 B 的指标</translation>
    </message>
    <message>
        <source>Differences within the noise count as none. For two pruned states only the most that the noise can be is known, the sum of their noises against the unpruned model: a difference within it is uncertain.</source>
        <translation>噪声范围内的差异视为没有差异。对于两个剪枝状态，只知道噪声的最大可能值，即它们相对于未剪枝模型的噪声之和：在此范围内的差异不确定。</translation>
    </message>
    <message>
        <source>metric</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>difference</source>
        <translation>差异</translation>
    </message>
    <message>
        <source>noise</source>
        <translation>噪声</translation>
    </message>
    <message>
        <source>at most {noise}</source>
        <translation>最多 {noise}</translation>
    </message>
    <message>
        <source>not evaluated</source>
        <translation>未评估</translation>
    </message>
    <message>
        <source>{amount}, uncertain</source>
        <translation>{amount}，不确定</translation>
    </message>
    <message>
        <source>none ({amount})</source>
        <translation>无（{amount}）</translation>
    </message>
    <message>
        <source>{amount}, better</source>
        <translation>{amount}，更好</translation>
    </message>
    <message>
        <source>{amount}, worse</source>
        <translation>{amount}，更差</translation>
    </message>
</context>
<context>
    <name>SizeBox</name>
    <message>
        <source>{value} is not possible: the next is {size}.</source>
        <translation>{value} 不可用：最接近的是 {size}。</translation>
    </message>
</context>
<context>
    <name>SizeStrip</name>
    <message>
        <source>Size of the tensors</source>
        <translation>张量的大小</translation>
    </message>
    <message>
        <source>The whole file in order: width is the size in bytes, the filled part is pruned</source>
        <translation>按顺序显示整个文件：宽度为字节大小，填充部分为已剪枝</translation>
    </message>
</context>
<context>
    <name>SizeTable</name>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>Bytes of the files of weights.</source>
        <translation>权重文件的字节数。</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>KV cache per token</source>
        <translation>每个词元的 KV 缓存</translation>
    </message>
    <message>
        <source>Bytes of keys and values, in the dtype of the weights.</source>
        <translation>键和值的字节数，按权重的 dtype 计。</translation>
    </message>
    <message>
        <source>Multiply-adds per token</source>
        <translation>每个词元的乘加运算</translation>
    </message>
    <message>
        <source>Products of a token with every weight that it passes. Not counted: attention scores, which grow with the text, and what a text passes once (a pooler, a classifier).</source>
        <translation>词元与其经过的每个权重的乘积。不计：随文本长度增长的注意力分数，以及文本只经过一次的部分（池化层、分类器）。</translation>
    </message>
    <message>
        <source>{what}: {before}, after the cut {after}</source>
        <translation>{what}：{before}，裁剪后 {after}</translation>
    </message>
</context>
<context>
    <name>SourceChoice</name>
    <message>
        <source>Python</source>
        <translation>Python</translation>
    </message>
    <message>
        <source>The interpreter of the environment in which the model runs.</source>
        <translation>运行模型的环境的解释器。</translation>
    </message>
    <message>
        <source>automatic</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>P&amp;ython</source>
        <translation>Python(&amp;Y)</translation>
    </message>
    <message>
        <source>Browse…</source>
        <translation>浏览…</translation>
    </message>
    <message>
        <source>Limit</source>
        <translation>上限</translation>
    </message>
    <message>
        <source>How many samples are measured at most: of a script, &apos;limit&apos;, if its functions take it.</source>
        <translation>最多测量多少个样本：对于脚本，若其函数接受“limit”则为该参数。</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>种子</translation>
    </message>
    <message>
        <source>With which random, NumPy and torch are seeded before each call: &apos;seed&apos; of a script, {seed} of a command line.</source>
        <translation>每次调用前用于初始化 random、NumPy 和 torch 的种子：脚本的“seed”，命令行的 {seed}。</translation>
    </message>
    <message>
        <source>See&amp;d</source>
        <translation>种子(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;Limit</source>
        <translation>上限(&amp;L)</translation>
    </message>
    <message>
        <source>Unpruned model</source>
        <translation>未剪枝模型</translation>
    </message>
    <message>
        <source>The file or folder before it was pruned, if it was pruned elsewhere and the zeros of the open file are treated as pruned.</source>
        <translation>剪枝之前的文件或文件夹，适用于在别处剪枝、且打开文件中的零视为已剪枝的情况。</translation>
    </message>
    <message>
        <source>the open file</source>
        <translation>打开的文件</translation>
    </message>
    <message>
        <source>&amp;Unpruned model</source>
        <translation>未剪枝模型(&amp;U)</translation>
    </message>
    <message>
        <source>Python interpreter</source>
        <translation>Python 解释器</translation>
    </message>
</context>
<context>
    <name>Start</name>
    <message>
        <source>Opening</source>
        <translation>正在打开</translation>
    </message>
</context>
<context>
    <name>StateDelegate</name>
    <message>
        <source>Scroll the history</source>
        <translation>滚动历史</translation>
    </message>
</context>
<context>
    <name>StateSelector</name>
    <message>
        <source>Swap A and B</source>
        <translation>交换 A 和 B</translation>
    </message>
    <message>
        <source>Base of the comparison</source>
        <translation>比较的基准</translation>
    </message>
    <message>
        <source>Compared with A</source>
        <translation>与 A 比较</translation>
    </message>
    <message>
        <source>Current state</source>
        <translation>当前状态</translation>
    </message>
    <message>
        <source>Another file…</source>
        <translation>另一个文件…</translation>
    </message>
    <message>
        <source>Another folder…</source>
        <translation>另一个文件夹…</translation>
    </message>
    <message>
        <source>{label} (current state)</source>
        <translation>{label}（当前状态）</translation>
    </message>
</context>
<context>
    <name>StatusController</name>
    <message>
        <source>Export…</source>
        <translation>导出…</translation>
    </message>
    <message>
        <source>Export… {size}</source>
        <translation>导出… {size}</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>撤销(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>重做(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Undo pruning</source>
        <translation>撤销剪枝(&amp;U)</translation>
    </message>
    <message>
        <source>&apos;{title}&apos; cannot be cancelled while the code of a custom method is running. Wait, or quit; your file is unchanged.</source>
        <translation>自定义方法的代码正在运行，无法取消“{title}”。请等待或退出；您的文件不变。</translation>
    </message>
    <message>
        <source>&apos;{title}&apos; is being cancelled. Your file is unchanged.</source>
        <translation>正在取消“{title}”。您的文件不变。</translation>
    </message>
</context>
<context>
    <name>StepFigures</name>
    <message>
        <source>Norm²</source>
        <translation>范数²</translation>
    </message>
    <message>
        <source>Sum of squares</source>
        <translation>平方和</translation>
    </message>
    <message>
        <source>L1 norm</source>
        <translation>L1 范数</translation>
    </message>
    <message>
        <source>Sum of magnitudes</source>
        <translation>幅值之和</translation>
    </message>
    <message>
        <source>{norm} retained (this step)</source>
        <translation>保留的{norm}（此步骤）</translation>
    </message>
    <message>
        <source>{sum} of the remaining weights after this step, relative to before it, over the tensors of this step.</source>
        <translation>此步骤之后剩余权重的{sum}，相对于此步骤之前，针对此步骤的张量。</translation>
    </message>
    <message>
        <source>{norm} retained (whole model)</source>
        <translation>保留的{norm}（整个模型）</translation>
    </message>
    <message>
        <source>{sum} of the remaining weights, relative to the file as it was opened, over the whole model.</source>
        <translation>剩余权重的{sum}，相对于打开时的文件，针对整个模型。</translation>
    </message>
    <message>
        <source>{norm} retained (without repair)</source>
        <translation>保留的{norm}（不计修复）</translation>
    </message>
    <message>
        <source>{sum} of the remaining weights with their values in the file, relative to the file as it was opened, over the whole model: what pruning left before the repair.</source>
        <translation>剩余权重按文件中的值的{sum}，相对于打开时的文件，针对整个模型：修复之前剪枝所留下的。</translation>
    </message>
    <message>
        <source>up to </source>
        <translation>最多 </translation>
    </message>
    <message>
        <source>at least </source>
        <translation>至少 </translation>
    </message>
    <message>
        <source>{n} of {all}</source>
        <translation>{all} 中的 {n}</translation>
    </message>
    <message>
        <source>{before} → {after}</source>
        <translation>{before} → {after}</translation>
    </message>
    <message>
        <source>Pruned of remaining</source>
        <translation>剩余中被剪枝</translation>
    </message>
    <message>
        <source>Weights pruned</source>
        <translation>被剪枝的权重</translation>
    </message>
    <message>
        <source>This step, of the weights of its tensors that were not pruned before it.</source>
        <translation>此步骤，针对其张量中此前未剪枝的权重。</translation>
    </message>
    <message>
        <source>Whole model</source>
        <translation>整个模型</translation>
    </message>
    <message>
        <source>Tensors</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>Those that it prunes: by rules or check marks</source>
        <translation>由规则或勾选决定的、此步骤剪枝的张量</translation>
    </message>
    <message>
        <source>Tensors with pruned weights</source>
        <translation>含被剪枝权重的张量</translation>
    </message>
</context>
<context>
    <name>StepInfoController</name>
    <message>
        <source>Target file size</source>
        <translation>目标文件大小</translation>
    </message>
    <message>
        <source>Maximum size of the compact file, such as 40 MB or 512 KiB:</source>
        <translation>紧凑文件的最大大小，例如 40 MB 或 512 KiB：</translation>
    </message>
    <message>
        <source>Set total sparsity</source>
        <translation>设定总稀疏度</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
<context>
    <name>TableButton</name>
    <message>
        <source>Show the data as a table (T)</source>
        <translation>以表格显示数据 (T)</translation>
    </message>
    <message>
        <source>Show as a table</source>
        <translation>显示为表格</translation>
    </message>
</context>
<context>
    <name>TableController</name>
    <message>
        <source>Saving the numbers</source>
        <translation>正在保存数字</translation>
    </message>
    <message>
        <source>Saving the picture</source>
        <translation>正在保存图片</translation>
    </message>
    <message>
        <source>Saved {file}.</source>
        <translation>已保存 {file}。</translation>
    </message>
    <message>
        <source>Saving {file} cancelled: nothing was written.</source>
        <translation>已取消保存 {file}：未写入任何内容。</translation>
    </message>
    <message>
        <source>Copied the picture.</source>
        <translation>已复制图片。</translation>
    </message>
    <message>
        <source>Copying rows</source>
        <translation>正在复制行</translation>
    </message>
    <message>
        <source>Copied 1 row.</source>
        <translation>已复制 1 行。</translation>
    </message>
    <message>
        <source>Copied {n} rows.</source>
        <translation>已复制 {n} 行。</translation>
    </message>
</context>
<context>
    <name>TargetRow</name>
    <message>
        <source>Destination of the export</source>
        <translation>导出的目标位置</translation>
    </message>
    <message>
        <source>Browse…</source>
        <translation>浏览…</translation>
    </message>
    <message>
        <source>Choose the destination of the export.</source>
        <translation>选择导出的目标位置。</translation>
    </message>
    <message>
        <source>Delete the original after the export (undo is no longer possible)</source>
        <translation>导出后删除原文件（无法再撤销）</translation>
    </message>
    <message>
        <source>Undo reads pruned weights from the original file.</source>
        <translation>撤销时从原文件读取被剪枝的权重。</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>Destination folder</source>
        <translation>目标文件夹</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Destination file</source>
        <translation>目标文件</translation>
    </message>
    <message>
        <source>Uploaded when you press the button. An object of this name is replaced.</source>
        <translation>按下按钮时上传。同名对象将被替换。</translation>
    </message>
    <message>
        <source>Written to {path}.</source>
        <translation>写入到 {path}。</translation>
    </message>
    <message>
        <source>Files of the same name in this folder are replaced.</source>
        <translation>此文件夹中的同名文件会被替换。</translation>
    </message>
    <message>
        <source>This file already exists and will be replaced.</source>
        <translation>此文件已存在，将被替换。</translation>
    </message>
    <message>
        <source>The usual suffix is {suffixes}.</source>
        <translation>常用后缀为 {suffixes}。</translation>
    </message>
    <message>
        <source> or </source>
        <translation> 或 </translation>
    </message>
    <message>
        <source>Export to</source>
        <translation>导出到</translation>
    </message>
</context>
<context>
    <name>TensorChoice</name>
    <message>
        <source>Tensors of this rule</source>
        <translation>此规则的张量</translation>
    </message>
    <message>
        <source>Pattern, such as {pattern}</source>
        <translation>模式，例如 {pattern}</translation>
    </message>
    <message>
        <source>The checked tensors, all layers of one type, or patterns such as {pattern}, separated by commas</source>
        <translation>勾选的张量、一种类型的所有层，或以逗号分隔的模式，例如 {pattern}</translation>
    </message>
    <message>
        <source>checked tensors</source>
        <translation>勾选的张量</translation>
    </message>
    <message>
        <source>all {kind} layers</source>
        <translation>所有 {kind} 层</translation>
    </message>
</context>
<context>
    <name>TensorHeading</name>
    <message>
        <source>{share} pruned</source>
        <translation>{share} 已剪枝</translation>
    </message>
</context>
<context>
    <name>ToolRow</name>
    <message>
        <source>Brush size</source>
        <translation>笔刷大小</translation>
    </message>
    <message>
        <source>Brush size in weights</source>
        <translation>以权重计的笔刷大小</translation>
    </message>
    <message>
        <source>Channels along</source>
        <translation>通道沿</translation>
    </message>
    <message>
        <source>Dimension of the channels to select (C in the picture)</source>
        <translation>要选择的通道的维度（图片中按 C）</translation>
    </message>
    <message>
        <source>Pan</source>
        <translation>平移</translation>
    </message>
    <message>
        <source>drag to pan, Shift+drag to select</source>
        <translation>拖动以平移，Shift+拖动以选择</translation>
    </message>
    <message>
        <source>Rectangle</source>
        <translation>矩形</translation>
    </message>
    <message>
        <source>drag to select weights (Shift+arrow keys)</source>
        <translation>拖动以选择权重（Shift+方向键）</translation>
    </message>
    <message>
        <source>Row</source>
        <translation>行</translation>
    </message>
    <message>
        <source>drag to select rows (H)</source>
        <translation>拖动以选择行 (H)</translation>
    </message>
    <message>
        <source>Column</source>
        <translation>列</translation>
    </message>
    <message>
        <source>drag to select columns (V)</source>
        <translation>拖动以选择列 (V)</translation>
    </message>
    <message>
        <source>Channel</source>
        <translation>通道</translation>
    </message>
    <message>
        <source>drag to select channels (C)</source>
        <translation>拖动以选择通道 (C)</translation>
    </message>
    <message>
        <source>Brush</source>
        <translation>笔刷</translation>
    </message>
    <message>
        <source>drag to select weights with a brush</source>
        <translation>拖动以用笔刷选择权重</translation>
    </message>
</context>
<context>
    <name>TourBar</name>
    <message>
        <source>Tour</source>
        <translation>导览</translation>
    </message>
    <message>
        <source>End the tour</source>
        <translation>结束导览</translation>
    </message>
    <message>
        <source>{n} of {all}</source>
        <translation>第 {n} 步，共 {all} 步</translation>
    </message>
    <message>
        <source>Finish</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>下一步</translation>
    </message>
    <message>
        <source>Do this step, and go on</source>
        <translation>执行此步骤并继续</translation>
    </message>
</context>
<context>
    <name>TourController</name>
    <message>
        <source>Look at a tensor</source>
        <translation>查看张量</translation>
    </message>
    <message>
        <source>The sample is a small network that reads handwritten digits. The tree lists its tensors, with a check mark where they are to be pruned. Click one.</source>
        <translation>示例是一个识别手写数字的小型网络。左侧的树列出其张量，勾选的张量将被剪枝。请点击其中一个。</translation>
    </message>
    <message>
        <source>See its weights</source>
        <translation>查看权重</translation>
    </message>
    <message>
        <source>The picture shows every weight of the tensor. Open the page Distribution to see how many are large and small.</source>
        <translation>图中显示该张量的每个权重。打开“分布”页，查看大权重和小权重各有多少。</translation>
    </message>
    <message>
        <source>Choose how much to prune</source>
        <translation>选择剪枝量</translation>
    </message>
    <message>
        <source>Drag the slider, or type an amount such as 50 %. The preview follows: what is to be pruned is hatched in orange, in the tree and in the picture.</source>
        <translation>拖动滑块，或输入剪枝量，例如 50 %。预览会随之更新：将剪枝的部分在树和图中以橙色斜线标出。</translation>
    </message>
    <message>
        <source>Prune</source>
        <translation>剪枝</translation>
    </message>
    <message>
        <source>The button says how many weights it prunes. Press it, or {keys}. The file stays as it is.</source>
        <translation>按钮上显示将剪枝的权重数。点击它，或按 {keys}。文件保持不变。</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Every step is a state in the history. Click Opened there, or undo by {keys}.</source>
        <translation>每个步骤都是历史中的一个状态。点击其中的第一个状态，或按 {keys} 撤销。</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>重做</translation>
    </message>
    <message>
        <source>Nothing is lost by that: click the last state, or redo by {keys}.</source>
        <translation>撤销不会丢失任何内容：点击最后一个状态，或按 {keys} 重做。</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>Export… ({keys}) writes the pruned model to a new file, in the format that you choose. The guide (F1) explains evaluation, repair and shrinking.</source>
        <translation>导出…（{keys}）会以您选择的格式将剪枝后的模型写入新文件。指南（F1）介绍如何评估、修复和缩减。</translation>
    </message>
</context>
<context>
    <name>TreeFilter</name>
    <message>
        <source>Filter by name</source>
        <translation>按名称筛选</translation>
    </message>
    <message>
        <source>Words in the name, or a pattern for the whole name such as *.conv?.weight</source>
        <translation>名称中的词，或整个名称的模式，例如 *.conv?.weight</translation>
    </message>
    <message>
        <source>Filter by kind</source>
        <translation>按类型筛选</translation>
    </message>
    <message>
        <source>Show one layer type. Types are inferred from names.</source>
        <translation>显示一种层类型。类型由名称推断。</translation>
    </message>
    <message>
        <source>2-D and larger</source>
        <translation>二维及以上</translation>
    </message>
    <message>
        <source>Show tensors with two or more dimensions.</source>
        <translation>显示二维及以上的张量。</translation>
    </message>
    <message>
        <source>Over 1 million</source>
        <translation>超过一百万</translation>
    </message>
    <message>
        <source>Show tensors with more than a million weights.</source>
        <translation>显示超过一百万个权重的张量。</translation>
    </message>
    <message>
        <source>List</source>
        <translation>列表</translation>
    </message>
    <message>
        <source>List all tensors below each other, to be sorted, instead of the tree</source>
        <translation>将所有张量列在一起以便排序，代替树</translation>
    </message>
    <message>
        <source>Filter  ({keys})</source>
        <translation>筛选  ({keys})</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>筛选</translation>
    </message>
    <message>
        <source>All kinds</source>
        <translation>所有类型</translation>
    </message>
</context>
<context>
    <name>TreeModel</name>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Inferred from names and shapes; not stored in the file.</source>
        <translation>由名称和形状推断；未存储在文件中。</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>形状</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>To be pruned</source>
        <translation>将剪枝</translation>
    </message>
    <message>
        <source>Sparsity</source>
        <translation>稀疏度</translation>
    </message>
    <message>
        <source>Sparsity after</source>
        <translation>之后的稀疏度</translation>
    </message>
</context>
<context>
    <name>TreeView</name>
    <message>
        <source>Module tree</source>
        <translation>模块树</translation>
    </message>
    <message>
        <source>Tensors</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>Fit to width</source>
        <translation>适应宽度</translation>
    </message>
    <message>
        <source>No tensors match the filter.</source>
        <translation>没有符合筛选条件的张量。</translation>
    </message>
</context>
<context>
    <name>VocabularyChoice</name>
    <message>
        <source>Vocabulary</source>
        <translation>词表</translation>
    </message>
    <message>
        <source>Texts…</source>
        <translation>文本…</translation>
    </message>
    <message>
        <source>Choose text files in UTF-8. Tokens that they do not use are cut; for these texts the model computes the same.</source>
        <translation>选择 UTF-8 文本文件。它们未使用的词元会被裁去；对这些文本，模型的计算结果不变。</translation>
    </message>
    <message>
        <source>Ids…</source>
        <translation>ID…</translation>
    </message>
    <message>
        <source>Choose a text file with the ids of the tokens to keep: on each line one, or a range such as 20-31.</source>
        <translation>选择一个包含要保留词元 ID 的文本文件：每行一个，或一个范围，例如 20-31。</translation>
    </message>
    <message>
        <source>All tokens</source>
        <translation>所有词元</translation>
    </message>
    <message>
        <source>Without the last {n} rows</source>
        <translation>去掉最后 {n} 行</translation>
    </message>
    <message>
        <source>Tokens of {n} texts</source>
        <translation>{n} 个文本的词元</translation>
    </message>
    <message>
        <source>Tokens of {name}</source>
        <translation>{name} 的词元</translation>
    </message>
    <message>
        <source>Ids in {name}</source>
        <translation>{name} 中的 ID</translation>
    </message>
    <message>
        <source>Which rows of the embedding stay, by the tokenizer.json beside the model: all, all up to its last token, those of the tokens that texts use, or those that a file lists.</source>
        <translation>保留嵌入的哪些行，依据模型旁的 tokenizer.json：全部、直到其最后一个词元、文本所用词元的行，或文件中列出的行。</translation>
    </message>
    <message>
        <source>Ids to keep</source>
        <translation>要保留的 ID</translation>
    </message>
    <message>
        <source>Texts to keep</source>
        <translation>要保留的文本</translation>
    </message>
</context>
<context>
    <name>WaitingNote</name>
    <message>
        <source>slow; press Esc to cancel</source>
        <translation>较慢；按 Esc 取消</translation>
    </message>
    <message>
        <source>counting… {share}</source>
        <translation>正在计数… {share}</translation>
    </message>
    <message>
        <source>calculating…</source>
        <translation>正在计算…</translation>
    </message>
</context>
<context>
    <name>WeightReadout</name>
    <message>
        <source>pruned in step {n} by {label}</source>
        <translation>在步骤 {n} 中由 {label} 剪枝</translation>
    </message>
    <message>
        <source>pruned in step {n}: {label}</source>
        <translation>在步骤 {n} 中剪枝：{label}</translation>
    </message>
    <message>
        <source>pruned in step {n}, rule {rule}: {label}</source>
        <translation>在步骤 {n} 的规则 {rule} 中剪枝：{label}</translation>
    </message>
    <message>
        <source>pruned</source>
        <translation>已剪枝</translation>
    </message>
    <message>
        <source>protected</source>
        <translation>受保护</translation>
    </message>
    <message>
        <source>kept, to be pruned</source>
        <translation>保留，将剪枝</translation>
    </message>
    <message>
        <source>kept</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>kept in A, pruned in B</source>
        <translation>在 A 中保留，在 B 中剪枝</translation>
    </message>
    <message>
        <source>pruned in A, kept in B</source>
        <translation>在 A 中剪枝，在 B 中保留</translation>
    </message>
    <message>
        <source>pruned in A and B</source>
        <translation>在 A 和 B 中都剪枝</translation>
    </message>
    <message>
        <source>no difference</source>
        <translation>没有差异</translation>
    </message>
    <message>
        <source>difference {value}</source>
        <translation>差异 {value}</translation>
    </message>
</context>
<context>
    <name>WeightsView</name>
    <message>
        <source>This tensor has no weights.</source>
        <translation>此张量没有权重。</translation>
    </message>
    <message>
        <source>Weights picture</source>
        <translation>权重图片</translation>
    </message>
    <message>
        <source>{share} pruned</source>
        <translation>{share} 已剪枝</translation>
    </message>
    <message>
        <source>Prune {what}</source>
        <translation>剪枝 {what}</translation>
    </message>
    <message>
        <source>Restore {what}</source>
        <translation>恢复 {what}</translation>
    </message>
    <message>
        <source>Protect {what}</source>
        <translation>保护 {what}</translation>
    </message>
    <message>
        <source>Unprotect {what}</source>
        <translation>取消保护 {what}</translation>
    </message>
    <message>
        <source>sampled</source>
        <translation>抽样</translation>
    </message>
    <message>
        <source>pruned in B only</source>
        <translation>仅在 B 中剪枝</translation>
    </message>
    <message>
        <source>pruned in A only</source>
        <translation>仅在 A 中剪枝</translation>
    </message>
    <message>
        <source>pruned in both</source>
        <translation>两者都剪枝</translation>
    </message>
    <message>
        <source>kept</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>{scale} kept</source>
        <translation>{scale} 保留</translation>
    </message>
    <message>
        <source>{scale} mean magnitude</source>
        <translation>{scale} 平均幅值</translation>
    </message>
    <message>
        <source>pruned</source>
        <translation>已剪枝</translation>
    </message>
    <message>
        <source>to be pruned</source>
        <translation>将剪枝</translation>
    </message>
    <message>
        <source>protected</source>
        <translation>受保护</translation>
    </message>
    <message>
        <source>{share} of weights above</source>
        <translation>{share} 的权重更大</translation>
    </message>
    <message>
        <source>{share} of weights have a magnitude above {scale}. They share the last color.</source>
        <translation>{share} 的权重幅值高于 {scale}。它们共用最后一种颜色。</translation>
    </message>
    <message>
        <source>{n} weights</source>
        <translation>{n} 个权重</translation>
    </message>
    <message>
        <source>1 weight</source>
        <translation>1 个权重</translation>
    </message>
    <message>
        <source>{which} of dim {dim}</source>
        <translation>维度 {dim} 的{which}</translation>
    </message>
    <message>
        <source>value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>difference</source>
        <translation>差异</translation>
    </message>
    <message>
        <source>mean magnitude of {n}×{n}</source>
        <translation>{n}×{n} 的平均幅值</translation>
    </message>
</context>
<context>
    <name>WindowMenu</name>
    <message>
        <source>No file</source>
        <translation>没有文件</translation>
    </message>
</context>
<context>
    <name>Workbench</name>
    <message>
        <source>Loaded: {names}.</source>
        <translation>已加载：{names}。</translation>
    </message>
</context>
<context>
    <name>ZerosController</name>
    <message>
        <source>Treat zeros as pruned</source>
        <translation>将零视为已剪枝</translation>
    </message>
    <message>
        <source>{share} of the weights of {name} are zero</source>
        <translation>{name} 的权重中 {share} 为零</translation>
    </message>
    <message>
        <source>{share} of the weights in {n} tensors are zero</source>
        <translation>{n} 个张量的权重中 {share} 为零</translation>
    </message>
    <message>
        <source>{form} in {n}</source>
        <translation>{n} 中的{form}</translation>
    </message>
    <message>
        <source>{n}:{m} pattern</source>
        <translation>{n}:{m} 模式</translation>
    </message>
    <message>
        <source>whole channels</source>
        <translation>整个通道</translation>
    </message>
    <message>
        <source>blocks of {shape}</source>
        <translation>{shape} 的块</translation>
    </message>
    <message>
        <source>{zeros} of {numel} are 0 ({share})</source>
        <translation>{numel} 中 {zeros} 个为 0（{share}）</translation>
    </message>
    <message>
        <source>{n} whole slices along dim {dim}</source>
        <translation>沿维度 {dim} 的 {n} 个完整切片</translation>
    </message>
    <message>
        <source>Reading zeros</source>
        <translation>正在读取零</translation>
    </message>
    <message>
        <source>No weight tensor has {share} or more zeros that are not already pruned. Biases and norms are not considered.</source>
        <translation>没有权重张量含有 {share} 或更多尚未剪枝的零。不考虑偏置和归一化。</translation>
    </message>
</context>
</TS>
