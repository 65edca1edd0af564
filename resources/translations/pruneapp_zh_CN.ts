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
Your files stay on this computer unless you export to a URL. Code inside checkpoints is never executed.</source>
        <translation>通过点击来剪枝神经网络。MIT 许可证。
除非导出到 URL，您的文件不会离开这台计算机。绝不会执行检查点中的代码。</translation>
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
        <source>Copy versions, system and the last error for a problem report.</source>
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
        <extracomment>menu</extracomment>
        <translation>文件(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <extracomment>menu</extracomment>
        <translation>编辑(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <extracomment>menu</extracomment>
        <translation>视图(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;Prune</source>
        <extracomment>menu</extracomment>
        <translation>剪枝(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Tools</source>
        <extracomment>menu</extracomment>
        <translation>工具(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Window</source>
        <extracomment>menu</extracomment>
        <translation>窗口(&amp;W)</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <extracomment>menu</extracomment>
        <translation>帮助(&amp;H)</translation>
    </message>
    <message>
        <source>Open &amp;recent</source>
        <extracomment>menu</extracomment>
        <translation>最近打开(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Manual edit</source>
        <extracomment>menu</extracomment>
        <translation>手动编辑(&amp;M)</translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <extracomment>menu</extracomment>
        <translation>主题(&amp;T)</translation>
    </message>
    <message>
        <source>Lan&amp;guage</source>
        <extracomment>menu</extracomment>
        <translation>语言(&amp;G)</translation>
    </message>
    <message>
        <source>&amp;Open…</source>
        <extracomment>command</extracomment>
        <translation>打开(&amp;O)…</translation>
    </message>
    <message>
        <source>Open a checkpoint</source>
        <extracomment>command</extracomment>
        <translation>打开检查点</translation>
    </message>
    <message>
        <source>Open &amp;folder…</source>
        <extracomment>command</extracomment>
        <translation>打开文件夹(&amp;F)…</translation>
    </message>
    <message>
        <source>Open a model folder: a file of weights, or shards with their index</source>
        <extracomment>command</extracomment>
        <translation>打开模型文件夹：一个权重文件，或带索引的分片</translation>
    </message>
    <message>
        <source>Open &amp;location…</source>
        <extracomment>command</extracomment>
        <translation>打开位置(&amp;L)…</translation>
    </message>
    <message>
        <source>Open a path or the URL of an object store (s3://…)</source>
        <extracomment>command</extracomment>
        <translation>打开路径或对象存储的 URL (s3://…)</translation>
    </message>
    <message>
        <source>Open in &amp;new window…</source>
        <extracomment>command</extracomment>
        <translation>在新窗口中打开(&amp;N)…</translation>
    </message>
    <message>
        <source>Try the sa&amp;mple</source>
        <extracomment>command</extracomment>
        <translation>试用示例(&amp;M)</translation>
    </message>
    <message>
        <source>Open the small model included with Pruneapp</source>
        <extracomment>command</extracomment>
        <translation>打开 Pruneapp 自带的小模型</translation>
    </message>
    <message>
        <source>Recent file &amp;{n}</source>
        <extracomment>command</extracomment>
        <translation>最近的文件 &amp;{n}</translation>
    </message>
    <message>
        <source>&amp;Pin this file</source>
        <extracomment>command</extracomment>
        <translation>固定此文件(&amp;P)</translation>
    </message>
    <message>
        <source>Keep the open file at the top of the recent files</source>
        <extracomment>command</extracomment>
        <translation>将打开的文件保持在最近文件的顶部</translation>
    </message>
    <message>
        <source>Remove &amp;missing files</source>
        <extracomment>command</extracomment>
        <translation>移除缺失的文件(&amp;M)</translation>
    </message>
    <message>
        <source>Remove files that were deleted or moved from the list</source>
        <extracomment>command</extracomment>
        <translation>从列表中移除已删除或移走的文件</translation>
    </message>
    <message>
        <source>Clear saved &amp;histories…</source>
        <extracomment>command</extracomment>
        <translation>清除保存的历史(&amp;H)…</translation>
    </message>
    <message>
        <source>Delete the saved undo history, metrics and scans of closed files</source>
        <extracomment>command</extracomment>
        <translation>删除为已关闭文件保留的撤销历史、指标和扫描</translation>
    </message>
    <message>
        <source>Choose state &amp;dict…</source>
        <extracomment>command</extracomment>
        <translation>选择状态字典(&amp;D)…</translation>
    </message>
    <message>
        <source>Switch to another state dict in this file</source>
        <extracomment>command</extracomment>
        <translation>切换到此文件中的另一个状态字典</translation>
    </message>
    <message>
        <source>&amp;Save session</source>
        <extracomment>command</extracomment>
        <translation>保存会话(&amp;S)</translation>
    </message>
    <message>
        <source>Save masks, history and view, to continue later</source>
        <extracomment>command</extracomment>
        <translation>保存掩码、历史和视图，以便日后继续</translation>
    </message>
    <message>
        <source>Save session &amp;as…</source>
        <extracomment>command</extracomment>
        <translation>会话另存为(&amp;A)…</translation>
    </message>
    <message>
        <source>Save the session to another file</source>
        <extracomment>command</extracomment>
        <translation>将会话保存到另一个文件</translation>
    </message>
    <message>
        <source>&amp;Export…</source>
        <extracomment>command</extracomment>
        <translation>导出(&amp;E)…</translation>
    </message>
    <message>
        <source>Write the pruned model to a file</source>
        <extracomment>command</extracomment>
        <translation>将剪枝后的模型写入文件</translation>
    </message>
    <message>
        <source>Re&amp;port…</source>
        <extracomment>command</extracomment>
        <translation>报告(&amp;P)…</translation>
    </message>
    <message>
        <source>Write all states, metrics, checksums and the recipe to an HTML page</source>
        <extracomment>command</extracomment>
        <translation>将所有状态、指标、校验和与配方写入一个可发送的网页</translation>
    </message>
    <message>
        <source>&amp;Close</source>
        <extracomment>command</extracomment>
        <translation>关闭(&amp;C)</translation>
    </message>
    <message>
        <source>Close this checkpoint</source>
        <extracomment>command</extracomment>
        <translation>关闭此检查点</translation>
    </message>
    <message>
        <source>New &amp;window</source>
        <extracomment>command</extracomment>
        <translation>新建窗口(&amp;W)</translation>
    </message>
    <message>
        <source>Open another window, without a file</source>
        <extracomment>command</extracomment>
        <translation>打开另一个没有文件的窗口</translation>
    </message>
    <message>
        <source>Close w&amp;indow</source>
        <extracomment>command</extracomment>
        <translation>关闭窗口(&amp;I)</translation>
    </message>
    <message>
        <source>Close this window</source>
        <extracomment>command</extracomment>
        <translation>关闭此窗口</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <extracomment>command</extracomment>
        <translation>退出(&amp;Q)</translation>
    </message>
    <message>
        <source>Close all windows</source>
        <extracomment>command</extracomment>
        <translation>关闭所有窗口</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <extracomment>command</extracomment>
        <translation>撤销(&amp;U)</translation>
    </message>
    <message>
        <source>Undo the last step</source>
        <extracomment>command</extracomment>
        <translation>撤销上一个步骤</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <extracomment>command</extracomment>
        <translation>重做(&amp;R)</translation>
    </message>
    <message>
        <source>Redo the step that was undone</source>
        <extracomment>command</extracomment>
        <translation>重做已撤销的步骤</translation>
    </message>
    <message>
        <source>&amp;Filter the tree</source>
        <extracomment>command</extracomment>
        <translation>筛选模块树(&amp;F)</translation>
    </message>
    <message>
        <source>Show only tensors whose names match</source>
        <extracomment>command</extracomment>
        <translation>仅显示名称匹配的张量</translation>
    </message>
    <message>
        <source>C&amp;heck or uncheck selection</source>
        <extracomment>command</extracomment>
        <translation>勾选或取消勾选所选(&amp;H)</translation>
    </message>
    <message>
        <source>Check the selected rows of the tree, or uncheck them if all are checked (Space there)</source>
        <extracomment>command</extracomment>
        <translation>勾选树中选中的行；如果都已勾选，则取消勾选（在树中按空格键）</translation>
    </message>
    <message>
        <source>Check &amp;all shown</source>
        <extracomment>command</extracomment>
        <translation>勾选所有显示项(&amp;A)</translation>
    </message>
    <message>
        <source>Check all tensors that match the filter</source>
        <extracomment>command</extracomment>
        <translation>勾选所有符合筛选条件的张量</translation>
    </message>
    <message>
        <source>U&amp;ncheck all</source>
        <extracomment>command</extracomment>
        <translation>全部取消勾选(&amp;N)</translation>
    </message>
    <message>
        <source>Uncheck all tensors</source>
        <extracomment>command</extracomment>
        <translation>取消勾选所有张量</translation>
    </message>
    <message>
        <source>Check &amp;default layers</source>
        <extracomment>command</extracomment>
        <translation>勾选默认层(&amp;D)</translation>
    </message>
    <message>
        <source>Check weights with two or more dimensions, except embeddings and norms</source>
        <extracomment>command</extracomment>
        <translation>勾选二维及以上的权重，嵌入和归一化层除外</translation>
    </message>
    <message>
        <source>&amp;Copy name</source>
        <extracomment>command</extracomment>
        <translation>复制名称(&amp;C)</translation>
    </message>
    <message>
        <source>Copy the full name of the current tensor</source>
        <extracomment>command</extracomment>
        <translation>复制当前张量的完整名称</translation>
    </message>
    <message>
        <source>Copy channel &amp;list</source>
        <extracomment>command</extracomment>
        <translation>复制通道列表(&amp;L)</translation>
    </message>
    <message>
        <source>Copy the indices of the channels selected in Channels (Ctrl+C there)</source>
        <extracomment>command</extracomment>
        <translation>复制在“通道”页选中的通道索引（在该页按 Ctrl+C）</translation>
    </message>
    <message>
        <source>&amp;Paste channel list</source>
        <extracomment>command</extracomment>
        <translation>粘贴通道列表(&amp;P)</translation>
    </message>
    <message>
        <source>Select in Channels the indices on the clipboard: 0-3, 7 (Ctrl+V there)</source>
        <extracomment>command</extracomment>
        <translation>在“通道”页选中剪贴板中的索引：0-3, 7（在该页按 Ctrl+V）</translation>
    </message>
    <message>
        <source>L&amp;oad channel list…</source>
        <extracomment>command</extracomment>
        <translation>加载通道列表(&amp;O)…</translation>
    </message>
    <message>
        <source>Select in Channels the indices in a text file</source>
        <extracomment>command</extracomment>
        <translation>在“通道”页选中文本文件中的索引</translation>
    </message>
    <message>
        <source>&amp;Save channel list…</source>
        <extracomment>command</extracomment>
        <translation>保存通道列表(&amp;S)…</translation>
    </message>
    <message>
        <source>Write the indices of the channels selected in Channels to a text file</source>
        <extracomment>command</extracomment>
        <translation>将在“通道”页选中的通道索引写入文本文件</translation>
    </message>
    <message>
        <source>Confir&amp;mations…</source>
        <extracomment>command</extracomment>
        <translation>确认询问(&amp;M)…</translation>
    </message>
    <message>
        <source>Choose which actions ask for confirmation</source>
        <extracomment>command</extracomment>
        <translation>选择在执行之前询问哪些操作</translation>
    </message>
    <message>
        <source>&amp;Weights</source>
        <extracomment>command</extracomment>
        <translation>权重(&amp;W)</translation>
    </message>
    <message>
        <source>Weights with the mask over them</source>
        <extracomment>command</extracomment>
        <translation>权重及其上的掩码</translation>
    </message>
    <message>
        <source>&amp;Distribution</source>
        <extracomment>command</extracomment>
        <translation>分布(&amp;D)</translation>
    </message>
    <message>
        <source>Histogram of weight magnitudes</source>
        <extracomment>command</extracomment>
        <translation>权重幅值的直方图</translation>
    </message>
    <message>
        <source>&amp;Channels</source>
        <extracomment>command</extracomment>
        <translation>通道(&amp;C)</translation>
    </message>
    <message>
        <source>Norm of each channel</source>
        <extracomment>command</extracomment>
        <translation>每个通道的范数</translation>
    </message>
    <message>
        <source>&amp;Model</source>
        <extracomment>command</extracomment>
        <translation>模型(&amp;M)</translation>
    </message>
    <message>
        <source>Sparsity of each tensor</source>
        <extracomment>command</extracomment>
        <translation>每个张量的稀疏度</translation>
    </message>
    <message>
        <source>C&amp;ompare</source>
        <extracomment>command</extracomment>
        <translation>比较(&amp;O)</translation>
    </message>
    <message>
        <source>Differences between two states or two files</source>
        <extracomment>command</extracomment>
        <translation>两个状态或两个文件之间的差异</translation>
    </message>
    <message>
        <source>&amp;Quality</source>
        <extracomment>command</extracomment>
        <translation>质量(&amp;Q)</translation>
    </message>
    <message>
        <source>Metric of each evaluated state against its sparsity</source>
        <extracomment>command</extracomment>
        <translation>每个已评估状态的指标与稀疏度的关系</translation>
    </message>
    <message>
        <source>&amp;Sensitivity</source>
        <extracomment>command</extracomment>
        <translation>敏感度(&amp;S)</translation>
    </message>
    <message>
        <source>Quality loss of pruning each tensor alone, as scanned</source>
        <extracomment>command</extracomment>
        <translation>扫描得到的单独剪枝每个张量的质量损失</translation>
    </message>
    <message>
        <source>Grap&amp;h</source>
        <extracomment>command</extracomment>
        <translation>计算图(&amp;H)</translation>
    </message>
    <message>
        <source>Mas&amp;k on and off</source>
        <extracomment>command</extracomment>
        <translation>显示/隐藏掩码(&amp;K)</translation>
    </message>
    <message>
        <source>Show or hide the mask</source>
        <extracomment>command</extracomment>
        <translation>显示或隐藏掩码</translation>
    </message>
    <message>
        <source>Zoom &amp;in</source>
        <extracomment>command</extracomment>
        <translation>放大(&amp;I)</translation>
    </message>
    <message>
        <source>Zoom in</source>
        <extracomment>command</extracomment>
        <translation>放大</translation>
    </message>
    <message>
        <source>Zoom o&amp;ut</source>
        <extracomment>command</extracomment>
        <translation>缩小(&amp;U)</translation>
    </message>
    <message>
        <source>Zoom out</source>
        <extracomment>command</extracomment>
        <translation>缩小</translation>
    </message>
    <message>
        <source>&amp;Fit</source>
        <extracomment>command</extracomment>
        <translation>适应窗口(&amp;F)</translation>
    </message>
    <message>
        <source>Show the whole tensor</source>
        <extracomment>command</extracomment>
        <translation>显示整个张量</translation>
    </message>
    <message>
        <source>&amp;Previous tensor</source>
        <extracomment>command</extracomment>
        <translation>上一个张量(&amp;P)</translation>
    </message>
    <message>
        <source>Show the previous tensor</source>
        <extracomment>command</extracomment>
        <translation>显示上一个张量</translation>
    </message>
    <message>
        <source>&amp;Next tensor</source>
        <extracomment>command</extracomment>
        <translation>下一个张量(&amp;N)</translation>
    </message>
    <message>
        <source>Show the next tensor</source>
        <extracomment>command</extracomment>
        <translation>显示下一个张量</translation>
    </message>
    <message>
        <source>Previous lay&amp;er</source>
        <extracomment>command</extracomment>
        <translation>前一层(&amp;E)</translation>
    </message>
    <message>
        <source>Show the layer that feeds the current tensor, as in Connections</source>
        <extracomment>command</extracomment>
        <translation>显示向当前张量提供输入的层（见“连接”）</translation>
    </message>
    <message>
        <source>Show the layer that the current tensor feeds, as in Connections</source>
        <extracomment>command</extracomment>
        <translation>显示接收当前张量输出的层（见“连接”）</translation>
    </message>
    <message>
        <source>Tensors as a &amp;list</source>
        <extracomment>command</extracomment>
        <translation>张量列表(&amp;L)</translation>
    </message>
    <message>
        <source>Show all tensors as a sortable list instead of the tree</source>
        <extracomment>command</extracomment>
        <translation>将所有张量列在一起以便排序，代替树</translation>
    </message>
    <message>
        <source>History &amp;back</source>
        <extracomment>command</extracomment>
        <translation>历史后退(&amp;B)</translation>
    </message>
    <message>
        <source>Go to the previous state</source>
        <extracomment>command</extracomment>
        <translation>转到上一个状态</translation>
    </message>
    <message>
        <source>History fo&amp;rward</source>
        <extracomment>command</extracomment>
        <translation>历史前进(&amp;R)</translation>
    </message>
    <message>
        <source>Go to the next state</source>
        <extracomment>command</extracomment>
        <translation>转到下一个状态</translation>
    </message>
    <message>
        <source>&amp;Jobs</source>
        <extracomment>command</extracomment>
        <translation>任务(&amp;J)</translation>
    </message>
    <message>
        <source>Show or hide the running and queued jobs</source>
        <extracomment>command</extracomment>
        <translation>显示或隐藏正在运行和排队的任务</translation>
    </message>
    <message>
        <source>&amp;System</source>
        <extracomment>command</extracomment>
        <translation>跟随系统(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Light</source>
        <extracomment>command</extracomment>
        <translation>浅色(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Dark</source>
        <extracomment>command</extracomment>
        <translation>深色(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;High contrast, light</source>
        <extracomment>command</extracomment>
        <translation>高对比度，浅色(&amp;H)</translation>
    </message>
    <message>
        <source>High &amp;contrast, dark</source>
        <extracomment>command</extracomment>
        <translation>高对比度，深色(&amp;C)</translation>
    </message>
    <message>
        <source>Previe&amp;w</source>
        <extracomment>command</extracomment>
        <translation>预览(&amp;W)</translation>
    </message>
    <message>
        <source>Adjust the remaining weights so that each layer&apos;s output stays close to that of the unpruned model</source>
        <extracomment>command</extracomment>
        <translation>调整剩余权重，使每层的输出接近未剪枝模型的输出</translation>
    </message>
    <message>
        <source>Find tensors and groups that violate a pattern such as 2:4, and prune them to it</source>
        <extracomment>command</extracomment>
        <translation>查找不符合 2:4 等模式的张量和组，并将其剪枝为该模式</translation>
    </message>
    <message>
        <source>Gene&amp;rate…</source>
        <extracomment>command</extracomment>
        <translation>生成(&amp;R)…</translation>
    </message>
    <message>
        <source>Compare the answers of the unpruned model and of the current state to your prompts</source>
        <extracomment>command</extracomment>
        <translation>比较未剪枝的模型与当前状态对您的提示的回答</translation>
    </message>
    <message>
        <source>Edit the name or the note of a state of the history</source>
        <extracomment>keys</extracomment>
        <translation>编辑历史中一个状态的名称或备注</translation>
    </message>
    <message>
        <source>Preview the step with the current settings</source>
        <extracomment>command</extracomment>
        <translation>按当前设置预览此步骤</translation>
    </message>
    <message>
        <source>Color m&amp;ap</source>
        <extracomment>menu</extracomment>
        <translation>颜色映射(&amp;A)</translation>
    </message>
    <message>
        <source>Open a checkpoint in a new window</source>
        <extracomment>command</extracomment>
        <translation>在单独的窗口中打开检查点</translation>
    </message>
    <message>
        <source>Operators of an ONNX, .pt2 or traced model</source>
        <extracomment>command</extracomment>
        <translation>ONNX、.pt2 或已追踪模型的算子</translation>
    </message>
    <message>
        <source>Next la&amp;yer</source>
        <extracomment>command</extracomment>
        <translation>后一层(&amp;Y)</translation>
    </message>
    <message>
        <source>&amp;Standard</source>
        <extracomment>command</extracomment>
        <translation>标准(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Viridis</source>
        <extracomment>command</extracomment>
        <translation>Viridis(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;Gray</source>
        <extracomment>command</extracomment>
        <translation>灰度(&amp;G)</translation>
    </message>
    <message>
        <source>Apply the pruning step</source>
        <extracomment>command</extracomment>
        <translation>应用剪枝步骤</translation>
    </message>
    <message>
        <source>Ite&amp;rative pruning…</source>
        <extracomment>command</extracomment>
        <translation>迭代剪枝(&amp;R)…</translation>
    </message>
    <message>
        <source>Repeat the pruning step on a sparsity schedule; each round is a step in the history</source>
        <extracomment>command</extracomment>
        <translation>按稀疏度计划重复剪枝步骤；每一轮是历史中的一个步骤</translation>
    </message>
    <message>
        <source>Choose the metho&amp;d</source>
        <extracomment>command</extracomment>
        <translation>选择方法(&amp;D)</translation>
    </message>
    <message>
        <source>Go to the method in the form</source>
        <extracomment>command</extracomment>
        <translation>转到表单中的方法</translation>
    </message>
    <message>
        <source>Enter the am&amp;ount</source>
        <extracomment>command</extracomment>
        <translation>输入剪枝量(&amp;O)</translation>
    </message>
    <message>
        <source>Go to the amount in the form</source>
        <extracomment>command</extracomment>
        <translation>转到表单中的剪枝量</translation>
    </message>
    <message>
        <source>&amp;Cancel</source>
        <extracomment>command</extracomment>
        <translation>取消(&amp;C)</translation>
    </message>
    <message>
        <source>Close a panel or notice, or cancel the running job, or clear the preview</source>
        <extracomment>command</extracomment>
        <translation>关闭面板或通知，或取消正在运行的任务，或清除预览</translation>
    </message>
    <message>
        <source>Reset &amp;form</source>
        <extracomment>command</extracomment>
        <translation>重置表单(&amp;F)</translation>
    </message>
    <message>
        <source>Set the rules, amounts and limits in the form back to their defaults</source>
        <extracomment>command</extracomment>
        <translation>将表单中的规则、剪枝量和限制恢复为默认值</translation>
    </message>
    <message>
        <source>&amp;Prune selection</source>
        <extracomment>command</extracomment>
        <translation>剪枝所选(&amp;P)</translation>
    </message>
    <message>
        <source>Prune the selected channels or weights (Del)</source>
        <extracomment>command</extracomment>
        <translation>剪枝所选的通道或权重 (Del)</translation>
    </message>
    <message>
        <source>&amp;Restore selection</source>
        <extracomment>command</extracomment>
        <translation>恢复所选(&amp;R)</translation>
    </message>
    <message>
        <source>Restore the selected channels or weights (R)</source>
        <extracomment>command</extracomment>
        <translation>恢复所选的通道或权重 (R)</translation>
    </message>
    <message>
        <source>Pr&amp;otect selection</source>
        <extracomment>command</extracomment>
        <translation>保护所选(&amp;O)</translation>
    </message>
    <message>
        <source>Exclude the selection from all later pruning steps (P)</source>
        <extracomment>command</extracomment>
        <translation>将所选排除在之后的所有剪枝步骤之外 (P)</translation>
    </message>
    <message>
        <source>&amp;Unprotect selection</source>
        <extracomment>command</extracomment>
        <translation>取消保护所选(&amp;U)</translation>
    </message>
    <message>
        <source>Allow later steps to prune the selection again (Shift+P)</source>
        <extracomment>command</extracomment>
        <translation>允许之后的步骤再次剪枝所选 (Shift+P)</translation>
    </message>
    <message>
        <source>Apply to the same layer in all &amp;blocks</source>
        <extracomment>command</extracomment>
        <translation>应用到所有块中的同一层(&amp;B)</translation>
    </message>
    <message>
        <source>Apply manual edits to the same layer in all blocks; the tensors are listed first</source>
        <extracomment>command</extracomment>
        <translation>将手动编辑应用到所有块中的同一层；先列出涉及的张量</translation>
    </message>
    <message>
        <source>Include bias and &amp;norm layers</source>
        <extracomment>command</extracomment>
        <translation>包括偏置和归一化层(&amp;N)</translation>
    </message>
    <message>
        <source>Apply manual edits of output channels (dim 0) to their bias and norm entries</source>
        <extracomment>command</extracomment>
        <translation>将输出通道（维度 0）的手动编辑应用到其偏置和归一化项</translation>
    </message>
    <message>
        <source>Include all tensors of the &amp;group</source>
        <extracomment>command</extracomment>
        <translation>包括组内所有张量(&amp;G)</translation>
    </message>
    <message>
        <source>Apply manual edits of channels to the matching channels of their whole group</source>
        <extracomment>command</extracomment>
        <translation>将通道的手动编辑应用到所有含有这些单元的张量</translation>
    </message>
    <message>
        <source>Prune bias and norm of pruned &amp;channels</source>
        <extracomment>command</extracomment>
        <translation>剪枝已剪通道的偏置和归一化(&amp;C)</translation>
    </message>
    <message>
        <source>Prune the bias and norm entries of fully pruned channels; otherwise a pruned filter still outputs a constant</source>
        <extracomment>command</extracomment>
        <translation>剪枝已完全剪枝通道的偏置和归一化项；否则被剪枝的滤波器仍会输出常数</translation>
    </message>
    <message>
        <source>&amp;Load masks…</source>
        <extracomment>command</extracomment>
        <translation>加载掩码(&amp;L)…</translation>
    </message>
    <message>
        <source>Prune with masks from a file</source>
        <extracomment>command</extracomment>
        <translation>用文件中的掩码剪枝</translation>
    </message>
    <message>
        <source>Com&amp;bine masks with a file…</source>
        <extracomment>command</extracomment>
        <translation>与文件合并掩码(&amp;B)…</translation>
    </message>
    <message>
        <source>Compare masks with those of a file and combine them</source>
        <extracomment>command</extracomment>
        <translation>将掩码与文件中的掩码比较并合并</translation>
    </message>
    <message>
        <source>Load importance &amp;scores…</source>
        <extracomment>command</extracomment>
        <translation>加载重要性分数(&amp;S)…</translation>
    </message>
    <message>
        <source>Rank weights by importance scores from a file</source>
        <extracomment>command</extracomment>
        <translation>按文件中的重要性分数对权重排序</translation>
    </message>
    <message>
        <source>Treat &amp;zeros as pruned</source>
        <extracomment>command</extracomment>
        <translation>将零视为已剪枝(&amp;Z)</translation>
    </message>
    <message>
        <source>Count existing zeros as pruned, so that amounts apply to the remaining weights</source>
        <extracomment>command</extracomment>
        <translation>将已有的零计为已剪枝，使剪枝量作用于剩余权重</translation>
    </message>
    <message>
        <source>Mak&amp;e permanent</source>
        <extracomment>command</extracomment>
        <translation>永久化(&amp;E)</translation>
    </message>
    <message>
        <source>Replace pruned weights of the checked tensors by zeros, like torch.nn.utils.prune.remove</source>
        <extracomment>command</extracomment>
        <translation>将勾选张量中已剪枝的权重替换为零，如同 torch.nn.utils.prune.remove</translation>
    </message>
    <message>
        <source>Repa&amp;ir…</source>
        <extracomment>command</extracomment>
        <translation>修复(&amp;I)…</translation>
    </message>
    <message>
        <source>Reco&amp;ver…</source>
        <extracomment>command</extracomment>
        <translation>恢复(&amp;V)…</translation>
    </message>
    <message>
        <source>Train the remaining weights while pruned ones stay zero: distill the unpruned model, or run your own training</source>
        <extracomment>command</extracomment>
        <translation>在被剪枝权重保持为零的情况下训练剩余权重，以重现未剪枝模型，或使用您自己的训练</translation>
    </message>
    <message>
        <source>Compare &amp;with a file…</source>
        <extracomment>command</extracomment>
        <translation>与文件比较(&amp;W)…</translation>
    </message>
    <message>
        <source>Compare with another checkpoint, such as a fine-tuned one</source>
        <extracomment>command</extracomment>
        <translation>与另一个检查点比较，例如微调后的检查点</translation>
    </message>
    <message>
        <source>Chec&amp;k sparsity pattern…</source>
        <extracomment>command</extracomment>
        <translation>检查稀疏模式(&amp;K)…</translation>
    </message>
    <message>
        <source>&amp;Evaluate…</source>
        <extracomment>command</extracomment>
        <translation>评估(&amp;E)…</translation>
    </message>
    <message>
        <source>Choose an evaluation script, and measure the current state with it</source>
        <extracomment>command</extracomment>
        <translation>选择评估脚本，并用它测量当前状态</translation>
    </message>
    <message>
        <source>Evaluate &amp;this state</source>
        <extracomment>command</extracomment>
        <translation>评估此状态(&amp;T)</translation>
    </message>
    <message>
        <source>Measure the current state with the evaluation script</source>
        <extracomment>command</extracomment>
        <translation>用评估脚本测量当前状态</translation>
    </message>
    <message>
        <source>Eval&amp;uate all states</source>
        <extracomment>command</extracomment>
        <translation>评估所有状态(&amp;U)</translation>
    </message>
    <message>
        <source>Measure all states of the history that were not measured yet</source>
        <extracomment>command</extracomment>
        <translation>测量历史中所有尚未测量的状态</translation>
    </message>
    <message>
        <source>Trace the mo&amp;del…</source>
        <extracomment>command</extracomment>
        <translation>追踪模型(&amp;D)…</translation>
    </message>
    <message>
        <source>Find the connections of the layers: torch.export records the operations of the model while your script calls it once</source>
        <extracomment>command</extracomment>
        <translation>查找各层的连接：脚本调用一次模型时，torch.export 记录模型的运算</translation>
    </message>
    <message>
        <source>Scan sensiti&amp;vity…</source>
        <extracomment>command</extracomment>
        <translation>扫描敏感度(&amp;V)…</translation>
    </message>
    <message>
        <source>Prune each checked tensor alone to several amounts, and measure the model each time</source>
        <extracomment>command</extracomment>
        <translation>将每个勾选的张量单独剪枝到若干剪枝量，每次都测量模型</translation>
    </message>
    <message>
        <source>All&amp;ocate…</source>
        <extracomment>command</extracomment>
        <translation>分配(&amp;O)…</translation>
    </message>
    <message>
        <source>Choose the sparsity of each scanned tensor for the least predicted quality loss</source>
        <extracomment>command</extracomment>
        <translation>为每个已扫描的张量选择稀疏度，使预测的质量损失最小</translation>
    </message>
    <message>
        <source>&amp;Frontier…</source>
        <extracomment>command</extracomment>
        <translation>前沿(&amp;F)…</translation>
    </message>
    <message>
        <source>Pareto frontier: prune to several sparsities, and measure each with and without recovery</source>
        <extracomment>command</extracomment>
        <translation>帕累托前沿：剪枝到多个稀疏度，并分别在恢复训练与不恢复训练的情况下测量</translation>
    </message>
    <message>
        <source>Shri&amp;nk…</source>
        <extracomment>command</extracomment>
        <translation>缩减(&amp;N)…</translation>
    </message>
    <message>
        <source>Remove neurons, heads, channels or layers from the model, and export the smaller model</source>
        <extracomment>command</extracomment>
        <translation>从模型中裁去神经元、头、通道或层，并导出较小的模型</translation>
    </message>
    <message>
        <source>&amp;Save recipe…</source>
        <extracomment>command</extracomment>
        <translation>保存配方(&amp;S)…</translation>
    </message>
    <message>
        <source>Save the steps of the history as a recipe that can be edited and reapplied</source>
        <extracomment>command</extracomment>
        <translation>将历史中的步骤保存为可编辑、可重复应用的配方</translation>
    </message>
    <message>
        <source>&amp;Apply recipe…</source>
        <extracomment>command</extracomment>
        <translation>应用配方(&amp;A)…</translation>
    </message>
    <message>
        <source>Apply the steps of a recipe, after checking that it matches this file</source>
        <extracomment>command</extracomment>
        <translation>检查配方与此文件相符后应用其步骤</translation>
    </message>
    <message>
        <source>Copy as &amp;Python</source>
        <extracomment>command</extracomment>
        <translation>复制为 Python(&amp;P)</translation>
    </message>
    <message>
        <source>Copy the history as a script that uses torch.nn.utils.prune</source>
        <extracomment>command</extracomment>
        <translation>将历史复制为使用 torch.nn.utils.prune 的脚本</translation>
    </message>
    <message>
        <source>&amp;Load method from file…</source>
        <extracomment>command</extracomment>
        <translation>从文件加载方法(&amp;L)…</translation>
    </message>
    <message>
        <source>Load a custom pruning method; this runs its code</source>
        <extracomment>command</extracomment>
        <translation>加载自定义剪枝方法；这会运行其代码</translation>
    </message>
    <message>
        <source>Plu&amp;gins…</source>
        <extracomment>command</extracomment>
        <translation>插件(&amp;G)…</translation>
    </message>
    <message>
        <source>Choose which installed packages may add methods and formats</source>
        <extracomment>command</extracomment>
        <translation>选择允许哪些已安装的包添加方法和格式</translation>
    </message>
    <message>
        <source>&amp;Command palette…</source>
        <extracomment>command</extracomment>
        <translation>命令面板(&amp;C)…</translation>
    </message>
    <message>
        <source>Find a command, tensor, method or setting by name</source>
        <extracomment>command</extracomment>
        <translation>按名称查找命令、张量、方法或设置</translation>
    </message>
    <message>
        <source>Window &amp;{n}</source>
        <extracomment>command</extracomment>
        <translation>窗口 &amp;{n}</translation>
    </message>
    <message>
        <source>&amp;Guide</source>
        <extracomment>command</extracomment>
        <translation>指南(&amp;G)</translation>
    </message>
    <message>
        <source>Open the guide</source>
        <extracomment>command</extracomment>
        <translation>打开指南</translation>
    </message>
    <message>
        <source>&amp;Tour</source>
        <extracomment>command</extracomment>
        <translation>导览(&amp;T)</translation>
    </message>
    <message>
        <source>Learn the main steps with the sample, in two minutes</source>
        <extracomment>command</extracomment>
        <translation>用两分钟借助示例了解主要步骤</translation>
    </message>
    <message>
        <source>&amp;Keyboard shortcuts</source>
        <extracomment>command</extracomment>
        <translation>键盘快捷键(&amp;K)</translation>
    </message>
    <message>
        <source>List all keyboard shortcuts</source>
        <extracomment>command</extracomment>
        <translation>列出所有键盘快捷键</translation>
    </message>
    <message>
        <source>&amp;Change keyboard shortcuts…</source>
        <extracomment>command</extracomment>
        <translation>更改键盘快捷键(&amp;C)…</translation>
    </message>
    <message>
        <source>Choose the keyboard shortcuts of commands</source>
        <extracomment>command</extracomment>
        <translation>为命令选择键盘快捷键</translation>
    </message>
    <message>
        <source>&amp;About Pruneapp</source>
        <extracomment>command</extracomment>
        <translation>关于 Pruneapp(&amp;A)</translation>
    </message>
    <message>
        <source>Versions, licenses, and a report for an issue</source>
        <extracomment>command</extracomment>
        <translation>版本、许可证以及用于提交问题的报告</translation>
    </message>
    <message>
        <source>Check or uncheck in the tree</source>
        <extracomment>keys</extracomment>
        <translation>在树中勾选或取消勾选</translation>
    </message>
    <message>
        <source>Move the cursor in the picture</source>
        <extracomment>keys</extracomment>
        <translation>在图片中移动光标</translation>
    </message>
    <message>
        <source>Select from the cursor; move the threshold</source>
        <extracomment>keys</extracomment>
        <translation>从光标处选择；移动阈值</translation>
    </message>
    <message>
        <source>First and last weight in the row of the cursor</source>
        <extracomment>keys</extracomment>
        <translation>光标所在行的第一个和最后一个权重</translation>
    </message>
    <message>
        <source>Move by a page</source>
        <extracomment>keys</extracomment>
        <translation>移动一页</translation>
    </message>
    <message>
        <source>Select the row, column or channel at the cursor</source>
        <extracomment>keys</extracomment>
        <translation>选择光标处的行、列或通道</translation>
    </message>
    <message>
        <source>Select one channel or all channels, on the Channels tab</source>
        <extracomment>keys</extracomment>
        <translation>在“通道”标签页选择一个或所有通道</translation>
    </message>
    <message>
        <source>Prune the selection</source>
        <extracomment>keys</extracomment>
        <translation>剪枝所选</translation>
    </message>
    <message>
        <source>Restore the selection</source>
        <extracomment>keys</extracomment>
        <translation>恢复所选</translation>
    </message>
    <message>
        <source>Protect or unprotect the selection</source>
        <extracomment>keys</extracomment>
        <translation>保护或取消保护所选</translation>
    </message>
    <message>
        <source>Move the threshold or the number of channels</source>
        <extracomment>keys</extracomment>
        <translation>移动阈值或通道数</translation>
    </message>
    <message>
        <source>Move the target, on the Quality tab</source>
        <extracomment>keys</extracomment>
        <translation>在“质量”标签页移动目标</translation>
    </message>
    <message>
        <source>Move or reset a contrast limit</source>
        <extracomment>keys</extracomment>
        <translation>移动或重置对比度界限</translation>
    </message>
    <message>
        <source>Zoom a chart, and show all of it</source>
        <extracomment>keys</extracomment>
        <translation>缩放图表，以及显示全部</translation>
    </message>
    <message>
        <source>Show the data of the picture as a table</source>
        <extracomment>keys</extracomment>
        <translation>以表格显示图片的数据</translation>
    </message>
    <message>
        <source>Copy the selected rows or channels; paste a channel list</source>
        <extracomment>keys</extracomment>
        <translation>复制选中的行或通道，选中已复制的通道</translation>
    </message>
    <message>
        <source>Activate the focused control</source>
        <extracomment>keys</extracomment>
        <translation>打开或按下获得焦点的控件</translation>
    </message>
    <message>
        <source>Go to the next or previous control</source>
        <extracomment>keys</extracomment>
        <translation>转到下一个或上一个控件</translation>
    </message>
</context>
<context>
    <name>AffectedTensor</name>
    <message>
        <source>{share} of L2 norm² lost</source>
        <translation>损失了 {share} 的L2 范数²</translation>
    </message>
</context>
<context>
    <name>AfterRound</name>
    <message>
        <source>Recover after each round</source>
        <translation>每轮之后恢复训练</translation>
    </message>
    <message>
        <source>Train the remaining weights after each round, while pruned weights stay zero: to reproduce the outputs of the unpruned model on the inputs of calibrate(), or with train() of the script</source>
        <translation>每轮之后训练剩余权重，已剪枝的权重保持为零：以未剪枝模型对 calibrate 输入的输出为目标，或使用脚本的 train</translation>
    </message>
    <message>
        <source>no</source>
        <translation>否</translation>
    </message>
    <message>
        <source>distillation, without labels</source>
        <translation>蒸馏，无需标签</translation>
    </message>
    <message>
        <source>train() of the script</source>
        <translation>脚本的 train()</translation>
    </message>
    <message>
        <source>Steps per round</source>
        <translation>每轮步数</translation>
    </message>
    <message>
        <source>Steps of the distillation in each round; 300 in total if it is empty</source>
        <translation>每轮蒸馏的步数；留空则总共 300 步</translation>
    </message>
    <message>
        <source>automatic</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>Re&amp;wind weights</source>
        <translation>回退权重(&amp;W)</translation>
    </message>
    <message>
        <source>Start each recovery from the values before the first round, with the masks of the current round, as in lottery ticket experiments</source>
        <translation>每次恢复训练从第一轮之前的值和本轮的掩码开始，如彩票假设实验</translation>
    </message>
    <message>
        <source>Largest allowed difference from the unpruned model: 0.01 in the unit of the metric, or 1 % of its value. The last round within this limit is selected</source>
        <translation>与未剪枝模型的差异，如 0.01（指标的单位）或其值的 1 %。选择差异范围内的最后一轮</translation>
    </message>
    <message>
        <source>&amp;Evaluate after each round</source>
        <translation>每轮之后评估(&amp;E)</translation>
    </message>
    <message>
        <source>Measure the unpruned model and each round with the script</source>
        <translation>用脚本测量未剪枝模型和每一轮</translation>
    </message>
    <message>
        <source>Stop when the metric gets worse by</source>
        <translation>指标变差超过此值时停止</translation>
    </message>
    <message>
        <source>never</source>
        <translation>从不</translation>
    </message>
    <message>
        <source>&amp;Recover after each round</source>
        <translation>每轮之后恢复训练(&amp;R)</translation>
    </message>
    <message>
        <source>S&amp;teps per round</source>
        <translation>每轮步数(&amp;T)</translation>
    </message>
    <message>
        <source>Stop when the metric gets &amp;worse by</source>
        <translation>指标变差超过此值时停止(&amp;S)</translation>
    </message>
</context>
<context>
    <name>Alarm</name>
    <message>
        <source>{what}:</source>
        <translation>{what}：</translation>
    </message>
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
        <source>{n} weights remain 0, because they were made permanent earlier.</source>
        <translation>{n} 个权重此前已永久化，仍为 0。</translation>
    </message>
</context>
<context>
    <name>Allocation</name>
    <message>
        <source>It is not known whether the scan and the evaluation use the same data. If they do, the metric of the result is better than it would be on other data: evaluate the result on data that the scan does not use.</source>
        <translation>尚不清楚扫描和评估是否使用相同的数据。如果是，结果的指标会好于在其他数据上的指标：请在扫描未使用的数据上评估结果。</translation>
    </message>
    <message>
        <source>The scan and the evaluation use the same data ({evaluated}).</source>
        <translation>扫描和评估使用相同的数据（{evaluated}）。</translation>
    </message>
    <message>
        <source>The scan and the evaluation use images of the same folder (scan: {scanned}; evaluation: {evaluated}), and some of them can be the same.</source>
        <translation>扫描和评估使用同一文件夹的图像（扫描：{scanned}；评估：{evaluated}），其中一些可能相同。</translation>
    </message>
    <message>
        <source>The data of the scan are a part of those of the evaluation (scan: {scanned}; evaluation: {evaluated}).</source>
        <translation>扫描的数据是评估数据的一部分（扫描：{scanned}；评估：{evaluated}）。</translation>
    </message>
    <message>
        <source>The data of the evaluation are a part of those of the scan (scan: {scanned}; evaluation: {evaluated}).</source>
        <translation>评估的数据是扫描数据的一部分（扫描：{scanned}；评估：{evaluated}）。</translation>
    </message>
</context>
<context>
    <name>AllocationController</name>
    <message>
        <source>The step was added in a branch after the scanned state &apos;{state}&apos;.</source>
        <translation>此步骤已添加到被扫描状态“{state}”之后的分支中。</translation>
    </message>
    <message>
        <source>Allocated: {metric} {before} before, {predicted} or worse now. Tensors pruned together usually lose more than the sum of their losses.</source>
        <translation>已分配：{metric} 之前为 {before}，现在为 {predicted} 或更差。一起剪枝的张量通常比各自损失之和损失更多。</translation>
    </message>
    <message>
        <source>The scan is not finished: {n} of {all} evaluations are measured. Scan again to continue it.</source>
        <translation>扫描尚未完成：{all} 次评估中已测量 {n} 次。再次扫描以继续。</translation>
    </message>
    <message>
        <source>Each tensor was repaired in the scan before the evaluation. Repair the result, too.</source>
        <translation>扫描时每个张量都在评估前做了修复。请同样修复结果。</translation>
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
        <source>Evaluate this state</source>
        <translation>评估此状态</translation>
    </message>
    <message>
        <source>Scan: {scanned}; evaluation: {evaluated}.</source>
        <translation>扫描：{scanned}；评估：{evaluated}。</translation>
    </message>
    <message>
        <source>The scan and the evaluation run the same script with the same settings ({evaluated}).</source>
        <translation>扫描和评估以相同的设置运行同一脚本（{evaluated}）。</translation>
    </message>
    <message>
        <source>The scan and the evaluation run the same script with different numbers of samples (scan: {scanned}; evaluation: {evaluated}). The script decides whether it uses the same samples for both: if it does, the metric of the result is better than it would be on other data.</source>
        <translation>扫描和评估运行同一脚本，但样本数不同（扫描：{scanned}；评估：{evaluated}）。是否使用相同的样本由脚本决定：如果相同，结果的指标会好于在其他数据上的指标。</translation>
    </message>
    <message>
        <source>The allocation was chosen by these data, so the metric of the result is better than it would be on other data. Evaluate the result on other data, too.</source>
        <translation>该分配是根据这些数据选出的，因此结果的指标好于在其他数据上的指标。请也在其他数据上评估结果。</translation>
    </message>
    <message>
        <source>The prediction failed: {metric} {measured} measured, {predicted} or worse predicted. Repair or recover this state, or choose a lower target.</source>
        <translation>预测失败：{metric} 测得 {measured}，预测为 {predicted} 或更差。请修复或恢复此状态，或选择较低的目标。</translation>
    </message>
    <message>
        <source>Allocation: {metric} {measured} measured, {predicted} or worse predicted. Tensors pruned together usually lose more than the sum of their losses. {data}</source>
        <translation>分配：{metric} 测得 {measured}，预测为 {predicted} 或更差。一起剪枝的张量通常比各自损失之和损失更多。{data}</translation>
    </message>
    <message>
        <source>Recover…</source>
        <translation>恢复…</translation>
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
        <source>Distributes the total sparsity over the scanned tensors so that the predicted quality loss is smallest. The result is one step with a rule for each tensor. The column Change shows how the metric changes if only this tensor is pruned, estimated from the scan. Pruning more is assumed not to reduce a change: if the scan measured a larger change at a smaller amount, the larger one is used.</source>
        <translation>将总稀疏度分配到已扫描的张量，使预测的质量损失最小。结果是一个步骤，每个张量一条规则。“变化”列显示根据扫描估计的、仅剪枝该张量时指标的变化。这里假定剪枝更多不会使变化减小：如果扫描在较小的剪枝量上测得更大的变化，则使用较大的变化。</translation>
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
        <source>{metric}: {before} before, {predicted} or worse after. Tensors pruned together usually lose more than the sum of their losses.</source>
        <translation>{metric}：之前 {before}，之后 {predicted} 或更差。一起剪枝的张量通常比各自损失之和损失更多。</translation>
    </message>
    <message>
        <source>1 tensor is not measured yet and will not be changed.</source>
        <translation>1 个张量尚未测量，保持不变。</translation>
    </message>
    <message>
        <source>{n} tensors are not measured yet and will not be changed.</source>
        <translation>{n} 个张量尚未测量，保持不变。</translation>
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
        <source>“{text}” was read as a fraction: {amount}.</source>
        <translation>“{text}”按比例读取：{amount}。</translation>
    </message>
    <message>
        <source>Enter a count, or a percentage from 0 to 100 %.</source>
        <translation>请输入数量，或 0 到 100 % 的百分比。</translation>
    </message>
    <message>
        <source>Enter a percentage from 0 to 100 %, or choose # to enter a count.</source>
        <translation>请输入 0 到 100 % 的百分比，或选择 # 以输入数量。</translation>
    </message>
    <message>
        <source>Enter a percentage from 0 to 100 %.</source>
        <translation>请输入 0 到 100 % 的百分比。</translation>
    </message>
    <message>
        <source>Use a decimal point.</source>
        <translation>请使用小数点。</translation>
    </message>
</context>
<context>
    <name>Amounts</name>
    <message>
        <source>{n} in each of {k} tensors: {total} blocks.</source>
        <translation>{k} 个张量中各 {n} 个：共 {total} 个块。</translation>
    </message>
    <message>
        <source>{total} of {units} in {k} tensors.</source>
        <translation>{k} 个张量的 {units}中的 {total} 个。</translation>
    </message>
    <message>
        <source>{total} of {units}.</source>
        <translation>{units}中的 {total} 个。</translation>
    </message>
    <message>
        <source>{n} in each of {k} tensors: {total} of {units}.</source>
        <translation>{k} 个张量中各 {n} 个：{units}中的 {total} 个。</translation>
    </message>
    <message>
        <source>{n} weights</source>
        <translation>{n} 个权重</translation>
    </message>
    <message>
        <source>{n} remaining weights</source>
        <translation>{n} 个剩余权重</translation>
    </message>
    <message>
        <source>{n} channels</source>
        <translation>{n} 个通道</translation>
    </message>
    <message>
        <source>{n} remaining channels</source>
        <translation>{n} 个剩余通道</translation>
    </message>
    <message>
        <source>Prunes at most {n} of {units} units, because each group keeps a multiple of {multiple} units (setting &apos;{setting}&apos;).</source>
        <translation>最多剪枝 {units} 个单元中的 {n} 个，因为每个组保留的单元数是 {multiple} 的倍数（设置“{setting}”）。</translation>
    </message>
    <message>
        <source>in each of {k} groups ({n} tensors)</source>
        <translation>{k} 个组（{n} 个张量）的每组中</translation>
    </message>
    <message>
        <source>in 1 group ({n} tensors)</source>
        <translation>1 个组（{n} 个张量）中</translation>
    </message>
    <message>
        <source>Prunes {low} units {where}.</source>
        <translation>在{where}剪枝 {low} 个单元。</translation>
    </message>
    <message>
        <source>Prunes {low} to {high} units {where}.</source>
        <translation>在{where}剪枝 {low} 到 {high} 个单元。</translation>
    </message>
    <message>
        <source>Prunes {low} units {where} instead of the requested {most}, because each group keeps a multiple of {multiple} units (setting &apos;{setting}&apos;).</source>
        <translation>在{where}剪枝 {low} 个单元，而不是要求的 {most} 个，因为每个组保留的单元数是 {multiple} 的倍数（设置“{setting}”）。</translation>
    </message>
    <message>
        <source>Prunes {low} to {high} units {where}, because each group keeps a multiple of {multiple} units (setting &apos;{setting}&apos;).</source>
        <translation>在{where}剪枝 {low} 到 {high} 个单元，因为每个组保留的单元数是 {multiple} 的倍数（设置“{setting}”）。</translation>
    </message>
    <message>
        <source>{low} per row: {n} weights.</source>
        <translation>每行 {low} 个：共 {n} 个权重。</translation>
    </message>
    <message>
        <source>{low} to {high} per row: {n} weights.</source>
        <translation>每行 {low} 到 {high} 个：共 {n} 个权重。</translation>
    </message>
    <message>
        <source>{m} checked tensors belong to no group and are not pruned.</source>
        <translation>{m} 个所选张量不属于任何组，不会被剪枝。</translation>
    </message>
    <message>
        <source>1 checked tensor belongs to no group and is not pruned.</source>
        <translation>1 个所选张量不属于任何组，不会被剪枝。</translation>
    </message>
    <message>
        <source>{n} of {units} units.</source>
        <translation>{units} 个单元中的 {n} 个。</translation>
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
        <source>Removed per group</source>
        <translation>每组移除</translation>
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
        <source> More notes in the tooltip: {n}.</source>
        <translation> 提示框中还有 {n} 条说明。</translation>
    </message>
    <message>
        <source>Words of other texts become unknown tokens, or several shorter tokens.</source>
        <translation>其他文本中的词会变成未知词元，或拆成多个较短的词元。</translation>
    </message>
    <message>
        <source>The model&apos;s class supports no smaller size.</source>
        <translation>模型的类不接受更小的尺寸。</translation>
    </message>
    <message>
        <source>{share} requested, {removed} removed: widths are rounded up to multiples of {n}.</source>
        <translation>要求 {share}，实际移除 {removed}：宽度会向上取整为 {n} 的倍数。</translation>
    </message>
    <message>
        <source>{n} of {all} remain: {exactness}</source>
        <translation>{all} 个中保留 {n} 个：{exactness}</translation>
    </message>
    <message>
        <source>nothing removed</source>
        <translation>未移除</translation>
    </message>
    <message>
        <source>no dead units to remove</source>
        <translation>没有可裁去的失效单元</translation>
    </message>
    <message>
        <source>Layers without effect are removed. Click any other layer to remove it, too.</source>
        <translation>不起作用的层总会被裁去。点击其他层以移除。</translation>
    </message>
    <message>
        <source>At its left end, the slider removes only dead units. Farther to the right, it also removes this share of the units of each group, the lowest-ranked ones first. The remaining number is rounded up to the multiple.</source>
        <translation>滑块位于最左端时只裁去失效单元。向右移动还会裁去每组中排名最低的这一比例的单元；每组保留的数量向上取整到所选的倍数。</translation>
    </message>
    <message>
        <source>At its left end, the slider removes only units that are dead in every layer. Farther to the right, it also removes the lowest-ranked units.</source>
        <translation>滑块位于最左端时只裁去在每层中都失效的单元。向右移动还会裁去排名最低的单元。</translation>
    </message>
    <message>
        <source>The slider removes the lowest-ranked experts.</source>
        <translation>滑块裁去排名最低的专家。</translation>
    </message>
    <message>
        <source>no dead layers</source>
        <translation>没有失效的层</translation>
    </message>
</context>
<context>
    <name>BarChartView</name>
    <message>
        <source>Order</source>
        <translation>顺序</translation>
    </message>
    <message>
        <source>Order of the bars</source>
        <translation>条的顺序</translation>
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
</context>
<context>
    <name>BoundEditor</name>
    <message>
        <source>not set</source>
        <translation>未设置</translation>
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
        <source>Excluded tensors in this module: {n}</source>
        <translation>此模块中被排除的张量：{n}</translation>
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
        <source>Below this module: {what}: {names}.</source>
        <translation>此模块之下：{what}：{names}。</translation>
    </message>
    <message>
        <source>{text}.</source>
        <translation>{text}。</translation>
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
        <source>Pruned only if you check it and confirm: {why}.</source>
        <translation>仅当您勾选并确认时才剪枝：{why}。</translation>
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
        <translation>未勾选任何项：{name} 只有归一化和偏置。请逐个勾选，或用上下文菜单中的“勾选以下全部”。</translation>
    </message>
    <message>
        <source>in the file: {name}</source>
        <translation>文件中：{name}</translation>
    </message>
    <message>
        <source>in transformers: {name}</source>
        <translation>在 transformers 中：{name}</translation>
    </message>
    <message>
        <source>{n} blocks of the same layers and sizes</source>
        <translation>{n} 个层和大小都相同的块</translation>
    </message>
    <message>
        <source>A buffer: not learned. To prune it, check its own check box.</source>
        <translation>缓冲区：非学习得到。要剪枝它，请勾选它自己的复选框。</translation>
    </message>
    <message>
        <source>Not checked by default: the sentence embedding is pooled from the vectors of the tokens, without this layer.</source>
        <translation>默认不勾选：句子嵌入由各 token 的向量池化得到，不使用此层。</translation>
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
        <source>Dimension whose slices are the channels, or the units along a dimension</source>
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
        <source>{channels} ({n} per bar: the largest of each color)</source>
        <translation>{channels}（每条 {n} 个：各颜色中最大者）</translation>
    </message>
    <message>
        <source>channel {index}:  {norm} {value},  {state}</source>
        <translation>通道 {index}：{norm} {value}，{state}</translation>
    </message>
    <message>
        <source>unit {index} ({channels}):  {norm} {value},  {state}</source>
        <translation>单元 {index}（{channels}）：{norm} {value}，{state}</translation>
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
        <translation>{left} / {whole}</translation>
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
        <translation>{channels}，{norm}之和 {total}</translation>
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
    <name>CollectDialog</name>
    <message>
        <source>Collect statistics</source>
        <translation>收集统计量</translation>
    </message>
    <message>
        <source>Collect</source>
        <translation>收集</translation>
    </message>
    <message>
        <source>Runs inputs through the unpruned model, and saves activation statistics. Wanda, RIA and similar methods rank weights by them. Use inputs like those of real use, but not the evaluation data.</source>
        <translation>将输入送入未剪枝的模型，并保存激活统计。Wanda、RIA 等方法据此对权重排序。请使用与实际应用相似的输入，但不要使用评估数据。</translation>
    </message>
    <message>
        <source>The model runs with the data, and statistics of its activations are saved.</source>
        <translation>用这些数据运行模型，并保存其激活值的统计信息。</translation>
    </message>
    <message>
        <source>Also collect &amp;Gram matrices (about {size})</source>
        <translation>同时收集 &amp;Gram 矩阵（约 {size}）</translation>
    </message>
    <message>
        <source>Pairwise products of the inputs of a layer, which Swaps and Repair require. To compute them, the model runs the inputs once more, or several times if memory is too small.</source>
        <translation>层输入的两两乘积，交换和修复需要它们。为此模型会再运行一次输入，内存不足时运行多次。</translation>
    </message>
    <message>
        <source>Statistics file</source>
        <translation>统计文件</translation>
    </message>
    <message>
        <source>Save as…</source>
        <translation>另存为…</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>文件(&amp;F)</translation>
    </message>
    <message>
        <source>Inputs</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>Statistics ({patterns})</source>
        <translation>统计量 ({patterns})</translation>
    </message>
    <message>
        <source>Save statistics as</source>
        <translation>统计量另存为</translation>
    </message>
    <message>
        <source>The existing file is replaced.</source>
        <translation>现有文件将被替换。</translation>
    </message>
</context>
<context>
    <name>ColorBar</name>
    <message>
        <source>Drag the handles, or press the arrow keys, PgUp and PgDn, to change the contrast. Double-click or Home: automatic limits. Enter or right-click: type the limits.</source>
        <translation>拖动手柄,或按方向键、PgUp 和 PgDn 来调整对比度。双击或按 Home 键:自动上下限。按回车键或右键单击:输入上下限。</translation>
    </message>
    <message>
        <source>Contrast limits: {low} to {high}</source>
        <translation>对比度界限：{low} 至 {high}</translation>
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
        <source>The command runs without a shell, once for each state that is evaluated. {checkpoint} is replaced by the path of the opened file, or of a temporary file with a pruned state. The program can read and change your files and use the network, as if you started it yourself. Only run programs that you trust.</source>
        <translation>命令不经过 shell 运行，每个要评估的状态运行一次。{checkpoint} 会替换为打开的文件的路径，或包含剪枝后状态的临时文件的路径。该程序可以读取和更改您的文件并使用网络，如同您自己启动它一样。请只运行您信任的程序。</translation>
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
        <source>This command line has not been run before. Run it?</source>
        <translation>此命令行从未运行过。要运行吗？</translation>
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
        <source>Biases and norm layers only</source>
        <translation>仅偏置和归一化层</translation>
    </message>
    <message>
        <source>Biases and norm layers (included)</source>
        <translation>偏置和归一化层（已包含）</translation>
    </message>
    <message>
        <source>Biases and norm layers (none found)</source>
        <translation>偏置和归一化层（未找到）</translation>
    </message>
    <message>
        <source>Biases and norms where dependents are unknown</source>
        <translation>依赖未知处的偏置和归一化</translation>
    </message>
    <message>
        <source>Biases and norms of output layers</source>
        <translation>输出层的偏置和归一化</translation>
    </message>
    <message>
        <source>The dependent tensors include biases and norm layers.</source>
        <translation>依赖的张量包含偏置和归一化层。</translation>
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
        <source>Prunes 1 bias or norm tensor in addition to the amount.</source>
        <translation>在剪枝量之外还剪枝 1 个偏置或归一化张量。</translation>
    </message>
    <message>
        <source>Prunes {n} bias and norm tensors in addition to the amount.</source>
        <translation>在剪枝量之外还剪枝 {n} 个偏置和归一化张量。</translation>
    </message>
    <message>
        <source>{n} of {m} tensors have a matching bias or norm.</source>
        <translation>{m} 个张量中有 {n} 个具有匹配的偏置或归一化。</translation>
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
        <source>{state} is the only state: there is nothing to compare. Go to a later state, or choose two on the Compare tab.</source>
        <translation>{state} 是唯一的状态，没有可比较的内容。请转到之后的状态，或在“比较”标签页选择两个状态。</translation>
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
        <source>Zero mismatch</source>
        <translation>零不一致</translation>
    </message>
    <message>
        <source>Comparing…</source>
        <translation>正在比较…</translation>
    </message>
    <message>
        <source>Order of the tensors. Biases and norms have small values, so that a large relative difference of them may have little effect.</source>
        <translation>张量的顺序。偏置和归一化的数值较小，其较大的相对差异可能影响很小。</translation>
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
        <source>In tree order</source>
        <translation>按模块树的顺序</translation>
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
        <source>{measure} (▶ longer)</source>
        <translation>{measure}（▶ 更长）</translation>
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
        <source>same signs {value}</source>
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
        <source>;  bars clipped: {n} (▶)</source>
        <translation>；截断的条形：{n}（▶）</translation>
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
        <source>same sign</source>
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
        <translation>差异，占 A 的 %</translation>
    </message>
    <message>
        <source>different signs, %</source>
        <translation>符号不同，%</translation>
    </message>
    <message>
        <source>zero mismatch, %</source>
        <translation>零不一致，%</translation>
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
    <name>ConnectionsRow</name>
    <message>
        <source>Connections</source>
        <translation>连接</translation>
    </message>
    <message>
        <source>Trace the model</source>
        <translation>追踪模型</translation>
    </message>
    <message>
        <source>{n} layers</source>
        <translation>{n} 层</translation>
    </message>
    <message>
        <source>Go to {name}</source>
        <translation>转到 {name}</translation>
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
    <name>CurveView</name>
    <message>
        <source>Curves</source>
        <translation>曲线</translation>
    </message>
    <message>
        <source>Which curves are shown</source>
        <translation>显示哪些曲线</translation>
    </message>
    <message>
        <source>step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>No values yet.</source>
        <translation>尚无数值。</translation>
    </message>
    <message>
        <source>{curve} {value}</source>
        <translation>{curve} {value}</translation>
    </message>
    <message>
        <source>Step {n}: {values}</source>
        <translation>第 {n} 步：{values}</translation>
    </message>
</context>
<context>
    <name>CutEvaluation</name>
    <message>
        <source>After shrinking: {n} of {all} parameters; {metric}.</source>
        <translation>缩减后：{all} 个参数中剩余 {n} 个；{metric}。</translation>
    </message>
    <message>
        <source>After shrinking: {n} of {all} parameters, {share} of them pruned; {metric}.</source>
        <translation>缩减后：{all} 个参数中剩余 {n} 个，其中 {share} 已剪枝；{metric}。</translation>
    </message>
    <message>
        <source>The tokens were chosen from the evaluation data: other texts lose words.</source>
        <translation>词元选自评估数据：其他文本会丢失词语。</translation>
    </message>
    <message>
        <source>Evaluating the shrunk model</source>
        <translation>正在评估缩减后的模型</translation>
    </message>
</context>
<context>
    <name>Danger</name>
    <message>
        <source>few weights or little L2 norm² left</source>
        <translation>剩余权重或L2 范数² 很少</translation>
    </message>
    <message>
        <source>large quality loss measured</source>
        <translation>测得较大质量损失</translation>
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
        <source>{share} of its weights are left.</source>
        <translation>其权重剩余 {share}。</translation>
    </message>
    <message>
        <source>The quality loss is estimated, not measured.</source>
        <translation>质量损失为估计值，并非实测。</translation>
    </message>
    <message>
        <source>Only {share} of its weights are left.</source>
        <translation>其权重仅剩 {share}。</translation>
    </message>
    <message>
        <source>{share} of its weights are left, with {norm} of its L2 norm².</source>
        <translation>其权重剩余 {share}，L2 范数² 剩余 {norm}。</translation>
    </message>
    <message>
        <source>{share} of its weights are left, with {norm} of its L2 norm² after repair or recovery.</source>
        <translation>修复或恢复训练后，其权重剩余 {share}，L2 范数²为原来的 {norm}。</translation>
    </message>
    <message>
        <source>In the sensitivity scan, pruning only this tensor gave no finite {metric}.</source>
        <translation>在敏感度扫描中，仅剪枝此张量时 {metric} 不是有限值。</translation>
    </message>
    <message>
        <source>In the sensitivity scan, pruning only this tensor made {metric} worse by {amount}.</source>
        <translation>在敏感度扫描中，仅剪枝此张量使 {metric} 变差 {amount}。</translation>
    </message>
    <message>
        <source>In the sensitivity scan, pruning only this tensor made {metric} {amount} points worse.</source>
        <translation>在敏感度扫描中，仅剪枝此张量使 {metric} 变差 {amount} 个百分点。</translation>
    </message>
    <message>
        <source>a large quality loss was measured for 1 tensor</source>
        <translation>1 个张量测得较大质量损失</translation>
    </message>
    <message>
        <source>a large quality loss was measured for {n} tensors</source>
        <translation>{n} 个张量测得较大质量损失</translation>
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
        <source>few weights or little L2 norm² left in 1 tensor</source>
        <translation>1 个张量的剩余权重或L2 范数² 很少</translation>
    </message>
    <message>
        <source>few weights or little L2 norm² left in {n} tensors</source>
        <translation>{n} 个张量的剩余权重或L2 范数² 很少</translation>
    </message>
    <message>
        <source>{what}: {names}.</source>
        <translation>{what}：{names}。</translation>
    </message>
</context>
<context>
    <name>DataKind</name>
    <message>
        <source>no data, random token IDs</source>
        <translation>无数据，随机词元 ID</translation>
    </message>
    <message>
        <source>no data, random inputs</source>
        <translation>无数据，随机输入</translation>
    </message>
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
        <source>Plain text. For a language model, its perplexity is measured; for an encoder, how closely each line&apos;s embedding matches that of the unpruned model. The model is loaded from its folder with transformers.</source>
        <translation>纯文本。对语言模型测量困惑度；对编码器测量每行的嵌入与未剪枝模型的嵌入的接近程度。模型由 transformers 从其文件夹加载。</translation>
    </message>
    <message>
        <source>A folder of images for an image classifier of torchvision or timm. With one subfolder per class of the model, its accuracy is measured; otherwise, how closely its outputs match those of the unpruned model.</source>
        <translation>供 torchvision 或 timm 图像分类器使用的图像文件夹。如果模型的每个类别各有一个子文件夹，则测量准确率；否则测量输出与未剪枝模型输出的接近程度。</translation>
    </message>
    <message>
        <source>Random token IDs, the same each time. Results are less accurate than with real text.</source>
        <translation>随机词元 ID，每次相同。结果不如使用真实文本准确。</translation>
    </message>
    <message>
        <source>A program that evaluates a file. {checkpoint} is replaced by the path of the file, and {out} by the path to which the program writes its result, a JSON object or a number. Without {out}, the last JSON object or number that it prints is used.</source>
        <translation>评估文件的程序。{checkpoint} 会替换为文件的路径，{out} 会替换为程序写入结果（JSON 对象或数字）的路径。没有 {out} 时，使用程序输出的最后一个 JSON 对象或数字。</translation>
    </message>
    <message>
        <source>&amp;Images</source>
        <translation>图像(&amp;I)</translation>
    </message>
    <message>
        <source>&amp;No data</source>
        <translation>无数据(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Random inputs</source>
        <translation>随机输入(&amp;R)</translation>
    </message>
    <message>
        <source>Random numbers (always the same) in the input shapes of the ONNX model. They are unlike real inputs, so that small losses are missed and repairs are worse. Enter the dynamic sizes of the model, such as batch=1, height=224.</source>
        <translation>ONNX 模型输入形状的随机数（始终相同）。它们与真实输入不同，因此较小的损失不会被发现，修复效果也较差。请输入模型未指定的大小，例如 batch=1, height=224。</translation>
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
    <message>
        <source>a script</source>
        <translation>脚本</translation>
    </message>
    <message>
        <source>a text</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>images</source>
        <translation>图像</translation>
    </message>
    <message>
        <source>random token IDs</source>
        <translation>随机词元 ID</translation>
    </message>
    <message>
        <source>random inputs</source>
        <translation>随机输入</translation>
    </message>
    <message>
        <source>an imatrix</source>
        <translation>imatrix</translation>
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
        <source>Swaps (per row)</source>
        <extracomment>method swaps</extracomment>
        <translation>交换（逐行）</translation>
    </message>
    <message>
        <source>Starts with Wanda per row and swaps a pruned with a kept weight of the same row as long as the error of the row&apos;s output falls (after SparseSwaps, 2025). Use it where pruned weights are not repaired: it removes about half of Wanda&apos;s error. It needs statistics with Gram matrices, and takes minutes for layers of thousands of inputs.</source>
        <extracomment>method swaps</extracomment>
        <translation>从逐行 Wanda 开始，只要该行输出的误差下降，就在同一行内交换一个已剪枝和一个保留的权重（参照 SparseSwaps, 2025）。适用于不修复已剪枝权重的情况：Wanda 的误差约减少一半。需要带格拉姆矩阵的统计；对有数千个输入的层需要数分钟。</translation>
    </message>
    <message>
        <source>Swaps</source>
        <extracomment>method swaps, rounds</extracomment>
        <translation>交换次数</translation>
    </message>
    <message>
        <source>Maximum number of swaps in each row; stops earlier if none helps.</source>
        <extracomment>method swaps, rounds</extracomment>
        <translation>每行最多的交换次数；若再无改善则提前结束。</translation>
    </message>
    <message>
        <source>OWL (Wanda per row)</source>
        <extracomment>method owl</extracomment>
        <translation>OWL（逐行 Wanda）</translation>
    </message>
    <message>
        <source>Outlier threshold</source>
        <extracomment>method owl, outlier</extracomment>
        <translation>离群值阈值</translation>
    </message>
    <message>
        <source>Scores of more than this many times the mean of their layer are outliers (M in the paper).</source>
        <extracomment>method owl, outlier</extracomment>
        <translation>分数超过其层均值的这一倍数即为离群值（论文中的 M）。</translation>
    </message>
    <message>
        <source>Spread</source>
        <extracomment>method owl, spread</extracomment>
        <translation>跨度</translation>
    </message>
    <message>
        <source>Half of the difference between the highest and lowest density of layers (lambda in the paper).</source>
        <extracomment>method owl, spread</extracomment>
        <translation>各层最高密度与最低密度之差的一半（论文中的 lambda）。</translation>
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
        <translation>是否计入卷积核的高度和宽度。</translation>
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
        <source>Prunes each tensor to the same sparsity, except that the first convolution stays dense and the last linear layer is pruned to at most 80 %, because these layers are the most sensitive (Gale et al., 2019). Within a tensor, weights of the smallest magnitude are pruned. First and last refer to the selected tensors. If the other layers cannot reach the target, the last, then the first is pruned further. Pruned weights count toward the sparsity.</source>
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
        <source>Keeps the N weights of the largest magnitude in each group of M. Use 2:4 for sparse tensor cores (NVIDIA Ampere and later), which compute such layers up to twice as fast (Mishra et al., 2021). Groups are formed along the input dimension; for convolutions, at the same kernel position. Weights that are already pruned count in their group; an incomplete group at the end is not pruned. At the same sparsity it costs more accuracy than unstructured pruning.</source>
        <extracomment>method n_m</extracomment>
        <translation>在每 M 个权重的组中保留幅值最大的 N 个。2:4 用于稀疏张量核心（NVIDIA Ampere 及之后），可使此类层的计算速度最高提高一倍 (Mishra et al., 2021)。组沿输入维度排列；对于卷积，位于相同的卷积核位置。已剪枝的权重计入其组；末尾不完整的组不剪枝。在相同稀疏度下，它比非结构化剪枝损失更多准确率。</translation>
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
        <source>Dimension along which groups are formed; 1 is the input features of a linear layer or the input channels of a convolution.</source>
        <extracomment>method n_m, dim</extracomment>
        <translation>组所沿的维度；1 为线性层的输入特征或卷积的输入通道。</translation>
    </message>
    <message>
        <source>Wanda N:M (2:4)</source>
        <extracomment>method wanda_n_m</extracomment>
        <translation>Wanda N:M (2:4)</translation>
    </message>
    <message>
        <source>Keeps the N weights of each group of M with the largest product of magnitude and size of their input. Use it for 2:4 if statistics of activations are available: at this sparsity it usually keeps more accuracy than magnitude (Sun et al., 2024). Groups and dimension are those of N:M semi-structured.</source>
        <extracomment>method wanda_n_m</extracomment>
        <translation>在每 M 个权重的组中保留“幅值 × 输入大小”最大的 N 个。有激活统计时用于 2:4：在此稀疏度下通常比按幅值保留更高的准确率 (Sun et al., 2024)。组和维度与 N:M 半结构化相同。</translation>
    </message>
    <message>
        <source>Swaps N:M (2:4)</source>
        <extracomment>method swaps_n_m</extracomment>
        <translation>交换 N:M (2:4)</translation>
    </message>
    <message>
        <source>Begins with Wanda N:M and exchanges a pruned with a kept weight of the same group of M as long as the error of the row&apos;s output falls (after SparseSwaps, 2025). Use it for 2:4 where pruned weights are not repaired. It needs statistics with Gram matrices. Groups must be formed along the inputs.</source>
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
        <source>L2 norm</source>
        <extracomment>method l1_normalized, divide_by</extracomment>
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
        <source>Weights with zeros where they are pruned, for torch.load.</source>
        <extracomment>format torch</extracomment>
        <translation>被剪枝处为零的权重，用于 torch.load。</translation>
    </message>
    <message>
        <source>The other contents of the opened file are kept.</source>
        <extracomment>format torch</extracomment>
        <translation>保留所打开文件的其他内容。</translation>
    </message>
    <message>
        <source>Compact (packed and compressed)</source>
        <extracomment>format compact</extracomment>
        <translation>紧凑（打包并压缩）</translation>
    </message>
    <message>
        <source>L1, sum of magnitudes</source>
        <extracomment>method ln_structured, n</extracomment>
        <translation>L1，幅值之和</translation>
    </message>
    <message>
        <source>Prunes the weights of the smallest magnitude in each row, that is, per output neuron or filter, to the same sparsity. Use it for language models: no output loses nearly all of its inputs (Wanda compares weights within the same groups; Sun et al., 2024). A fraction is rounded for each row. A count or a target total is met exactly, by one weight more in some rows.</source>
        <extracomment>method l1_per_row</extracomment>
        <translation>在每一行（即每个输出神经元或滤波器）中剪枝幅值最小的权重，使各行稀疏度相同。适用于语言模型：没有输出会失去几乎所有输入（Wanda 在同样的组内比较权重；Sun et al., 2024）。比例按每行取整。数量或目标总量会精确达到，为此某些行会多剪枝一个权重。</translation>
    </message>
    <message>
        <source>L2, Euclidean</source>
        <extracomment>method ln_structured, n</extracomment>
        <translation>L2，欧几里得</translation>
    </message>
    <message>
        <source>maximum magnitude</source>
        <extracomment>method ln_structured, n</extracomment>
        <translation>最大幅值</translation>
    </message>
    <message>
        <source>minimum magnitude</source>
        <extracomment>method ln_structured, n</extracomment>
        <translation>最小幅值</translation>
    </message>
    <message>
        <source>Frobenius, same as 2</source>
        <extracomment>method ln_structured, n</extracomment>
        <translation>Frobenius，同 2</translation>
    </message>
    <message>
        <source>nuclear, sum of singular values</source>
        <extracomment>method ln_structured, n</extracomment>
        <translation>核范数，奇异值之和</translation>
    </message>
    <message>
        <source>Automatic</source>
        <extracomment>method ffn_neurons, multiple</extracomment>
        <translation>自动</translation>
    </message>
    <message>
        <source>ONNX: 16 (8 below 32 channels); other channels: 8; neurons: 64.</source>
        <extracomment>method ffn_neurons, multiple</extracomment>
        <translation>ONNX 模型为 16（少于 32 个通道时为 8），其他通道为 8，神经元为 64。</translation>
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
        <source>16</source>
        <extracomment>method ffn_neurons, multiple</extracomment>
        <translation>16</translation>
    </message>
    <message>
        <source>32</source>
        <extracomment>method ffn_neurons, multiple</extracomment>
        <translation>32</translation>
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
        <source>Layers</source>
        <extracomment>method layers</extracomment>
        <translation>层</translation>
    </message>
    <message>
        <source>Channel groups</source>
        <extracomment>method channel_groups</extracomment>
        <translation>通道组</translation>
    </message>
    <message>
        <source>Custom mask from file…</source>
        <extracomment>method custom_from_mask</extracomment>
        <translation>文件中的自定义掩码…</translation>
    </message>
    <message>
        <source>Identity (no pruning)</source>
        <extracomment>method identity</extracomment>
        <translation>恒等（不剪枝）</translation>
    </message>
    <message>
        <source>Prunes nothing, but adds a mask of ones to each selected tensor without a mask. Use it before a resumable export, so that a script can continue pruning these tensors with torch. As the last rule, it excludes its tensors from earlier rules. Same as torch.nn.utils.prune.identity.</source>
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
        <source>dtype</source>
        <extracomment>format safetensors, dtype</extracomment>
        <translation>dtype</translation>
    </message>
    <message>
        <source>Data type of the written weights: unchanged, or rounded to 16 bits.</source>
        <extracomment>format safetensors, dtype</extracomment>
        <translation>写入权重的数据类型：不变，或舍入到 16 位。</translation>
    </message>
    <message>
        <source>Keep dtype</source>
        <extracomment>format safetensors, dtype</extracomment>
        <translation>保持原数据类型</translation>
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
        <extracomment>format safetensors, max_shard_size</extracomment>
        <translation>分片大小上限</translation>
    </message>
    <message>
        <source>Write a folder of shards up to this size, with an index file as in transformers and the other files of the model.</source>
        <extracomment>format safetensors, max_shard_size</extracomment>
        <translation>写入由不超过此大小的分片组成的文件夹，含 transformers 式的索引文件和模型的其他文件。</translation>
    </message>
    <message>
        <source>as opened</source>
        <extracomment>format safetensors, max_shard_size</extracomment>
        <translation>与打开时相同</translation>
    </message>
    <message>
        <source>torch state dict, dense</source>
        <extracomment>format torch</extracomment>
        <translation>torch 状态字典，稠密</translation>
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
        <source>Contents</source>
        <extracomment>format torch, container</extracomment>
        <translation>内容</translation>
    </message>
    <message>
        <source>Write the opened torch file with changed weights, or only its state dict, without optimizer, objects and program.</source>
        <extracomment>format torch, container</extracomment>
        <translation>写入更改了权重的原 torch 文件，或仅写入其状态字典，不含优化器、对象和程序。</translation>
    </message>
    <message>
        <source>Whole checkpoint</source>
        <extracomment>format torch, container</extracomment>
        <translation>整个检查点</translation>
    </message>
    <message>
        <source>State dict only</source>
        <extracomment>format torch, container</extracomment>
        <translation>仅状态字典</translation>
    </message>
    <message>
        <source>Resumable (weights and masks)</source>
        <extracomment>format resumable</extracomment>
        <translation>可继续（权重和掩码）</translation>
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
        <source>One bit per weight of each pruned tensor, without the weights: together with the original file it restores the pruned model, but no repaired or trained values. NAME_mask contains eight weights per byte, lowest bit first; 1 is kept. Pruneapp and numpy.unpackbits read it.</source>
        <extracomment>format masks</extracomment>
        <translation>每个被剪枝张量的每个权重一位，不含权重：与原文件一起可还原剪枝后的模型，但不含修复或训练后的值。NAME_mask 每字节存八个权重，低位在前；1 为保留。Pruneapp 和 numpy.unpackbits 可读取。</translation>
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
        <source>The smallest file: the packed weights (remaining weights, and one mask bit for each weight of a pruned tensor), byte-shuffled and compressed, in a safetensors container. The packed size in the preview and the history is that before compression. Pruneapp opens it like any checkpoint; a short reader for numpy can be written next to it.</source>
        <extracomment>format compact</extracomment>
        <translation>最小的文件：打包的权重（剩余权重，以及被剪枝张量的每个权重一个掩码位），经字节重排和压缩，存于 safetensors 容器中。预览和历史记录中的打包大小是压缩前的大小。Pruneapp 像打开任何检查点一样打开它；可在旁边写入一个简短的 numpy 读取脚本。</translation>
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
        <source>Write reader script</source>
        <extracomment>format compact, reader_script</extracomment>
        <translation>写入读取脚本</translation>
    </message>
    <message>
        <source>A short Python script that reads the file with numpy and zstandard.</source>
        <extracomment>format compact, reader_script</extracomment>
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
        <extracomment>format zst, compression_level</extracomment>
        <translation>压缩级别</translation>
    </message>
    <message>
        <source>1 is fastest; 12 gives the smallest file and takes about 12 times as long.</source>
        <extracomment>format zst, compression_level</extracomment>
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
        <source>numpy archive</source>
        <extracomment>format npz</extracomment>
        <translation>numpy 归档</translation>
    </message>
    <message>
        <source>One array per tensor, with zeros, for programs that read numpy: numpy.load, JAX, MLX and others.</source>
        <extracomment>format npz</extracomment>
        <translation>每个张量一个数组，含零，供读取 numpy 的程序使用：numpy.load、JAX、MLX 等。</translation>
    </message>
    <message>
        <source>Zeros do not reduce the size unless the arrays are compressed.</source>
        <extracomment>format npz</extracomment>
        <translation>除非压缩数组，否则零不会减小文件。</translation>
    </message>
    <message>
        <source>Contains only tensors. Tied tensors are stored once for each name.</source>
        <extracomment>format npz</extracomment>
        <translation>仅包含张量。绑定的张量按每个名称各存储一次。</translation>
    </message>
    <message>
        <source>bfloat16 and float8 as raw bytes, for a view of ml_dtypes</source>
        <extracomment>format npz, numpy.load</extracomment>
        <translation>bfloat16 和 float8 为原始字节，可用 ml_dtypes 查看</translation>
    </message>
    <message>
        <source>MLX reads V2 as bfloat16</source>
        <extracomment>format npz, MLX, JAX</extracomment>
        <translation>MLX 将 V2 读作 bfloat16</translation>
    </message>
    <message>
        <source>Compress</source>
        <extracomment>format npz, compressed</extracomment>
        <translation>压缩</translation>
    </message>
    <message>
        <source>Compress the arrays with DEFLATE, as numpy.savez_compressed does. Loading is slower.</source>
        <extracomment>format npz, compressed</extracomment>
        <translation>使用 DEFLATE 压缩数组，与 numpy.savez_compressed 相同。加载较慢。</translation>
    </message>
    <message>
        <source>ONNX, dense</source>
        <extracomment>format onnx</extracomment>
        <translation>ONNX，稠密</translation>
    </message>
    <message>
        <source>torch.export program, dense</source>
        <extracomment>format pt2</extracomment>
        <translation>torch.export 程序，稠密</translation>
    </message>
    <message>
        <source>pickle as opened</source>
        <extracomment>format pickle</extracomment>
        <translation>按打开形式的 pickle</translation>
    </message>
    <message>
        <source>The opened pickle with zeros where weights are pruned; everything else in it is kept. For detectron2 and Caffe2.</source>
        <extracomment>format pickle</extracomment>
        <translation>打开的 pickle，剪枝处为零；其余内容保留。适用于 detectron2 和 Caffe2。</translation>
    </message>
    <message>
        <source>Zeros do not reduce the size of a pickle.</source>
        <extracomment>format pickle</extracomment>
        <translation>零不会减小 pickle 的大小。</translation>
    </message>
    <message>
        <source>as the opened file</source>
        <extracomment>format pickle, detectron2, pickle.load</extracomment>
        <translation>与打开的文件相同</translation>
    </message>
    <message>
        <source>GGUF, dense</source>
        <extracomment>format gguf</extracomment>
        <translation>GGUF，稠密</translation>
    </message>
    <message>
        <source>Pruned tensors are written unquantized: use llama-quantize on the export.</source>
        <extracomment>format gguf</extracomment>
        <translation>剪枝的张量以未量化形式写出：请对导出文件使用 llama-quantize。</translation>
    </message>
    <message>
        <source>built-in evaluation of accuracy</source>
        <extracomment>evaluation</extracomment>
        <translation>内置评估：准确率</translation>
    </message>
    <message>
        <source>built-in evaluation of agreement on random token IDs</source>
        <extracomment>evaluation</extracomment>
        <translation>内置评估：随机 token ID 上的一致性</translation>
    </message>
    <message>
        <source>built-in evaluation of embeddings</source>
        <extracomment>evaluation</extracomment>
        <translation>内置评估：嵌入</translation>
    </message>
    <message>
        <source>built-in evaluation of agreement on random inputs</source>
        <extracomment>evaluation</extracomment>
        <translation>内置评估：随机输入上的一致性</translation>
    </message>
    <message>
        <source>built-in evaluation of agreement on images</source>
        <extracomment>evaluation</extracomment>
        <translation>内置评估：图像上的一致性</translation>
    </message>
    <message>
        <source>built-in evaluation of perplexity</source>
        <extracomment>evaluation</extracomment>
        <translation>内置评估：困惑度</translation>
    </message>
    <message>
        <source>Share</source>
        <extracomment>purpose of an export</extracomment>
        <translation>分享</translation>
    </message>
    <message>
        <source>Load in transformers</source>
        <extracomment>purpose of an export</extracomment>
        <translation>在 transformers 中加载</translation>
    </message>
    <message>
        <source>Continue training in PyTorch</source>
        <extracomment>purpose of an export</extracomment>
        <translation>在 PyTorch 中继续训练</translation>
    </message>
    <message>
        <source>Archive</source>
        <extracomment>purpose of an export</extracomment>
        <translation>归档</translation>
    </message>
    <message>
        <source>Load in sentence-transformers</source>
        <extracomment>purpose of an export</extracomment>
        <translation>在 sentence-transformers 中加载</translation>
    </message>
    <message>
        <source>Min sparsity per tensor</source>
        <extracomment>limits, min_sparsity</extracomment>
        <translation>每个张量的最小稀疏度</translation>
    </message>
    <message>
        <source>Minimum sparsity of each tensor after the step.</source>
        <extracomment>limits, min_sparsity</extracomment>
        <translation>此步骤后每个张量的最小稀疏度。</translation>
    </message>
    <message>
        <source>Max sparsity per tensor</source>
        <extracomment>limits, max_sparsity</extracomment>
        <translation>每个张量的最大稀疏度</translation>
    </message>
    <message>
        <source>Maximum sparsity of each tensor after the step.</source>
        <extracomment>limits, max_sparsity</extracomment>
        <translation>此步骤后每个张量的最大稀疏度。</translation>
    </message>
    <message>
        <source>Target total sparsity</source>
        <extracomment>limits, target_sparsity</extracomment>
        <translation>目标总稀疏度</translation>
    </message>
    <message>
        <source>Exclude</source>
        <extracomment>limits, exclude</extracomment>
        <translation>排除</translation>
    </message>
    <message>
        <source>Tensors that the step does not change: embeddings, and the first and the last layer.</source>
        <extracomment>limits, exclude</extracomment>
        <translation>此步骤保持不变的张量：嵌入，以及第一层和最后一层。</translation>
    </message>
    <message>
        <source>Embeddings</source>
        <extracomment>limits, exclude</extracomment>
        <translation>嵌入</translation>
    </message>
    <message>
        <source>Token and position embeddings.</source>
        <extracomment>limits, exclude</extracomment>
        <translation>词元嵌入和位置嵌入。</translation>
    </message>
    <message>
        <source>First layer</source>
        <extracomment>limits, exclude</extracomment>
        <translation>第一层</translation>
    </message>
    <message>
        <source>The first block of the model in order of execution, by its names.</source>
        <extracomment>limits, exclude</extracomment>
        <translation>按执行顺序的第一个块，由名称推断。</translation>
    </message>
    <message>
        <source>Last layer</source>
        <extracomment>limits, exclude</extracomment>
        <translation>最后一层</translation>
    </message>
    <message>
        <source>The last block of the model in order of execution, by its names.</source>
        <extracomment>limits, exclude</extracomment>
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
        <source>Damping</source>
        <extracomment>repair, damping</extracomment>
        <translation>阻尼</translation>
    </message>
    <message>
        <source>Added to the diagonal of the Gram matrix, relative to its mean. Higher values change the weights less.</source>
        <extracomment>repair, damping</extracomment>
        <translation>加到格拉姆矩阵对角线上的值，相对于其均值。值越大，权重变化越小。</translation>
    </message>
    <message>
        <source>Adjust norm layers</source>
        <extracomment>repair, norms</extracomment>
        <translation>调整归一化层</translation>
    </message>
    <message>
        <source>Sequential</source>
        <extracomment>repair, sequential</extracomment>
        <translation>顺序修复</translation>
    </message>
    <message>
        <source>Repair layers one after another, using inputs from the layers that are already repaired. Usually better. It is off by default because the data is run once more for each layer.</source>
        <extracomment>repair, sequential</extracomment>
        <translation>逐层修复，使用来自已修复层的输入。通常效果更好。默认关闭，因为每层都要多运行一次数据。</translation>
    </message>
    <message>
        <source>Memory</source>
        <extracomment>repair, memory</extracomment>
        <translation>内存</translation>
    </message>
    <message>
        <source>Limit for the Gram matrices that are summed at once; with less memory, the inputs are run several times.</source>
        <extracomment>repair, memory</extracomment>
        <translation>同时累加的格拉姆矩阵不超过此值；内存较少时，输入会运行多次。</translation>
    </message>
    <message>
        <source>any</source>
        <extracomment>repair, memory</extracomment>
        <translation>任意</translation>
    </message>
    <message>
        <source>Steps</source>
        <extracomment>recovery, steps</extracomment>
        <translation>步数</translation>
    </message>
    <message>
        <source>Measure the model before and after. If a metric gets worse by more than the noise, you are asked whether to keep the result. A script is measured by its evaluate(); with other data, the evaluation that you set up for states is used.</source>
        <extracomment>recovery, evaluates</extracomment>
        <translation>在之前和之后测量模型。如果某个指标变差超过噪声，会询问是否保留结果。脚本用其 evaluate() 测量；对其他数据，使用为各状态设置的评估。</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <extracomment>recovery, lr</extracomment>
        <translation>学习率</translation>
    </message>
    <message>
        <source>automatic</source>
        <extracomment>recovery, lr</extracomment>
        <translation>自动</translation>
    </message>
    <message>
        <source>Train each block first</source>
        <extracomment>recovery, windows</extracomment>
        <translation>先训练每个块</translation>
    </message>
    <message>
        <source>Start from a repair</source>
        <extracomment>recovery, repair</extracomment>
        <translation>从修复开始</translation>
    </message>
    <message>
        <source>Evaluate before and after</source>
        <extracomment>recovery, evaluates</extracomment>
        <translation>前后各评估一次</translation>
    </message>
    <message>
        <source>Prunes the weights of a tensor with the smallest product of magnitude and size of their input, in any row. Use it instead of Wanda per row for image models, and for layers whose rows are inputs (the Conv1D of transformers). Needs statistics of activations. Compare it with magnitude.</source>
        <extracomment>method wanda_per_tensor</extracomment>
        <translation>不论所在行，剪枝张量中“幅值 × 输入大小”最小的权重。对图像模型，以及行为输入的层（transformers 的 Conv1D），用它代替逐行 Wanda。需要激活统计。请与按幅值的结果对比测量。</translation>
    </message>
    <message>
        <source>Outlier weighed layerwise sparsity (Yin et al., 2024): Wanda per row, but layers with more outliers among the scores are pruned less. A layer is a numbered block, or a tensor outside of blocks. Intended for large language models at 70 % and more. On small models it was mostly worse than Wanda: compare both, and prefer a sensitivity scan. Needs statistics of activations. Weights that are already pruned count toward the sparsity.</source>
        <extracomment>method owl</extracomment>
        <translation>按离群值加权的逐层稀疏度 (Yin et al., 2024)：逐行 Wanda，但分数中离群值较多的层保持更密。层是带编号的块，否则为张量。针对 70 % 及以上的大型语言模型。对小模型效果大多更差：请与 Wanda 对比测量，并优先使用敏感度扫描。需要激活统计。已剪枝的权重计入稀疏度。</translation>
    </message>
    <message>
        <source>Prunes the channels with the smallest Ln norm along a dimension: all weights of a filter, a neuron or an input at once. Use it to make a network smaller: pruned channels can be removed later. At the same sparsity it costs more accuracy than unstructured pruning. Weights that are already pruned count as 0. For residual connections use Channel groups: layers whose outputs are added share their channels, which this method chooses for each layer alone. Same as torch.nn.utils.prune.ln_structured.</source>
        <extracomment>method ln_structured</extracomment>
        <translation>沿某一维度剪枝 Ln 范数最小的通道：一次剪去一个滤波器、神经元或输入的所有权重。用于使网络更小：之后可以移除被剪枝的通道。在相同稀疏度下，它比非结构化剪枝损失更多准确率。已剪枝的权重计为 0。对于残差连接，请使用“通道组”：输出相加的层共享通道，而此方法为每层单独选择通道。等同于 torch.nn.utils.prune.ln_structured。</translation>
    </message>
    <message>
        <source>Prunes whole neurons of the feed-forward layers of a transformer, the same number in each layer. All tensors of their group are pruned together, biases and norms included, so that the export &apos;shrunk&apos; can remove the units. Needs a model of a known type, with its config.json.</source>
        <extracomment>method ffn_neurons</extracomment>
        <translation>剪枝 Transformer 前馈层的整个神经元，每层数量相同。同组的所有张量一起剪枝，包括偏置和归一化，以便“缩减”导出可以移除这些单元。需要已知类型的模型及其 config.json。</translation>
    </message>
    <message>
        <source>How each unit is scored, over all its weights: by a norm, or by statistics of activations.</source>
        <extracomment>method ffn_neurons, by</extracomment>
        <translation>如何根据单元的全部权重为其评分：按范数，或按激活统计。</translation>
    </message>
    <message>
        <source>Sum of squares of each weight times the root mean square of its input, in the tensors that have statistics (Sun et al., 2024).</source>
        <extracomment>method ffn_neurons, by</extracomment>
        <translation>在统计已知的张量中，每个权重乘以其输入的均方根，再求平方和 (Sun et al., 2024)。</translation>
    </message>
    <message>
        <source>Keep a multiple of this many units (rounded up): some kernels reject other widths, others are slow with them. The export &apos;shrunk&apos; rounds in the same way.</source>
        <extracomment>method ffn_neurons, multiple</extracomment>
        <translation>保留的单元数为此数的倍数（向上取整）：有些内核不接受其他宽度，有些则较慢。“shrunk”导出采用相同的取整方式。</translation>
    </message>
    <message>
        <source>Prunes whole key/value heads with their query heads, the same number in each layer. All tensors of their group are pruned together, biases and norms included, so that the export &apos;shrunk&apos; can remove the units. Not every model class supports fewer heads.</source>
        <extracomment>method attention_heads</extracomment>
        <translation>剪枝整个键/值头及其查询头，每层数量相同。同组的所有张量一起剪枝，包括偏置和归一化，以便“缩减”导出可以移除这些单元。并非每个模型类都支持更少的头。</translation>
    </message>
    <message>
        <source>Prunes the output projections of whole layers, so that these layers return their inputs unchanged. The export &apos;shrunk&apos; removes them.</source>
        <extracomment>method layers</extracomment>
        <translation>剪枝整层的输出投影，使其原样传递输入。“缩减”导出会省去这些层。</translation>
    </message>
    <message>
        <source>Prunes channels of convolutions. All tensors of their group are pruned together, biases and norms included, so that the export &apos;shrunk&apos; can remove the units. Needs a file that contains the graph (ONNX or .pt2), blocks of a known type, or a traced model. The scope Per group prunes the same share of each group. Global ranks the units of all groups together, without scaling the scores of a group (Torch-Pruning divides them by their mean), so it may prune all units of a group.</source>
        <extracomment>method channel_groups</extracomment>
        <translation>剪枝卷积的通道。同组的所有张量一起剪枝，包括偏置和归一化，以便“缩减”导出可以移除这些单元。需要包含计算图的文件（ONNX 或 .pt2）、已知类型的块，或已追踪的模型。范围“逐组”对每个组剪枝相同的比例。“全局”将所有组的单元一起排序，不缩放各组的分数（Torch-Pruning 将其除以均值），因此可能剪去一个组的所有单元。</translation>
    </message>
    <message>
        <source>Applies masks from a file: weights are pruned where the mask is 0. The file is a checkpoint that contains the masks under the names of the tensors, or under NAME_mask. Weights that are already pruned remain pruned. Same as torch.nn.utils.prune.custom_from_mask.</source>
        <extracomment>method custom_from_mask</extracomment>
        <translation>应用文件中的掩码：掩码为 0 处的权重被剪枝。该文件是检查点，以张量的名称或 NAME_mask 保存掩码。已剪枝的权重保持剪枝。等同于 torch.nn.utils.prune.custom_from_mask。</translation>
    </message>
    <message>
        <source>with a config.json that names one of its classes; tested with 5.23</source>
        <extracomment>format safetensors, transformers</extracomment>
        <translation>需有 config.json 指定其中一个类；已用 5.23 测试</translation>
    </message>
    <message>
        <source>Original weights (NAME_orig) and masks (NAME_mask), as torch.nn.utils.prune stores them. Loads into a module pruned with torch, and opens in Pruneapp to continue or restore weights. Each mask is as large as its tensor. Use the suffix .safetensors, or .pt for a torch file.</source>
        <extracomment>format resumable</extracomment>
        <translation>原始权重 (NAME_orig) 和掩码 (NAME_mask)，与 torch.nn.utils.prune 的存储方式相同。可加载到用 torch 剪枝的模块中，也可在 Pruneapp 中打开以继续剪枝或恢复权重。每个掩码与其张量一样大。使用后缀 .safetensors，torch 文件用 .pt。</translation>
    </message>
    <message>
        <source>with read_compact.py, written next to the file</source>
        <extracomment>format compact, numpy and zstandard</extracomment>
        <translation>用写在文件旁的 read_compact.py</translation>
    </message>
    <message>
        <source>Decompress it to model.safetensors next to config.json and the tokenizer, and transformers loads it.</source>
        <extracomment>format zst</extracomment>
        <translation>将其解压为 model.safetensors，与 config.json 和分词器放在一起，transformers 即可加载。</translation>
    </message>
    <message>
        <source>Convolutions, embeddings and float8 tensors are written dense. Only tensors are written.</source>
        <extracomment>format csr</extracomment>
        <translation>卷积、嵌入和 float8 张量保持稠密。只写入张量。</translation>
    </message>
    <message>
        <source>The opened ONNX model with zeros where weights are pruned. Everything else is unchanged; external data is moved into the file, or into one new file if the model has more than 2 GiB.</source>
        <extracomment>format onnx</extracomment>
        <translation>打开的 ONNX 模型，剪枝处为零。其余内容保持不变；模型旁文件中的数据会移入模型，若模型超过 2 GiB 则移入一个新文件。</translation>
    </message>
    <message>
        <source>and any runtime that runs the original</source>
        <extracomment>format onnx, ONNX Runtime</extracomment>
        <translation>以及能运行原始模型的任何运行时</translation>
    </message>
    <message>
        <source>The opened program of torch.export with zeros where weights are pruned. Everything else is unchanged: the graph, its constants and its example inputs.</source>
        <extracomment>format pt2</extracomment>
        <translation>打开的 torch.export 程序，剪枝处为零。其中其他内容保持不变：计算图、常量和示例输入。</translation>
    </message>
    <message>
        <source>The opened GGUF file with zeros where weights are pruned. Everything else is unchanged: vocabulary, settings and quantized tensors.</source>
        <extracomment>format gguf</extracomment>
        <translation>打开的 GGUF 文件，剪枝处为零。其余内容保持不变：词表、设置和量化张量。</translation>
    </message>
    <message>
        <source>Sparsity of all selected tensors together after the step, instead of an amount: a fraction of their weights, or a number of weights. The sparsity of the whole model is lower if it has other weights.</source>
        <extracomment>limits, target_sparsity</extracomment>
        <translation>此步骤后所有选中张量合计的稀疏度，代替剪枝量：其权重的比例，或权重的数量。如果模型还有其他权重，整个模型的稀疏度会更低。</translation>
    </message>
    <message>
        <source>Iterations of conjugate gradients. More iterations take longer and match the outputs on these inputs more closely.</source>
        <extracomment>repair, iterations</extracomment>
        <translation>共轭梯度法的迭代次数。次数越多耗时越长，也越接近这些输入上的输出。</translation>
    </message>
    <message>
        <source>Adjust the running variances of norm layers to the outputs of the repaired layers.</source>
        <extracomment>repair, norms</extracomment>
        <translation>随被修复层输出方差的变化，调整归一化的移动方差。</translation>
    </message>
    <message>
        <source>Steps of training of the whole model. Before, each block is trained in at most as many steps.</source>
        <extracomment>recovery, steps</extracomment>
        <translation>整个模型的训练步数。在此之前，每个块最多训练同样多的步数。</translation>
    </message>
    <message>
        <source>Maximum learning rate of AdamW. If empty, three rates are tried for a few steps each and the best one is used.</source>
        <extracomment>recovery, lr</extracomment>
        <translation>AdamW 的最大学习率。如果留空，则各试若干步，从三个值中选出最佳者。</translation>
    </message>
    <message>
        <source>Train each block to reproduce the outputs of the same block of the unpruned model, before the whole model is trained.</source>
        <extracomment>recovery, windows</extracomment>
        <translation>在训练整个模型之前，先针对未剪枝模型同一块的输出训练每个块。</translation>
    </message>
    <message>
        <source>Start from a sequential repair, unless it is worse on the held-out inputs.</source>
        <extracomment>recovery, repair</extracomment>
        <translation>从顺序修复开始，除非它在留出的输入上更差。</translation>
    </message>
    <message>
        <source>Sparsity of all scanned tensors together: a fraction of their weights, or a number.</source>
        <extracomment>allocation, target_sparsity</extracomment>
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
        <source>Color map</source>
        <extracomment>settings, color_map</extracomment>
        <translation>颜色映射</translation>
    </message>
    <message>
        <source>Colors of weights in the picture. Standard is blue, and purple to green with signs.</source>
        <extracomment>settings, color_map</extracomment>
        <translation>图中权重的颜色。“标准”为蓝色；显示符号时为紫色到绿色。</translation>
    </message>
    <message>
        <source>Standard</source>
        <extracomment>settings, color_map</extracomment>
        <translation>标准</translation>
    </message>
    <message>
        <source>Viridis</source>
        <extracomment>settings, color_map</extracomment>
        <translation>Viridis</translation>
    </message>
    <message>
        <source>Gray</source>
        <extracomment>settings, color_map</extracomment>
        <translation>灰度</translation>
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
        <source>Include bias and norm layers</source>
        <extracomment>settings, with_companions</extracomment>
        <translation>包括偏置和归一化层</translation>
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
        <source>Show all tensors as a list instead of the tree of modules.</source>
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
        <source>Keep the history of closed files</source>
        <extracomment>settings, keep_histories</extracomment>
        <translation>保留已关闭文件的历史</translation>
    </message>
    <message>
        <source>Restore undo history, metrics and scans when one of the last ten files is opened again.</source>
        <extracomment>settings, keep_histories</extracomment>
        <translation>再次打开最近十个文件之一时，恢复撤销历史、指标和扫描。</translation>
    </message>
    <message>
        <source>Motion</source>
        <extracomment>settings, motion</extracomment>
        <translation>动画</translation>
    </message>
    <message>
        <source>Whether bars and menus are animated.</source>
        <extracomment>settings, motion</extracomment>
        <translation>进度条和菜单是否有动画。</translation>
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
        <translation>卷积核位置</translation>
    </message>
    <message>
        <source>out</source>
        <extracomment>index in the picture</extracomment>
        <translation>输出</translation>
    </message>
    <message>
        <source>in</source>
        <extracomment>index in the picture</extracomment>
        <translation>输入</translation>
    </message>
    <message>
        <source>kernel row</source>
        <extracomment>axis of the picture</extracomment>
        <translation>卷积核行</translation>
    </message>
    <message>
        <source>kernel column</source>
        <extracomment>axis of the picture</extracomment>
        <translation>卷积核列</translation>
    </message>
    <message>
        <source>kernel depth</source>
        <extracomment>axis of the picture</extracomment>
        <translation>卷积核深度</translation>
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
        <source>{names}.</source>
        <translation>{names}。</translation>
    </message>
    <message>
        <source>Also prune dependent tensors</source>
        <translation>同时剪枝依赖的张量</translation>
    </message>
    <message>
        <source>Trace the model</source>
        <translation>追踪模型</translation>
    </message>
    <message>
        <source>Also prune dependent tensors (unavailable)</source>
        <translation>同时剪枝依赖的张量（不可用）</translation>
    </message>
    <message>
        <source>Dependent tensors</source>
        <translation>依赖的张量</translation>
    </message>
    <message>
        <source>Also prunes the matching parts of other tensors: input channels of the next layer, biases and norms. These weights do not count toward the amount, and protected weights are kept.</source>
        <translation>同时剪枝其他张量中对应的部分：下一层的输入通道、偏置和归一化。这些权重不计入剪枝量，受保护的权重会保留。</translation>
    </message>
    <message>
        <source>Also prunes parts of other checked tensors.</source>
        <translation>同时剪枝其他已勾选张量中的对应部分。</translation>
    </message>
    <message>
        <source>Also prunes 1 dependent tensor, in addition to the amount: {names}</source>
        <translation>除剪枝量之外，还剪枝 1 个依赖的张量：{names}</translation>
    </message>
    <message>
        <source>Also prunes {n} dependent tensors, in addition to the amount: {names}</source>
        <translation>除剪枝量之外，还剪枝 {n} 个依赖的张量：{names}</translation>
    </message>
    <message>
        <source>When checked, prunes 1 tensor in addition to the amount: {names}</source>
        <translation>勾选后还会剪枝 1 个张量，不计入剪枝量：{names}</translation>
    </message>
    <message>
        <source>When checked, prunes {n} tensors in addition to the amount: {names}</source>
        <translation>勾选后还会剪枝 {n} 个张量，不计入剪枝量：{names}</translation>
    </message>
    <message>
        <source>When checked, prunes 1 tensor in addition to the amount.</source>
        <translation>勾选后还会剪枝 1 个张量，不计入剪枝量。</translation>
    </message>
    <message>
        <source>When checked, prunes {n} tensors in addition to the amount.</source>
        <translation>勾选后还会剪枝 {n} 个张量，不计入剪枝量。</translation>
    </message>
    <message>
        <source>The dependents of {name} are unknown.</source>
        <translation>依赖 {name} 的张量未知。</translation>
    </message>
    <message>
        <source>Off by default: the dependents of {name} are unknown.</source>
        <translation>默认关闭：依赖 {name} 的张量未知。</translation>
    </message>
    <message>
        <source>Dependents are unknown for {n} of the {m} tensors, such as {name}.</source>
        <translation>{m} 个张量中有 {n} 个的依赖张量未知，例如 {name}。</translation>
    </message>
    <message>
        <source>Off by default: dependents are unknown for {n} of the {m} tensors, such as {name}.</source>
        <translation>默认关闭，因为 {m} 个张量中有 {n} 个的依赖张量未知，例如 {name}。</translation>
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
        <translation>卷积核行</translation>
    </message>
    <message>
        <source>kernel columns</source>
        <translation>卷积核列</translation>
    </message>
    <message>
        <source>kernel</source>
        <translation>卷积核</translation>
    </message>
    <message>
        <source>kernel depth</source>
        <translation>卷积核深度</translation>
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
        <source>Weights below this magnitude will be pruned. Enter a magnitude or use the arrow keys; in the chart, drag the line or press Shift and an arrow key.</source>
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
        <translation>{low} 到 {high}：{kept} 个保留，{pruned} 个已剪枝</translation>
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
        <source>all {n} weights: {share} pruned</source>
        <translation>全部 {n} 个权重：{share} 已剪枝</translation>
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
        <translation>✕ 请输入 0 或更大的幅值（收到“{text}”）。</translation>
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
    <name>DropHint</name>
    <message>
        <source>Drop to open</source>
        <translation>拖放以打开</translation>
    </message>
    <message>
        <source>{suffixes}, or a model folder</source>
        <translation>{suffixes} 或模型文件夹</translation>
    </message>
    <message>
        <source>With Ctrl it opens in a new window.</source>
        <translation>按住 Ctrl 则在新窗口中打开。</translation>
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
        <source>{suffixes}, or a model folder</source>
        <translation>{suffixes} 或模型文件夹</translation>
    </message>
    <message>
        <source>Your files stay on this computer unless you export to a URL.
Code inside checkpoints is never executed.</source>
        <translation>除非导出到 URL，您的文件不会离开这台计算机。
绝不会执行检查点中的代码。</translation>
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
        <source>Measures the model in a separate process: the unpruned model three times, to estimate the noise, then the current state. To measure another state, click its circle in the history.</source>
        <translation>在单独的进程中测量模型：先测量未剪枝模型三次以估计噪声，再测量当前状态。要测量其他状态，请在历史中点击其圆点。</translation>
    </message>
    <message>
        <source>Trace the model</source>
        <translation>追踪模型</translation>
    </message>
    <message>
        <source>Trace</source>
        <translation>追踪</translation>
    </message>
    <message>
        <source>Finds the connections of the layers in a separate process: when your script first calls the model, its operations are recorded by torch.export, and the script is stopped. No metric is measured. Later evaluations use the same script.</source>
        <translation>在单独的进程中查找各层的连接：脚本首次调用模型时，torch.export 记录其运算，然后停止脚本。不测量任何指标。之后的评估使用同一脚本。</translation>
    </message>
</context>
<context>
    <name>EvaluationController</name>
    <message>
        <source>All states have been evaluated already.</source>
        <translation>所有状态都已评估。</translation>
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
        <source>Recovery</source>
        <translation>恢复训练</translation>
    </message>
    <message>
        <source>other</source>
        <translation>其他</translation>
    </message>
    <message>
        <source>Measured before this file was opened. Evaluate a state ({keys}) with the same script, data and options, so that its result can be compared with these.</source>
        <translation>在打开此文件之前测得。使用相同的脚本、数据和选项评估一个状态 ({keys})，其结果便可与这些结果比较。</translation>
    </message>
    <message>
        <source>Measured earlier.</source>
        <translation>此前测量。</translation>
    </message>
    <message>
        <source>Multiply-adds are counted by the script: evaluate a state again ({keys}) to count them.</source>
        <translation>乘加运算由脚本统计：评估任一状态 ({keys}) 即可得到。</translation>
    </message>
    <message>
        <source>{words}.</source>
        <translation>{words}。</translation>
    </message>
    <message>
        <source>evaluated with another script, data or options only</source>
        <translation>仅使用其他脚本、数据或选项评估过</translation>
    </message>
    <message>
        <source>Evaluate all states ({keys}) to compare them.</source>
        <translation>评估所有状态（{keys}）以便比较。</translation>
    </message>
    <message>
        <source>Measured with another script, Python or options.</source>
        <translation>由其他脚本、Python 或选项测得。</translation>
    </message>
    <message>
        <source>Evaluation</source>
        <translation>评估</translation>
    </message>
    <message>
        <source>Evaluation {n} of {count}</source>
        <translation>评估 {n}/{count}</translation>
    </message>
    <message>
        <source>Counting multiply-adds</source>
        <translation>正在统计乘加运算</translation>
    </message>
    <message>
        <source>The model is evaluated on its calibration text, so the metric is better than on other texts.</source>
        <translation>模型在其校准文本上评估，因此指标会好于其他文本。</translation>
    </message>
    <message>
        <source>Without labels, the agreement is measured on the calibration images, so it is higher than on other images. Accuracy is measured on images that were not used for calibration.</source>
        <translation>没有标签时，一致性在校准图像上测量，因此会高于其他图像。准确率在未用于校准的图像上测量。</translation>
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
        <source>running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>waiting to be evaluated</source>
        <translation>等待评估</translation>
    </message>
    <message>
        <source>queued</source>
        <translation>排队中</translation>
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
        <source>These files could not be written next to it: {names}.</source>
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
        <source>Tensors keep shapes; pruned weights are 0.</source>
        <translation>张量保持形状；被剪枝处为 0。</translation>
    </message>
    <message>
        <source>Shrunk</source>
        <translation>缩减</translation>
    </message>
    <message>
        <source>Dead units are removed: smaller tensors, and a matching config.json.</source>
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
        <source>state {title}</source>
        <translation>状态 {title}</translation>
    </message>
    <message>
        <source>the opened file</source>
        <translation>打开的文件</translation>
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
        <source>Nothing is pruned yet.</source>
        <translation>尚未剪枝。</translation>
    </message>
    <message>
        <source>To prune weights, press “{button}” first.</source>
        <translation>如要剪枝权重，请先按“{button}”。</translation>
    </message>
    <message>
        <source>△ Nothing is pruned yet: only the dtype changes.</source>
        <translation>△ 尚未剪枝：仅 dtype 改变。</translation>
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
        <source>Picture for slides…</source>
        <translation>用于幻灯片的图片…</translation>
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
        <source>You cannot write to {folder}: choose another folder.</source>
        <translation>无法写入 {folder}：请选择其他文件夹。</translation>
    </message>
    <message>
        <source>Not enough disk space: {needed} needed, {free} free. Free some space or choose another disk.</source>
        <translation>磁盘空间不足：需要 {needed}，可用 {free}。请释放空间或选择其他磁盘。</translation>
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
        <source>Undo still works: it reads the backup of the original.</source>
        <translation>仍可撤销：会读取原文件的备份。</translation>
    </message>
    <message>
        <source>The outputs differ from those of the full-size model, because units with an effect were removed.</source>
        <translation>输出与原尺寸模型不同，因为移除了有作用的单元。</translation>
    </message>
    <message>
        <source>Evaluate this model before you use it: the check finds errors in the files, but does not measure the quality loss.</source>
        <translation>使用前请评估此模型：检查能发现文件中的错误，但不测量质量损失。</translation>
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
        <source>one for each file, see “Copy as text”</source>
        <translation>每个文件一个，见“复制为文本”</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>备注</translation>
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
        <source>Removed</source>
        <translation>已移除</translation>
    </message>
    <message>
        <source>weights rounded to {dtype}</source>
        <translation>权重舍入为 {dtype}</translation>
    </message>
    <message>
        <source>Effect</source>
        <translation>影响</translation>
    </message>
    <message>
        <source>{before} → {after} ({less})</source>
        <translation>{before} → {after}（{less}）</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>{n} weights, {share} of the parameters</source>
        <translation>{n} 个权重，占参数的 {share}</translation>
    </message>
    <message>
        <source>{n} weights, {share} of the remaining parameters</source>
        <translation>{n} 个权重，占剩余参数的 {share}</translation>
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
        <source>Largest absolute rounding error {error} ({name}).</source>
        <translation>最大绝对舍入误差 {error}（{name}）。</translation>
    </message>
    <message>
        <source>Largest absolute rounding error {error} ({name}), at most {share} of the value.</source>
        <translation>最大绝对舍入误差 {error}（{name}），不超过该值的 {share}。</translation>
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
        <source>Most CPUs compute float16 several times more slowly than float32: convert the loaded model to float32 there, or choose bfloat16.</source>
        <translation>大多数 CPU 计算 float16 比 float32 慢数倍：请在 CPU 上将加载的模型转换为 float32，或选择 bfloat16。</translation>
    </message>
    <message>
        <source>Some CPUs compute bfloat16 more slowly than float32.</source>
        <translation>部分 CPU 计算 bfloat16 比 float32 慢。</translation>
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
    <name>Fields</name>
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
        <source>Packed size</source>
        <translation>打包大小</translation>
    </message>
    <message>
        <source>Shrunk file</source>
        <translation>缩减后的文件</translation>
    </message>
    <message>
        <source>The size of the file when the pruned units are removed from all their tensors, as on the page Shrunk of the export dialog.</source>
        <translation>从所有相关张量中移除被剪枝的单元后的文件大小，与导出对话框“缩减”页面上的相同。</translation>
    </message>
</context>
<context>
    <name>FileSizes</name>
    <message>
        <source>A compact file has at most {size}, with metadata.</source>
        <translation>紧凑文件含元数据最多 {size}。</translation>
    </message>
</context>
<context>
    <name>FolderRow</name>
    <message>
        <source>Destination folder</source>
        <translation>目标文件夹</translation>
    </message>
    <message>
        <source>A folder that does not exist yet.</source>
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
        <source>The model cannot be written as {suffix}: use {usual}.</source>
        <translation>模型无法写为 {suffix}：请使用 {usual}。</translation>
    </message>
    <message>
        <source>This already exists: name a new file.</source>
        <translation>该名称已存在：请指定一个新文件。</translation>
    </message>
    <message>
        <source>This is the open file: name another file.</source>
        <translation>这是打开的文件：请指定其他文件。</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>A file; an existing one is replaced.</source>
        <translation>一个文件；已存在的文件将被替换。</translation>
    </message>
    <message>
        <source>This is a file: name a new folder.</source>
        <translation>这是文件：请指定一个新文件夹。</translation>
    </message>
    <message>
        <source>This already exists: name a new folder.</source>
        <translation>已存在：请指定一个新文件夹。</translation>
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
        <source>Load activation statistics</source>
        <translation>加载激活统计</translation>
    </message>
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
    <message>
        <source>Collected with {source}, {date}.</source>
        <translation>来源：{source}，{date}。</translation>
    </message>
    <message>
        <source>inputs: {source}</source>
        <translation>输入：{source}</translation>
    </message>
    <message>
        <source>The statistics file of this session, {path}, no longer exists. Collect the statistics again, or load another file.</source>
        <translation>此会话的统计文件 {path} 已不存在。请重新收集统计量，或加载其他文件。</translation>
    </message>
    <message>
        <source>The statistics file of this session, {path}, has changed. Load it again to use it.</source>
        <translation>此会话的统计文件 {path} 已更改。要使用它，请重新加载。</translation>
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
    <name>Formats</name>
    <message>
        <source>Not for this file: {formats}</source>
        <translation>不适用于此文件：{formats}</translation>
    </message>
</context>
<context>
    <name>FrontierController</name>
    <message>
        <source>Frontier</source>
        <translation>前沿</translation>
    </message>
    <message>
        <source>Stopped: measured points are kept; run it again to continue.</source>
        <translation>已停止：测得的点会保留；再次运行即可继续。</translation>
    </message>
    <message>
        <source>1 point</source>
        <translation>1 个点</translation>
    </message>
    <message>
        <source>{n} points</source>
        <translation>{n} 个点</translation>
    </message>
    <message>
        <source>Frontier measured: {points}.</source>
        <translation>已测量前沿：{points}。</translation>
    </message>
</context>
<context>
    <name>FrontierDialog</name>
    <message>
        <source>Frontier</source>
        <translation>前沿</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>测量</translation>
    </message>
    <message>
        <source>Pruning step</source>
        <translation>剪枝步骤</translation>
    </message>
    <message>
        <source>Total sparsities of the tensors of the step, separated by commas</source>
        <translation>该步骤所有张量合计的稀疏度，以逗号分隔</translation>
    </message>
    <message>
        <source>Recovery</source>
        <translation>恢复训练</translation>
    </message>
    <message>
        <source>Prunes the current state to each sparsity, and evaluates it before and after a recovery in a separate process. The open model is not changed. If you cancel, results so far are kept.</source>
        <translation>将当前状态剪枝到每个稀疏度，并在单独的进程中于恢复训练前后评估。打开的模型不会改变。取消时会保留已有结果。</translation>
    </message>
    <message>
        <source>How the remaining weights of each point are trained: to reproduce the outputs of the unpruned model on the inputs of calibrate(), or with train() of the script</source>
        <translation>如何训练每个点的剩余权重：以未剪枝模型对 calibrate 输入的输出为目标，或使用脚本的 train</translation>
    </message>
    <message>
        <source>distillation, without labels</source>
        <translation>蒸馏，无需标签</translation>
    </message>
    <message>
        <source>train() of the script</source>
        <translation>脚本的 train()</translation>
    </message>
    <message>
        <source>no</source>
        <translation>否</translation>
    </message>
    <message>
        <source>Steps of the distillation at each sparsity</source>
        <translation>每个稀疏度的蒸馏步数</translation>
    </message>
    <message>
        <source>Sparsities</source>
        <translation>稀疏度</translation>
    </message>
    <message>
        <source>S&amp;parsities</source>
        <translation>稀疏度(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Recovery</source>
        <translation>恢复训练(&amp;R)</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>步数</translation>
    </message>
    <message>
        <source>&amp;Steps</source>
        <translation>步数(&amp;S)</translation>
    </message>
</context>
<context>
    <name>GenerateController</name>
    <message>
        <source>Generating</source>
        <translation>正在生成</translation>
    </message>
    <message>
        <source>Cancelled: nothing was generated.</source>
        <translation>已取消：未生成任何内容。</translation>
    </message>
</context>
<context>
    <name>GenerateDialog</name>
    <message>
        <source>Generate</source>
        <translation>生成</translation>
    </message>
    <message>
        <source>Prompts</source>
        <translation>提示</translation>
    </message>
    <message>
        <source>One prompt per line</source>
        <translation>每行一个提示</translation>
    </message>
    <message>
        <source>As chat messages</source>
        <translation>作为聊天消息</translation>
    </message>
    <message>
        <source>Put each prompt into the chat template of the tokenizer, if it has one.</source>
        <translation>如果分词器有聊天模板，则将每个提示放入该模板。</translation>
    </message>
    <message>
        <source>Sample tokens</source>
        <translation>采样词元</translation>
    </message>
    <message>
        <source>Sample tokens with the model settings and the same seed for both states. Otherwise the most probable token is taken (greedy decoding).</source>
        <translation>使用模型的设置抽取词元，两个状态使用相同的种子。否则选取概率最大的词元（贪心解码）。</translation>
    </message>
    <message>
        <source>searched automatically</source>
        <translation>自动查找</translation>
    </message>
    <message>
        <source>Answers</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>The answers appear here, side by side. Nothing is sent to other computers.</source>
        <translation>回答将并排显示在这里。不会向其他计算机发送任何内容。</translation>
    </message>
    <message>
        <source>Progress of the job</source>
        <translation>任务进度</translation>
    </message>
    <message>
        <source>Generate (Ctrl+Return)</source>
        <translation>生成（Ctrl+回车）</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Copy prompts and answers as text.</source>
        <translation>以文本形式复制提示和回答。</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Tokens per answer</source>
        <translation>每个回答的词元数</translation>
    </message>
    <message>
        <source>Python</source>
        <translation>Python</translation>
    </message>
    <message>
        <source>Starting Python…</source>
        <translation>正在启动 Python…</translation>
    </message>
    <message>
        <source>{share} of the tokens agree ({n} of {total}).</source>
        <translation>{share} 的词元一致（{n}/{total}）。</translation>
    </message>
    <message>
        <source>Given the unpruned model&apos;s text, the pruned model predicts the same next token in {share} of cases.</source>
        <translation>在未剪枝模型的文本之后，剪枝后的模型在 {share} 的情况下预测相同的下一个词元。</translation>
    </message>
    <message>
        <source>{n} of {total} tokens agree</source>
        <translation>{n}/{total} 个词元一致</translation>
    </message>
    <message>
        <source>Unpruned</source>
        <translation>未剪枝</translation>
    </message>
    <message>
        <source>1 token</source>
        <translation>1 个词元</translation>
    </message>
    <message>
        <source>{n} tokens</source>
        <translation>{n} 个词元</translation>
    </message>
    <message>
        <source>Shaded: tokens that both answers have in common.</source>
        <translation>带底纹：两个回答共有的词元。</translation>
    </message>
</context>
<context>
    <name>GraphController</name>
    <message>
        <source>The file contains no graph. Trace the model ({keys}), or open an ONNX or .pt2 file of it.</source>
        <translation>该文件不包含计算图。请追踪模型（{keys}），或打开它的 ONNX 或 .pt2 文件。</translation>
    </message>
    <message>
        <source>The graph could not be shown.</source>
        <translation>无法显示计算图。</translation>
    </message>
</context>
<context>
    <name>GraphView</name>
    <message>
        <source>Reading the graph…</source>
        <translation>正在读取计算图…</translation>
    </message>
    <message>
        <source>Scroll to zoom, drag to move; the arrow keys follow the edges.</source>
        <translation>滚动可缩放，拖动可移动；方向键沿边移动。</translation>
    </message>
    <message>
        <source>Only ONNX and .pt2 files contain a graph.</source>
        <translation>只有 ONNX 和 .pt2 文件包含计算图。</translation>
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
        <source>no weights</source>
        <translation>无权重</translation>
    </message>
    <message>
        <source>operator</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>name</source>
        <translation>名称</translation>
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
        <source>sparsity</source>
        <translation>稀疏度</translation>
    </message>
    <message>
        <source>{share} pruned</source>
        <translation>{share} 已剪枝</translation>
    </message>
    <message>
        <source>after {names}</source>
        <translation>位于 {names} 之后</translation>
    </message>
    <message>
        <source>before {names}</source>
        <translation>位于 {names} 之前</translation>
    </message>
    <message>
        <source>Graph of the model</source>
        <translation>模型的计算图</translation>
    </message>
    <message>
        <source>{n} operators, {weights} with weights</source>
        <translation>{n} 个算子，其中 {weights} 个有权重</translation>
    </message>
    <message>
        <source>Press an arrow key to follow the edges, Return to select the tensor.</source>
        <translation>方向键沿边移动，回车键选择张量。</translation>
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
    <name>HarmDialog</name>
    <message>
        <source>The recovery made the model worse on your evaluation.</source>
        <translation>恢复训练使模型在您的评估中变差。</translation>
    </message>
    <message>
        <source>Keep anyway</source>
        <translation>仍然保留</translation>
    </message>
    <message>
        <source>Discard the result</source>
        <translation>放弃结果</translation>
    </message>
</context>
<context>
    <name>HelpButton</name>
    <message>
        <source>Help: {label}</source>
        <translation>帮助：{label}</translation>
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
    <name>HistoryModel</name>
    <message>
        <source>Metric</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Sparsity</source>
        <translation>稀疏度</translation>
    </message>
    <message>
        <source>Packed</source>
        <translation>打包</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>The name of a state, or its step</source>
        <translation>状态的名称，或其步骤</translation>
    </message>
    <message>
        <source>Share of the parameters that are pruned</source>
        <translation>被剪枝参数所占的比例</translation>
    </message>
    <message>
        <source>{metric}, its difference from the unpruned model, and the noise of the difference (95 % interval, or as the tooltip of a value says)</source>
        <translation>{metric}、与未剪枝模型的差异，以及该差异的噪声（95 % 区间，或如数值的工具提示所述）</translation>
    </message>
    <message>
        <source>Your note; double-click or press F2 to edit it</source>
        <translation>您的备注；双击或按 F2 进行编辑</translation>
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
        <source>Undone. Click to redo up to this step.</source>
        <translation>已撤销。点击可重做到此步骤。</translation>
    </message>
    <message>
        <source>On another branch. Click to go to this state.</source>
        <translation>在另一个分支上。点击可转到此状态。</translation>
    </message>
    <message>
        <source>click the circle to evaluate it</source>
        <translation>点击圆圈进行评估</translation>
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
    <name>HistoryPanel</name>
    <message>
        <source>History</source>
        <translation>历史</translation>
    </message>
    <message>
        <source>( ) earlier evaluation</source>
        <translation>( ) 较早的评估</translation>
    </message>
    <message>
        <source>Metrics in parentheses were measured in an earlier run, or with another script, Python or options. Evaluate one state: with the same script, data and options, the others count again, too.</source>
        <translation>括号中的指标是在之前的运行中，或用另一个脚本、Python 或选项测量的。请评估一个状态：如果脚本、数据和选项相同，其他值也会重新有效。</translation>
    </message>
    <message>
        <source>Go to this state	Return</source>
        <translation>转到此状态	Return</translation>
    </message>
    <message>
        <source>Evaluate</source>
        <translation>评估</translation>
    </message>
    <message>
        <source>Compare with the opened file</source>
        <translation>与打开的文件比较</translation>
    </message>
    <message>
        <source>Compare with the current state</source>
        <translation>与当前状态比较</translation>
    </message>
    <message>
        <source>Repair…</source>
        <translation>修复…</translation>
    </message>
    <message>
        <source>Recover…</source>
        <translation>恢复训练…</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>导出…</translation>
    </message>
    <message>
        <source>Go to this state and repair…</source>
        <translation>转到此状态并修复…</translation>
    </message>
    <message>
        <source>Go to this state and recover…</source>
        <translation>转到此状态并恢复训练…</translation>
    </message>
    <message>
        <source>Rename	F2</source>
        <translation>重命名	F2</translation>
    </message>
    <message>
        <source>Edit note</source>
        <translation>编辑备注</translation>
    </message>
    <message>
        <source>Delete branch… (contains the current state)	Del</source>
        <translation>删除分支…（包含当前状态）	Del</translation>
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
    <name>HistoryTree</name>
    <message>
        <source>History</source>
        <translation>历史</translation>
    </message>
    <message>
        <source>All states; a branch is below the state that it starts from. Press Return to go to a state, F2 to edit its name or note, Delete to delete it with those that follow it.</source>
        <translation>所有状态；分支位于其起始状态的下方。按回车转到一个状态，按 F2 编辑其名称或备注，按 Delete 删除它及其后的状态。</translation>
    </message>
</context>
<context>
    <name>JobController</name>
    <message>
        <source>&apos;{title}&apos; was cancelled after {time}. It can be started again with the same settings.</source>
        <translation>“{title}”已在 {time} 后取消。可以用相同的设置重新开始。</translation>
    </message>
    <message>
        <source>Start again</source>
        <translation>重新开始</translation>
    </message>
    <message>
        <source>&apos;{title}&apos; was cancelled after {time}. It can be resumed.</source>
        <translation>“{title}”已在 {time} 后取消。可以继续。</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>继续</translation>
    </message>
</context>
<context>
    <name>JobList</name>
    <message>
        <source>Jobs</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>No job is running.</source>
        <translation>没有正在运行的任务。</translation>
    </message>
    <message>
        <source>Close the list of jobs</source>
        <translation>关闭任务列表</translation>
    </message>
</context>
<context>
    <name>JobRow</name>
    <message>
        <source>Show</source>
        <translation>显示</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Show: {title}</source>
        <translation>显示：{title}</translation>
    </message>
    <message>
        <source>Cancel: {title}</source>
        <translation>取消：{title}</translation>
    </message>
    <message>
        <source>Cancelling…</source>
        <translation>正在取消…</translation>
    </message>
    <message>
        <source>Waits for: {title}</source>
        <translation>等待：{title}</translation>
    </message>
    <message>
        <source>Waits for other work</source>
        <translation>等待其他工作</translation>
    </message>
    <message>
        <source>queued for {time}</source>
        <translation>已排队 {time}</translation>
    </message>
</context>
<context>
    <name>JobStatus</name>
    <message>
        <source>about {time} left</source>
        <translation>剩余约 {time}</translation>
    </message>
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
        <source>Show or hide the running and queued jobs</source>
        <translation>显示或隐藏正在运行和排队的任务</translation>
    </message>
    <message>
        <source>1 job</source>
        <translation>1 个任务</translation>
    </message>
    <message>
        <source>{n} jobs</source>
        <translation>{n} 个任务</translation>
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
    <name>Labels</name>
    <message>
        <source>{text}.</source>
        <translation>{text}。</translation>
    </message>
    <message>
        <source>{first}, {second}</source>
        <translation>{first}，{second}</translation>
    </message>
    <message>
        <source>{first};  {second}</source>
        <translation>{first}；{second}</translation>
    </message>
    <message>
        <source>{label}: {text}</source>
        <translation>{label}：{text}</translation>
    </message>
    <message>
        <source>{text} ({note})</source>
        <translation>{text}（{note}）</translation>
    </message>
    <message>
        <source>{first}, {name}</source>
        <translation>{first}、{name}</translation>
    </message>
</context>
<context>
    <name>LayerStrip</name>
    <message>
        <source>Layers</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Layer {n} has no effect and is removed: same output as full size</source>
        <translation>第 {n} 层不起作用，将被移除：输出与原尺寸相同</translation>
    </message>
    <message>
        <source>Layer {n} differs from the others and is kept</source>
        <translation>第 {n} 层与其他层不同，保留</translation>
    </message>
    <message>
        <source>Layer {n} is removed: different output from full size</source>
        <translation>第 {n} 层被移除：输出与原尺寸不同</translation>
    </message>
    <message>
        <source>Layer {n} is kept</source>
        <translation>第 {n} 层保留</translation>
    </message>
    <message>
        <source>Press an arrow key to move, Space to remove or keep a layer.</source>
        <translation>方向键移动，空格键裁去或保留一层。</translation>
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
    <name>LimitsDialog</name>
    <message>
        <source>Contrast limits</source>
        <translation>对比度界限</translation>
    </message>
    <message>
        <source>Set limits</source>
        <translation>设置上下限</translation>
    </message>
    <message>
        <source>&amp;Upper limit (lower limit: its negative)</source>
        <translation>上限(下限为其相反数)(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Lower limit</source>
        <translation>下限(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Upper limit</source>
        <translation>上限(&amp;U)</translation>
    </message>
    <message>
        <source>Enter a number, such as {example}.</source>
        <translation>请输入一个数字,例如 {example}。</translation>
    </message>
    <message>
        <source>A limit must be between −1e38 and 1e38.</source>
        <translation>上下限必须在 −1e38 与 1e38 之间。</translation>
    </message>
    <message>
        <source>Magnitudes are shown: the lower limit must be at least 0.</source>
        <translation>当前显示绝对值:下限不得小于 0。</translation>
    </message>
    <message>
        <source>The upper limit must be greater than 0.</source>
        <translation>上限必须大于 0。</translation>
    </message>
    <message>
        <source>The upper limit must be greater than the lower limit.</source>
        <translation>上限必须大于下限。</translation>
    </message>
</context>
<context>
    <name>LimitsSection</name>
    <message>
        <source>Limit the sparsity per tensor and in total, and exclude layers</source>
        <translation>限制每个张量和总体的稀疏度，并排除层</translation>
    </message>
    <message>
        <source>Limits of the sparsity after this step, of each tensor and in total.</source>
        <translation>此步骤之后每个张量以及总体的稀疏度限制。</translation>
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
        <source>of all checked tensors together, not of the whole model</source>
        <translation>所有勾选张量合计，而非整个模型</translation>
    </message>
    <message>
        <source>Limits</source>
        <translation>限制</translation>
    </message>
    <message>
        <source>Limits ({n})</source>
        <translation>限制（{n}）</translation>
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
        <source>Device that computes masks, or cluster that runs exports. The result is the same everywhere.</source>
        <translation>计算掩码的设备，或运行导出的集群。各处的结果相同。</translation>
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
        <source>{done}; {n} weights remain 0, because they were made permanent earlier</source>
        <translation>{done}；{n} 个此前已永久化的权重仍为 0</translation>
    </message>
    <message>
        <source>Prune {what} in {n} tensors</source>
        <translation>在 {n} 个张量中剪枝 {what}</translation>
    </message>
    <message>
        <source>Restore {what} in {n} tensors</source>
        <translation>在 {n} 个张量中恢复 {what}</translation>
    </message>
    <message>
        <source>Protect {what} in {n} tensors</source>
        <translation>在 {n} 个张量中保护 {what}</translation>
    </message>
    <message>
        <source>Unprotect {what} in {n} tensors</source>
        <translation>在 {n} 个张量中取消保护 {what}</translation>
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
        <source>For manual edits</source>
        <translation>手动编辑时</translation>
    </message>
    <message>
        <source>Include bias and norm layers</source>
        <translation>包括偏置和归一化层</translation>
    </message>
    <message>
        <source>Bias and norm layers</source>
        <translation>偏置和归一化层</translation>
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
        <source>Edit all {n} tensors of the group (dim {dim})</source>
        <translation>编辑该组的全部 {n} 个张量（维度 {dim}）</translation>
    </message>
    <message>
        <source>Edit all {n} tensors of the groups (dims {dim})</source>
        <translation>编辑这些组的全部 {n} 个张量（维度 {dim}）</translation>
    </message>
    <message>
        <source>Group of dim {dim} ({n})</source>
        <translation>维度 {dim} 的组（{n}）</translation>
    </message>
    <message>
        <source>Groups of dims {dim} ({n})</source>
        <translation>维度 {dim} 的各组（{n}）</translation>
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
        <source>Drop here to use the masks of {tensors} of {file}.</source>
        <translation>拖放到此处，以使用 {file} 的 {tensors}的掩码。</translation>
    </message>
    <message>
        <source>Reading masks</source>
        <translation>正在读取掩码</translation>
    </message>
    <message>
        <source>Masks of {tensors} loaded from {file}. Excluded, because they do not fit this file: {others}.</source>
        <translation>已从 {file} 取得 {tensors}的掩码。因与此文件不匹配而略去：{others}。</translation>
    </message>
    <message>
        <source>Masks of {tensors} loaded from {file}. Press Prune to apply.</source>
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
        <source>Sentence encoder with {pooling} pooling: its pooler, if any, is not used.</source>
        <translation>采用 {pooling} 池化的句子编码器：如有 pooler，则不会使用。</translation>
    </message>
    <message>
        <source>{model}, {pooling} pooling</source>
        <translation>{model}，{pooling} 池化</translation>
    </message>
    <message>
        <source>Encoder</source>
        <translation>编码器</translation>
    </message>
    <message>
        <source>{names} and {n} more</source>
        <translation>{names} 以及另外 {n} 个</translation>
    </message>
    <message>
        <source>Folder exports also copy: {names}</source>
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
        <source>{n} parameters + {buffers} in buffers   ·   {share} pruned</source>
        <translation>{n} 个参数 + 缓冲区中 {buffers} 个值   ·   {share} 已剪枝</translation>
    </message>
    <message>
        <source>{pruned} of {n} parameters pruned.</source>
        <translation>{n} 个参数中 {pruned} 个已剪枝。</translation>
    </message>
    <message>
        <source>In addition, {n} elements in buffers: running statistics, counters, positions, masks.</source>
        <translation>此外，缓冲区中有 {n} 个元素：移动统计量、计数器、位置、掩码。</translation>
    </message>
</context>
<context>
    <name>ModelView</name>
    <message>
        <source>Most pruned first</source>
        <translation>剪枝最多的在前</translation>
    </message>
    <message>
        <source>Largest first</source>
        <translation>最大的在前</translation>
    </message>
    <message>
        <source>Least L2 norm² retained first</source>
        <translation>L2 范数²保留率最低的在前</translation>
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
        <source>L2 norm² retained (whole model)</source>
        <translation>L2 范数²保留率（整个模型）</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>显示</translation>
    </message>
    <message>
        <source>Length of the bars</source>
        <translation>条的长度</translation>
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
        <source>L2 norm² retained per tensor</source>
        <translation>每个张量的L2 范数²保留率</translation>
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
        <source>;  L2 norm²: calculating…</source>
        <translation>；L2 范数²：正在计算…</translation>
    </message>
    <message>
        <source>;  L2 norm² retained {share}</source>
        <translation>；L2 范数²保留率 {share}</translation>
    </message>
    <message>
        <source>;  unpruned bias/norm layers not shown</source>
        <translation>；未剪枝的偏置和归一化层不显示</translation>
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
        <source>L2 norm² retained</source>
        <translation>L2 范数²保留率</translation>
    </message>
    <message>
        <source>L2 norm² retained after</source>
        <translation>之后的L2 范数²保留率</translation>
    </message>
    <message>
        <source>pruned, %</source>
        <translation>已剪枝，%</translation>
    </message>
    <message>
        <source>In tree order</source>
        <translation>按模块树的顺序</translation>
    </message>
    <message>
        <source>size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>L2 norm² retained, %</source>
        <translation>L2 范数²保留率，%</translation>
    </message>
    <message>
        <source>{name}:  {now} → {then} pruned</source>
        <translation>{name}：{now} → {then} 已剪枝</translation>
    </message>
    <message>
        <source>, L2 norm² retained {norm} (this step)</source>
        <translation>，L2 范数²保留率 {norm}（此步骤）</translation>
    </message>
    <message>
        <source>{name}:  {now} pruned, {some} of {all}</source>
        <translation>{name}：{now} 已剪枝，{all} 中的 {some}</translation>
    </message>
    <message>
        <source>, L2 norm² retained {norm} since opening</source>
        <translation>，自打开以来L2 范数²保留率 {norm}</translation>
    </message>
    <message>
        <source>{n} tensors, {size}</source>
        <translation>{n} 个张量，{size}</translation>
    </message>
    <message>
        <source>{name}:  {size}, {why}</source>
        <translation>{name}：{size}，{why}</translation>
    </message>
    <message>
        <source>not pruned</source>
        <translation>未剪枝</translation>
    </message>
</context>
<context>
    <name>ModuleTree</name>
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
        <source>Selected by rules; {n} check marks are ignored</source>
        <translation>由规则选择；忽略 {n} 个勾选</translation>
    </message>
    <message>
        <source>; rules select others</source>
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
        <source>Uncheck the same layer in all blocks ({n})</source>
        <translation>取消勾选所有块中的同一层（{n}）</translation>
    </message>
    <message>
        <source>Check the same layer in all blocks ({n})</source>
        <translation>勾选所有块中的同一层（{n}）</translation>
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
        <source>Internal error in Pruneapp ({what}).</source>
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
        <source>Packed size: the bytes of the remaining weights, and one mask bit for each weight of a pruned tensor, before compression. The export format Compact compresses them, so that its file is usually smaller; the export dialog estimates its size.</source>
        <translation>打包大小：剩余权重的字节数，以及被剪枝张量的每个权重一个掩码位，均为压缩前。导出格式“紧凑”会压缩这些内容，因此其文件通常更小；导出对话框会估算其大小。</translation>
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
        <source>This file contains {n} state dicts; &apos;{key}&apos; is shown.</source>
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
        <source>&apos;{name}&apos; changed since its history was saved, so it is not restored.</source>
        <translation>&apos;{name}&apos; 在保留历史后已更改，因此不恢复其历史。</translation>
    </message>
    <message>
        <source>The saved history of &apos;{name}&apos; cannot be read, so it is not restored.</source>
        <translation>无法读取 &apos;{name}&apos; 的保留历史，因此不恢复。</translation>
    </message>
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
    <name>OutputsRow</name>
    <message>
        <source>Each of these channels is a result of the model, such as the score of a class, and is the same for all inputs once it is pruned.</source>
        <translation>这些通道中的每一个都是模型的一个结果，例如某个类别的得分；剪枝后，它对所有输入都相同。</translation>
    </message>
    <message>
        <source>Exclude</source>
        <translation>排除</translation>
    </message>
    <message>
        <source>Exclude {names}</source>
        <translation>排除 {names}</translation>
    </message>
    <message>
        <source>▲ Prunes outputs of the model ({names}).</source>
        <translation>▲ 会剪枝模型的输出（{names}）。</translation>
    </message>
    <message>
        <source>▲ Prunes {n} of {m} outputs of the model ({names}).</source>
        <translation>▲ 会剪枝模型 {m} 个输出中的 {n} 个（{names}）。</translation>
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
        <source>Pruning to the pattern</source>
        <translation>正在剪枝为该模式</translation>
    </message>
    <message>
        <source>Nothing was pruned. The main window shows why.</source>
        <translation>未剪枝任何内容。主窗口显示原因。</translation>
    </message>
    <message>
        <source>1 tensor pruned to {pattern}.</source>
        <translation>已将 1 个张量剪枝为 {pattern}。</translation>
    </message>
    <message>
        <source>{n} tensors pruned to {pattern}.</source>
        <translation>已将 {n} 个张量剪枝为 {pattern}。</translation>
    </message>
    <message>
        <source>Nothing was pruned: the history changed in the meantime.</source>
        <translation>未剪枝任何内容：历史记录已在此期间更改。</translation>
    </message>
    <message>
        <source>Stopped.</source>
        <translation>已停止。</translation>
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
        <translation>违反模式的组</translation>
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
        <source>Prune</source>
        <translation>剪枝</translation>
    </message>
    <message>
        <source>Nothing to prune</source>
        <translation>没有可剪枝的内容</translation>
    </message>
    <message>
        <source>Prune 1 tensor to {p}</source>
        <translation>将 1 个张量剪枝为 {p}</translation>
    </message>
    <message>
        <source>Prune {n} tensors to {p}</source>
        <translation>将 {n} 个张量剪枝为 {p}</translation>
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
        <source>The tensor matches {pattern}.</source>
        <translation>该张量符合 {pattern}。</translation>
    </message>
    <message>
        <source>All {n} tensors match {pattern}.</source>
        <translation>全部 {n} 个张量都符合 {pattern}。</translation>
    </message>
    <message>
        <source>The tensor violates {pattern} in {broken} of {groups} groups.</source>
        <translation>该张量的 {groups} 个组中有 {broken} 个违反 {pattern}。</translation>
    </message>
    <message>
        <source>1 of {every} tensors matches {pattern}.</source>
        <translation>{every} 个张量中有 1 个符合 {pattern}。</translation>
    </message>
    <message>
        <source>{n} of {every} tensors match {pattern}.</source>
        <translation>{every} 个张量中有 {n} 个符合 {pattern}。</translation>
    </message>
    <message>
        <source>1 violates it in {broken} of {groups} groups.</source>
        <translation>1 个张量违反：{groups} 个组中的 {broken} 个。</translation>
    </message>
    <message>
        <source>{n} violate it in {broken} of {groups} groups.</source>
        <translation>{n} 个张量违反：{groups} 个组中的 {broken} 个。</translation>
    </message>
    <message>
        <source>L2 norm² not known.</source>
        <translation>L2 范数² 未知。</translation>
    </message>
    <message>
        <source>{share} of the L2 norm² of these tensors.</source>
        <translation>占这些张量L2 范数² 的 {share}。</translation>
    </message>
    <message>
        <source>{pattern} needs 1 more pruned weight</source>
        <translation>{pattern} 还需剪枝 1 个权重</translation>
    </message>
    <message>
        <source>{pattern} needs {n} more pruned weights</source>
        <translation>{pattern} 还需剪枝 {n} 个权重</translation>
    </message>
    <message>
        <source>1 group keeps violating {pattern}: too many of its weights are protected.</source>
        <translation>1 个组仍不符合 {pattern}：其中受保护的权重过多。</translation>
    </message>
    <message>
        <source>{n} groups keep violating {pattern}: too many of their weights are protected.</source>
        <translation>{n} 个组仍不符合 {pattern}：其中受保护的权重过多。</translation>
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
        <source>1 of these is a convolution: its groups are along the input channels, and it needs a runtime with sparse convolutions.</source>
        <translation>其中 1 个是卷积：其组沿输入通道排列，需要支持稀疏卷积的运行时。</translation>
    </message>
    <message>
        <source>{n} of these are convolutions: their groups are along the input channels, and they need a runtime with sparse convolutions.</source>
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
        <translation>违反模式的组</translation>
    </message>
    <message>
        <source>First violation</source>
        <translation>首个违反处</translation>
    </message>
    <message>
        <source>To prune</source>
        <translation>待剪枝</translation>
    </message>
    <message>
        <source>L2 norm² lost</source>
        <translation>损失的 L2 范数²</translation>
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
        <source>{name} matches {pattern}.</source>
        <translation>{name} 符合 {pattern}。</translation>
    </message>
    <message>
        <source>{place} has {n}</source>
        <translation>{place} 有 {n}</translation>
    </message>
    <message>
        <source>{places}, and 1 more group</source>
        <translation>{places}，以及另外 1 个组</translation>
    </message>
    <message>
        <source>{places}, and {n} more groups</source>
        <translation>{places}，以及另外 {n} 个组</translation>
    </message>
    <message>
        <source>Groups</source>
        <translation>组</translation>
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
    <message>
        <source>Graph</source>
        <translation>计算图</translation>
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
        <source>Previewing</source>
        <translation>正在预览</translation>
    </message>
    <message>
        <source>Pruning</source>
        <translation>剪枝</translation>
    </message>
    <message>
        <source>Pruning cancelled: nothing was pruned.</source>
        <translation>剪枝已取消：未剪枝任何内容。</translation>
    </message>
    <message>
        <source>Making permanent</source>
        <translation>正在永久化</translation>
    </message>
    <message>
        <source>Pruning was cancelled because the history changed before it finished. Nothing was pruned.</source>
        <translation>剪枝已取消，因为历史在完成前发生了变化。未剪枝任何内容。</translation>
    </message>
    <message>
        <source>Prune now</source>
        <translation>立即剪枝</translation>
    </message>
    <message>
        <source>The preview is shown.</source>
        <translation>预览已显示。</translation>
    </message>
</context>
<context>
    <name>PreviewPanel</name>
    <message>
        <source>Preview</source>
        <translation>预览</translation>
    </message>
    <message>
        <source>Evaluate…</source>
        <translation>评估…</translation>
    </message>
    <message>
        <source>Measure the current state with a script, a text or images</source>
        <translation>用脚本、文本或图像测量当前状态</translation>
    </message>
    <message>
        <source>Adjust the remaining weights so that each layer&apos;s output stays close to that of the unpruned model</source>
        <translation>调整剩余权重，使每层的输出接近未剪枝模型的输出</translation>
    </message>
    <message>
        <source>Recover…</source>
        <translation>恢复训练…</translation>
    </message>
    <message>
        <source>Train the remaining weights, while pruned weights stay zero</source>
        <translation>训练剩余权重，被剪枝权重保持为零</translation>
    </message>
    <message>
        <source>Per tensor</source>
        <translation>逐张量</translation>
    </message>
    <message>
        <source>Set the scope to per tensor: each tensor or group is pruned to the same fraction</source>
        <translation>将范围设为逐张量：每个张量或组按相同比例剪枝</translation>
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
        <source>These settings would not prune any more weights.</source>
        <translation>这些设置不会再剪枝任何权重。</translation>
    </message>
    <message>
        <source>Percentages refer to the remaining weights: another {share} would prune {n} more.</source>
        <translation>百分比针对剩余权重：再剪枝 {share} 会再剪去 {n} 个。</translation>
    </message>
    <message>
        <source>Percentages refer to what remains: another {share} would prune {what} ({n} weights).</source>
        <translation>百分比针对剩余部分：再剪枝 {share} 会剪去 {what}（{n} 个权重）。</translation>
    </message>
    <message>
        <source>Repeating the step would prune {what} ({n} more weights).</source>
        <translation>重复此步骤会剪枝 {what}（再剪去 {n} 个权重）。</translation>
    </message>
    <message>
        <source>These settings would prune {what} ({n} weights).</source>
        <translation>这些设置会剪枝 {what}（{n} 个权重）。</translation>
    </message>
    <message>
        <source>Repeating the step would prune {n} more weights.</source>
        <translation>重复此步骤会再剪枝 {n} 个权重。</translation>
    </message>
    <message>
        <source>These settings would prune {n} weights.</source>
        <translation>这些设置会剪枝 {n} 个权重。</translation>
    </message>
    <message>
        <source>Most affected (by sparsity)</source>
        <translation>受影响最大（按稀疏度）</translation>
    </message>
    <message>
        <source>Most affected (by L2 norm² lost)</source>
        <translation>受影响最大（按损失的L2 范数²）</translation>
    </message>
    <message>
        <source>Repair…</source>
        <translation>修复…</translation>
    </message>
</context>
<context>
    <name>ProgramCode</name>
    <message>
        <source>Copy code</source>
        <translation>复制代码</translation>
    </message>
    <message>
        <source>Copy Python code that writes the model with its graph to a .pt2 file</source>
        <translation>复制将模型及其计算图写入 .pt2 文件的 Python 代码</translation>
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
        <source>Cannot prune with these settings</source>
        <translation>无法用这些设置剪枝</translation>
    </message>
    <message>
        <source>Prune ({keys})</source>
        <translation>剪枝 ({keys})</translation>
    </message>
    <message>
        <source>The preview is shown.</source>
        <translation>预览已显示。</translation>
    </message>
    <message>
        <source>There is no step to preview.</source>
        <translation>没有可预览的步骤。</translation>
    </message>
    <message>
        <source>1 neuron</source>
        <translation>1 个神经元</translation>
    </message>
    <message>
        <source>{n} neurons</source>
        <translation>{n} 个神经元</translation>
    </message>
    <message>
        <source>1 key/value head</source>
        <translation>1 个键/值头</translation>
    </message>
    <message>
        <source>{n} key/value heads</source>
        <translation>{n} 个键/值头</translation>
    </message>
    <message>
        <source>1 layer</source>
        <translation>1 层</translation>
    </message>
    <message>
        <source>{n} layers</source>
        <translation>{n} 层</translation>
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
    <message>
        <source>{weights} in 1 tensor</source>
        <translation>1 个张量中的{weights}</translation>
    </message>
    <message>
        <source>{weights} in {n} tensors</source>
        <translation>{n} 个张量中的{weights}</translation>
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
        <source>Per tensor</source>
        <translation>逐张量</translation>
    </message>
    <message>
        <source>Global</source>
        <translation>全局</translation>
    </message>
    <message>
        <source>Each tensor or group is pruned to the same fraction.</source>
        <translation>每个张量或组按相同比例剪枝。</translation>
    </message>
    <message>
        <source>One threshold for all tensors of a rule: the fraction pruned varies by tensor, and a tensor can be pruned completely.</source>
        <translation>规则的所有张量共用一个阈值：各张量被剪枝的比例不同，某个张量可能被完全剪枝。</translation>
    </message>
    <message>
        <source>Scope</source>
        <translation>范围</translation>
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
        <source>Choose it below the rules.</source>
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
        <source>Per group</source>
        <translation>逐组</translation>
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
        <source>overridden by later rules</source>
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
        <source>cosine (mean)</source>
        <translation>余弦（平均）</translation>
    </message>
    <message>
        <source>lowest cosine</source>
        <translation>最低余弦</translation>
    </message>
    <message>
        <source>relative error</source>
        <translation>相对误差</translation>
    </message>
    <message>
        <source>same top-1</source>
        <translation>相同 top-1</translation>
    </message>
    <message>
        <source>{n} points</source>
        <translation>{n} 个百分点</translation>
    </message>
    <message>
        <source>seed {n}</source>
        <translation>种子 {n}</translation>
    </message>
    <message>
        <source>{used} of {n} windows</source>
        <translation>{n} 个窗口中的 {used} 个</translation>
    </message>
    <message>
        <source>at most {n} samples</source>
        <translation>最多 {n} 个样本</translation>
    </message>
    <message>
        <source>{used} of {n} sentences</source>
        <translation>{used}/{n} 个句子</translation>
    </message>
    <message>
        <source>{used} of {n} images</source>
        <translation>{n} 张图像中的 {used} 张</translation>
    </message>
    <message>
        <source>{n} tokens</source>
        <translation>{n} 个词元</translation>
    </message>
    <message>
        <source>▲ measured on the data used to calibrate or choose it</source>
        <translation>▲ 在用于校准或选择的数据上测量</translation>
    </message>
    <message>
        <source>{share} pruned: {words}</source>
        <translation>{share} 已剪枝：{words}</translation>
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
        <source>random inputs</source>
        <translation>随机输入</translation>
    </message>
    <message>
        <source>Shrunk</source>
        <translation>缩减</translation>
    </message>
    <message>
        <source>{cut}; {metric}</source>
        <translation>{cut}；{metric}</translation>
    </message>
    <message>
        <source>{value}, unpruned model</source>
        <translation>{value}，未剪枝模型</translation>
    </message>
    <message>
        <source>{value}, no difference from the unpruned model</source>
        <translation>{value}，与未剪枝的模型没有差异</translation>
    </message>
    <message>
        <source>the noise is unknown</source>
        <translation>噪声未知</translation>
    </message>
    <message>
        <source>difference from the unpruned model within noise ±{half} ({noise})</source>
        <translation>与未剪枝模型的差异在噪声 ±{half} 以内（{noise}）</translation>
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
        <source>difference within noise</source>
        <translation>差异在噪声范围内</translation>
    </message>
    <message>
        <source>{amount} worse</source>
        <translation>变差 {amount}</translation>
    </message>
    <message>
        <source>{amount} better</source>
        <translation>变好 {amount}</translation>
    </message>
    <message>
        <source>{name} {was} → {now}: no difference.</source>
        <translation>{name} {was} → {now}：没有差异。</translation>
    </message>
    <message>
        <source>{name} {was} → {now}; the noise is unknown.</source>
        <translation>{name} {was} → {now}；噪声未知。</translation>
    </message>
    <message>
        <source>{name} {was} → {now}: {amount} worse; the noise is unknown.</source>
        <translation>{name} {was} → {now}：差了 {amount}；噪声未知。</translation>
    </message>
    <message>
        <source>{name} {was} → {now}: {amount} better; the noise is unknown.</source>
        <translation>{name} {was} → {now}：好了 {amount}；噪声未知。</translation>
    </message>
    <message>
        <source>{name} {was} → {now}: no difference beyond the noise (±{half}).</source>
        <translation>{name} {was} → {now}：没有超出噪声的差异（±{half}）。</translation>
    </message>
    <message>
        <source>{name} {was} → {now} (noise ±{half}).</source>
        <translation>{name} {was} → {now}（噪声 ±{half}）。</translation>
    </message>
    <message>
        <source>{name} {was} → {now}: {amount} worse, more than the noise (±{half}).</source>
        <translation>{name} {was} → {now}：变差 {amount}，超过噪声（±{half}）。</translation>
    </message>
    <message>
        <source>{name} {was} → {now}: {amount} better, more than the noise (±{half}).</source>
        <translation>{name} {was} → {now}：变好 {amount}，超过噪声（±{half}）。</translation>
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
        <source>{x} pruned</source>
        <translation>剪枝 {x}</translation>
    </message>
    <message>
        <source>{x} parameters</source>
        <translation>{x} 个参数</translation>
    </message>
    <message>
        <source>packed size</source>
        <translation>打包大小</translation>
    </message>
    <message>
        <source>packed size {x}</source>
        <translation>打包大小 {x}</translation>
    </message>
    <message>
        <source>{x} multiply-adds per input</source>
        <translation>每个输入 {x} 次乘加运算</translation>
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
        <source>size of the shrunk file</source>
        <translation>缩减后文件的大小</translation>
    </message>
    <message>
        <source>Bytes of the file that Export &gt; Shrunk writes if it removes the units whose weights are all pruned</source>
        <translation>“导出 &gt; 缩减”在切除所有权重均已剪枝的单元后写入的文件的字节数</translation>
    </message>
    <message>
        <source>down to {x} in the shrunk file</source>
        <translation>缩减后的文件低至 {x}</translation>
    </message>
    <message>
        <source>multiply-adds per input</source>
        <translation>每个输入的乘加运算</translation>
    </message>
    <message>
        <source>Multiply-adds (MACs) of unpruned weights in matrices and convolutions, for one input of the script. Theoretical: zeros alone make nothing faster</source>
        <translation>脚本的一个输入中，矩阵和卷积的未剪枝权重的乘加运算。理论值：仅有零不会使任何计算变快</translation>
    </message>
</context>
<context>
    <name>QualitySessionsController</name>
    <message>
        <source>Add sessions to the chart</source>
        <translation>将会话添加到图表</translation>
    </message>
    <message>
        <source>Sessions ({patterns})</source>
        <translation>会话 ({patterns})</translation>
    </message>
    <message>
        <source>Reading the session</source>
        <translation>正在读取会话</translation>
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
        <source>Evaluate…</source>
        <translation>评估…</translation>
    </message>
    <message>
        <source>Choose the data or script that evaluates the model, and evaluate this state</source>
        <translation>选择用于评估模型的数据或脚本，并评估此状态</translation>
    </message>
    <message>
        <source>Frontier…</source>
        <translation>前沿…</translation>
    </message>
    <message>
        <source>Pareto frontier: prune to several sparsities, and measure each with and without recovery</source>
        <translation>帕累托前沿：剪枝到多个稀疏度，并分别在恢复训练与不恢复训练的情况下测量</translation>
    </message>
    <message>
        <source>Add sessions…</source>
        <translation>添加会话…</translation>
    </message>
    <message>
        <source>Show the measured states of other saved sessions in the same chart</source>
        <translation>在同一图表中显示其他已保存会话的已测量状态</translation>
    </message>
    <message>
        <source>Only this file</source>
        <translation>仅此文件</translation>
    </message>
    <message>
        <source>Remove the states of other sessions</source>
        <translation>移除其他会话的状态</translation>
    </message>
    <message>
        <source>Go to this state</source>
        <translation>转到此状态</translation>
    </message>
    <message>
        <source>Computing the sizes of shrunk files…</source>
        <translation>正在计算缩减后文件的大小…</translation>
    </message>
    <message>
        <source>No values were saved for these states: {axis}. Choose another axis, or evaluate them again.</source>
        <translation>没有保存这些状态的值：{axis}。请选择其他轴，或重新评估。</translation>
    </message>
    <message>
        <source>Evaluating… The unpruned model is measured first.</source>
        <translation>正在评估… 首先测量未剪枝模型。</translation>
    </message>
    <message>
        <source>{metric}, %</source>
        <translation>{metric}，%</translation>
    </message>
    <message>
        <source>It is unknown whether a higher or a lower {metric} is better. Declare HIGHER_IS_BETTER in the script, or choose it below the command line.</source>
        <translation>不知道 {metric} 越高越好还是越低越好：请在脚本中声明 HIGHER_IS_BETTER，或在命令行旁选择。</translation>
    </message>
    <message>
        <source>States measured in an earlier run are not considered.</source>
        <translation>不考虑在之前的运行中测量的状态。</translation>
    </message>
    <message>
        <source>Best within {target} of the unpruned model: {up_to} ({label})</source>
        <translation>与未剪枝模型相差 {target} 以内的最佳状态：{up_to}（{label}）</translation>
    </message>
    <message>
        <source>Best within {target} of the unpruned model (noise ±{noise}): {up_to} ({label})</source>
        <translation>与未剪枝模型相差 {target} 以内（噪声 ±{noise}）的最佳状态：{up_to}（{label}）</translation>
    </message>
    <message>
        <source>{state}, {cut}:  {words}</source>
        <translation>{state}，{cut}：{words}</translation>
    </message>
    <message>
        <source>{session}, {state}</source>
        <translation>{session},{state}</translation>
    </message>
    <message>
        <source>{share} pruned</source>
        <translation>已剪枝 {share}</translation>
    </message>
    <message>
        <source>No pruned or shrunk model measured so far is within {target} of the unpruned model.</source>
        <translation>目前测量过的剪枝或缩减后的模型中，没有一个与未剪枝模型的差距在 {target} 以内。</translation>
    </message>
    <message>
        <source>{metric} against {axis}</source>
        <translation>{metric} 与 {axis}</translation>
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
        <source>frontier, recovered</source>
        <translation>前沿，已恢复训练</translation>
    </message>
    <message>
        <source>frontier</source>
        <translation>前沿</translation>
    </message>
    <message>
        <source>meets the target</source>
        <translation>达到目标</translation>
    </message>
    <message>
        <source>measured with</source>
        <translation>测量条件</translation>
    </message>
    <message>
        <source>Metric against {axis}</source>
        <translation>指标与{axis}</translation>
    </message>
    <message>
        <source>dashed, hollow: {session}</source>
        <translation>虚线、空心：{session}</translation>
    </message>
    <message>
        <source>shrunk: measured as the smaller model</source>
        <translation>缩减：按较小的模型测量</translation>
    </message>
    <message>
        <source>Measured with Evaluate shrunk model, on the page Shrunk of the export</source>
        <translation>用导出的“缩减”页面上的“评估缩减后的模型”测量</translation>
    </message>
    <message>
        <source>{curve} (knee at {x})</source>
        <translation>{curve}（拐点在 {x}）</translation>
    </message>
    <message>
        <source>The knee is the point farthest above the line between the ends of the curve. Beyond it, more sparsity costs more than average.</source>
        <translation>拐点是曲线两端连线之上最远的点：此后稀疏度的代价高于平均。</translation>
    </message>
    <message>
        <source>If a bar crosses the dotted line (the unpruned model), no difference from the unpruned model was found.</source>
        <translation>与虚线（未剪枝模型）相交的条表示未发现与其有差异。</translation>
    </message>
    <message>
        <source>noise: {what}</source>
        <translation>噪声：{what}</translation>
    </message>
    <message>
        <source>{session}, {state}:  {words}</source>
        <translation>{session},{state}:  {words}</translation>
    </message>
    <message>
        <source>measured with {conditions}</source>
        <translation>测量条件：{conditions}</translation>
    </message>
    <message>
        <source>Nothing has been evaluated yet. Press Evaluate… to measure the model with your own data or script.</source>
        <translation>尚未评估任何内容。请按“评估…”，用您自己的数据或脚本测量模型。</translation>
    </message>
    <message>
        <source>{state}:  {words}</source>
        <translation>{state}：{words}</translation>
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
        <source>Actions that could lose work always ask.</source>
        <translation>可能丢失工作的操作总会询问。</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>{n} run without confirmation.</source>
        <translation>{n} 个不经询问即运行。</translation>
    </message>
    <message>
        <source>1 runs without confirmation.</source>
        <translation>1 个不经询问即运行。</translation>
    </message>
    <message>
        <source>New or changed ones are shown before they run.</source>
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
        <source>&amp;Dimension</source>
        <translation>维度(&amp;D)</translation>
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
        <source>Save session</source>
        <translation>保存会话</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>导出…</translation>
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
        <source>Your latest changes have not been saved in &apos;{name}&apos;.</source>
        <translation>最近的更改尚未保存到“{name}”。</translation>
    </message>
    <message>
        <source>Metrics and scans have not been saved in &apos;{name}&apos;.</source>
        <translation>指标和扫描尚未保存到“{name}”。</translation>
    </message>
    <message>
        <source>You have unsaved changes.</source>
        <translation>有未保存的更改。</translation>
    </message>
    <message>
        <source>If you continue, they will be lost. The file on disk is not changed.</source>
        <translation>如果继续，它们将丢失。磁盘上的文件不会改变。</translation>
    </message>
    <message>
        <source>Your latest changes have not been saved. Save a session to keep them.</source>
        <translation>最近的更改尚未保存。请保存会话以保留它们。</translation>
    </message>
    <message>
        <source>Protected weights have not been saved. Save a session to keep them.</source>
        <translation>受保护的权重尚未保存。请保存会话以保留它们。</translation>
    </message>
    <message>
        <source>Undone steps and other branches have not been saved. Save a session to keep them.</source>
        <translation>已撤销的步骤和其他分支尚未保存。请保存会话以保留它们。</translation>
    </message>
    <message>
        <source>The undo history has not been saved. Save a session to keep it.</source>
        <translation>撤销历史尚未保存。请保存会话以保留它。</translation>
    </message>
    <message>
        <source>Metrics and scans have not been saved. Save a session to keep them.</source>
        <translation>指标和扫描尚未保存。请保存会话以保留它们。</translation>
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
        <source>{names}: {why}. Pruning a scale, a zero point or a codebook destroys the weights that it belongs to.</source>
        <translation>{names}：{why}。剪枝缩放因子、零点或码本会破坏其所属的权重。</translation>
    </message>
    <message>
        <source>Check tensors of a quantized layer?</source>
        <translation>勾选量化层的张量？</translation>
    </message>
    <message>
        <source>Check anyway</source>
        <translation>仍然勾选</translation>
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
        <source>{size} are freed. Open files keep their history.</source>
        <translation>将释放 {size}。打开的文件保留其历史。</translation>
    </message>
    <message>
        <source>Delete the kept history of {files}?</source>
        <translation>删除 {files}的保留历史？</translation>
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
        <source>Cancelling leaves all files unchanged.</source>
        <translation>取消不会更改任何文件。</translation>
    </message>
    <message>
        <source>These tensors cannot be read, so “{format}” cannot contain them. A model that needs them will not load from the export alone.</source>
        <translation>无法读取这些张量的数值，因此“{format}”无法容纳它们。需要它们的模型无法仅从导出文件加载。</translation>
    </message>
    <message>
        <source>A job is still running.</source>
        <translation>仍有任务正在运行。</translation>
    </message>
    <message>
        <source>Names and notes of states have not been saved. Save a session to keep them.</source>
        <translation>状态的名称和备注尚未保存。请保存会话以保留它们。</translation>
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
        <source>(top level)</source>
        <translation>（顶层）</translation>
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
    <message>
        <source>1 file</source>
        <translation>1 个文件</translation>
    </message>
    <message>
        <source>{n} files</source>
        <translation>{n} 个文件</translation>
    </message>
    <message>
        <source>No history is kept.</source>
        <translation>没有保留的历史。</translation>
    </message>
    <message>
        <source>Saved histories deleted.</source>
        <translation>已删除保存的历史。</translation>
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
        <source>Recipe saved: {file}</source>
        <translation>已保存配方：{file}</translation>
    </message>
    <message>
        <source>Keep the folder {folder} with masks and repaired values next to it.</source>
        <translation>请将包含掩码和修复值的文件夹 {folder} 与它放在一起。</translation>
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
        <source>The cluster {address} applies the steps and writes a new file.</source>
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
    <name>RecoverController</name>
    <message>
        <source>&apos;{name}&apos; cannot recover a model: add calibrate(model), which runs inputs without labels, or train(model), your own training loop. New script… saves an example.</source>
        <translation>“{name}”无法恢复模型：请添加 calibrate(model)（运行不带标签的输入）或 train(model)（您自己的训练循环）。“新建脚本…”会保存一个示例。</translation>
    </message>
    <message>
        <source>Choose a Python file with load(path), and calibrate(model), which runs inputs without labels, or train(model), your own training loop. New script… saves one to start from.</source>
        <translation>请选择包含 load(path) 的 Python 文件，并包含 calibrate(model)（运行不带标签的输入）或 train(model)（您自己的训练循环）。“新建脚本…”会保存一个起始文件。</translation>
    </message>
    <message>
        <source>with {name}</source>
        <translation>使用 {name}</translation>
    </message>
    <message>
        <source>by evaluate() of {name}</source>
        <translation>由 {name} 的 evaluate()</translation>
    </message>
    <message>
        <source>with other images of {name}</source>
        <translation>使用 {name} 中的其他图像</translation>
    </message>
    <message>
        <source>with the training data, {name}</source>
        <translation>使用训练数据 {name}</translation>
    </message>
    <message>
        <source>Recovery</source>
        <translation>恢复训练</translation>
    </message>
    <message>
        <source>Recovery cancelled: nothing was changed.</source>
        <translation>恢复训练已取消：未作任何更改。</translation>
    </message>
    <message>
        <source>Recovery cancelled; nothing changed. Rerun with the same settings to continue.</source>
        <translation>恢复训练已取消：未作任何更改。使用相同的脚本和设置可继续。</translation>
    </message>
    <message>
        <source>Result discarded: nothing was changed.</source>
        <translation>结果已放弃：未作任何更改。</translation>
    </message>
    <message>
        <source>The recovery is finished: {state}.</source>
        <translation>恢复训练已完成：{state}。</translation>
    </message>
    <message>
        <source>Go to it</source>
        <translation>转到该状态</translation>
    </message>
    <message>
        <source>The recovery continues.</source>
        <translation>恢复训练仍在进行。</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>显示</translation>
    </message>
    <message>
        <source>The metric before and after is shown here when the evaluation has finished.</source>
        <translation>评估完成后，这里会显示之前和之后的指标。</translation>
    </message>
    <message>
        <source>Inputs: {source}. Training took {time}.</source>
        <translation>输入：{source}。训练用时：{time}。</translation>
    </message>
    <message>
        <source>{n} samples, {held_out} of them held out; learning rate {lr}.</source>
        <translation>{n} 个样本，其中 {held_out} 个留出；学习率 {lr}。</translation>
    </message>
    <message>
        <source>It started from a sequential repair.</source>
        <translation>它从顺序修复开始。</translation>
    </message>
    <message>
        <source>The held-out error first rose to {error}, and then fell.</source>
        <translation>留出数据上的误差先升至 {error}，然后下降。</translation>
    </message>
    <message>
        <source>Undo recovery</source>
        <translation>撤销恢复训练</translation>
    </message>
</context>
<context>
    <name>RecoverDialog</name>
    <message>
        <source>Recover</source>
        <translation>恢复训练</translation>
    </message>
    <message>
        <source>Trains the remaining weights, while pruned weights stay zero and protected weights keep their values. You can undo it.</source>
        <translation>训练剩余权重；被剪枝的权重保持为零，受保护的权重保持其值。可以撤销。</translation>
    </message>
    <message>
        <source>&amp;Reproduce the outputs of the unpruned model (no labels)</source>
        <translation>重现未剪枝模型的输出（无需标签）(&amp;R)</translation>
    </message>
    <message>
        <source>Run &amp;train() of the script</source>
        <translation>运行脚本的 train()(&amp;T)</translation>
    </message>
    <message>
        <source>The inputs of calibrate() are run through the unpruned model, and the pruned model is trained to reproduce its outputs.</source>
        <translation>calibrate() 的输入通过未剪枝模型运行，并针对相同的输出训练剪枝后的模型。</translation>
    </message>
    <message>
        <source>The data are used for training: the pruned model learns to reproduce the outputs of the unpruned model.</source>
        <translation>这些数据用于训练：剪枝后的模型学习重现未剪枝模型的输出。</translation>
    </message>
    <message>
        <source>Your own training loop, with your data, labels and optimizer. Pruned weights stay zero.</source>
        <translation>您自己的训练，使用您的数据、标签和优化器；掩码保持不变。</translation>
    </message>
    <message>
        <source>Set up…</source>
        <translation>设置…</translation>
    </message>
    <message>
        <source>Set up an evaluation…</source>
        <translation>设置评估…</translation>
    </message>
    <message>
        <source>The inputs above cannot evaluate the model: choose what measures it.</source>
        <translation>上面的输入不能评估模型：请选择用什么来测量它。</translation>
    </message>
    <message>
        <source>Evaluation before and after</source>
        <translation>之前和之后的评估</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Inputs of the model</source>
        <translation>模型的输入</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>Choose an evaluation script with a function train(model).</source>
        <translation>请选择包含函数 train(model) 的评估脚本。</translation>
    </message>
    <message>
        <source>The script does not define train(model).</source>
        <translation>脚本没有定义 train(model)。</translation>
    </message>
    <message>
        <source>Run train()</source>
        <translation>运行 train()</translation>
    </message>
    <message>
        <source>The whole model is trained in 1 step.</source>
        <translation>整个模型训练 1 步。</translation>
    </message>
    <message>
        <source>The whole model is trained in {n} steps.</source>
        <translation>整个模型训练 {n} 步。</translation>
    </message>
    <message>
        <source>Each block is trained in 1 step, then the whole model in 1 step.</source>
        <translation>每个块训练 1 步，然后整个模型训练 1 步。</translation>
    </message>
    <message>
        <source>Each block is trained in up to {n} steps, then the whole model in {n} steps.</source>
        <translation>每个块最多训练 {n} 步，然后整个模型训练 {n} 步。</translation>
    </message>
    <message>
        <source>Three learning rates are tried for a few steps each.</source>
        <translation>会各用几步尝试三个学习率。</translation>
    </message>
    <message>
        <source>15 % of the inputs are held out. New weights are kept only if the error on these inputs becomes smaller.</source>
        <translation>15% 的输入留作验证。只有当这些输入上的误差变小时，才会保留新的权重。</translation>
    </message>
    <message>
        <source>train(model) decides how long it trains. It may yield a loss, (loss, learning rate) or a dict of metrics, which are plotted.</source>
        <translation>train(model) 自行决定训练时长。它可以产出损失、(损失, 学习率) 或指标字典，这些值会被绘制出来。</translation>
    </message>
</context>
<context>
    <name>Recovery</name>
    <message>
        <source>held-out error</source>
        <translation>留出误差</translation>
    </message>
    <message>
        <source>training loss</source>
        <translation>训练损失</translation>
    </message>
    <message>
        <source>learning rate</source>
        <translation>学习率</translation>
    </message>
    <message>
        <source>Trains {n} remaining weights of the whole model on {device}.</source>
        <translation>在 {device} 上训练整个模型的 {n} 个剩余权重。</translation>
    </message>
    <message>
        <source>Trains low-rank updates with {n} parameters on {device}, because not all weights fit into memory.</source>
        <translation>在 {device} 上训练含 {n} 个数的低秩更改：内存容纳不下全部权重。</translation>
    </message>
    <message>
        <source>Trains the {n} parameters of norms and biases on {device}, because more does not fit into memory.</source>
        <translation>在 {device} 上训练归一化和偏置的 {n} 个数：内存容纳不下更多。</translation>
    </message>
    <message>
        <source>Trains blocks only, on {device}, because the whole model does not fit into memory.</source>
        <translation>仅在 {device} 上训练各块：内存容纳不下整个模型。</translation>
    </message>
    <message>
        <source>{samples}, of which {n} are held out.</source>
        <translation>{samples}，其中 {n} 个留出。</translation>
    </message>
    <message>
        <source>1 sample</source>
        <translation>1 个样本</translation>
    </message>
    <message>
        <source>{n} samples</source>
        <translation>{n} 个样本</translation>
    </message>
    <message>
        <source>1 block is trained first.</source>
        <translation>先训练 1 个块。</translation>
    </message>
    <message>
        <source>{n} blocks are trained first.</source>
        <translation>先训练 {n} 个块。</translation>
    </message>
    <message>
        <source>Predicted memory: {n} of {limit}.</source>
        <translation>预计内存：{n}，可用 {limit}。</translation>
    </message>
    <message>
        <source>The model is worse</source>
        <translation>模型变差</translation>
    </message>
    <message>
        <source>before</source>
        <translation>之前</translation>
    </message>
    <message>
        <source>after the repair</source>
        <translation>修复后</translation>
    </message>
    <message>
        <source>after the blocks</source>
        <translation>训练各块后</translation>
    </message>
    <message>
        <source>after the whole model</source>
        <translation>训练整个模型后</translation>
    </message>
    <message>
        <source>stored</source>
        <translation>存储后</translation>
    </message>
    <message>
        <source>not used</source>
        <translation>未采用</translation>
    </message>
    <message>
        <source>kept</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>the best, at step {n}</source>
        <translation>最佳，第 {n} 步</translation>
    </message>
    <message>
        <source>Held-out error</source>
        <translation>留出误差</translation>
    </message>
</context>
<context>
    <name>RecoveryPanel</name>
    <message>
        <source>Recovering</source>
        <translation>正在恢复训练</translation>
    </message>
    <message>
        <source>Starting</source>
        <translation>正在启动</translation>
    </message>
    <message>
        <source>Progress of the training</source>
        <translation>训练进度</translation>
    </message>
    <message>
        <source>Nothing to plot yet. First the inputs are recorded, and learning rates are tried. Then the whole model is trained, and its error is plotted here.</source>
        <translation>尚无可绘制的内容。首先记录输入并尝试学习率，然后训练整个模型，并在此处绘制其误差。</translation>
    </message>
    <message>
        <source>Nothing to plot yet. First the inputs are recorded, each block is trained alone, and learning rates are tried. Then the whole model is trained, and its error is plotted here.</source>
        <translation>尚无曲线。首先记录输入，逐个训练每个块，并尝试学习率。然后训练整个模型，其误差会绘制在这里。</translation>
    </message>
    <message>
        <source>Nothing to plot yet. The losses that train() of the script yields are plotted here.</source>
        <translation>尚无曲线。脚本的 train() 产出的损失会绘制在这里。</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Stop and keep best</source>
        <translation>停止并保留最佳</translation>
    </message>
    <message>
        <source>End the training, and use the best weights so far.</source>
        <translation>结束训练，并使用目前最佳的权重。</translation>
    </message>
    <message>
        <source>Hide</source>
        <translation>隐藏</translation>
    </message>
    <message>
        <source>Close this window; the training continues. Prune &gt; Recover shows it again.</source>
        <translation>关闭此窗口；训练继续进行。选择“剪枝 &gt; 恢复训练”可再次显示。</translation>
    </message>
    <message>
        <source>Cancel recovery</source>
        <translation>取消恢复训练</translation>
    </message>
    <message>
        <source>End the training; nothing is changed.</source>
        <translation>结束训练；不作任何更改。</translation>
    </message>
    <message>
        <source>Held-out error</source>
        <translation>留出误差</translation>
    </message>
    <message>
        <source>Steps per second</source>
        <translation>每秒步数</translation>
    </message>
    <message>
        <source>Time left</source>
        <translation>剩余时间</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>学习率</translation>
    </message>
    <message>
        <source>Training loss</source>
        <translation>训练损失</translation>
    </message>
    <message>
        <source>Mean error of the outputs on held-out inputs, and its change since the training began. It can rise while the learning rate is high; the best weights are kept.</source>
        <translation>留出输入上的平均输出误差，以及自训练开始以来的变化。学习率较高时它可能上升；最好的权重会被保留。</translation>
    </message>
    <message>
        <source>{rate} (trial)</source>
        <translation>{rate}（尝试中）</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>正在停止…</translation>
    </message>
</context>
<context>
    <name>RecoveryReportDialog</name>
    <message>
        <source>Recovered</source>
        <translation>已恢复训练</translation>
    </message>
    <message>
        <source>Not recovered</source>
        <translation>未恢复训练</translation>
    </message>
    <message>
        <source>Block</source>
        <translation>块</translation>
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
        <source>Improved</source>
        <translation>有改善</translation>
    </message>
    <message>
        <source>Errors of the blocks</source>
        <translation>各块的误差</translation>
    </message>
    <message>
        <source>Undo recovery</source>
        <translation>撤销恢复训练</translation>
    </message>
    <message>
        <source>Return to the state before the recovery.</source>
        <translation>返回恢复训练之前的状态。</translation>
    </message>
    <message>
        <source>Evaluate…</source>
        <translation>评估…</translation>
    </message>
    <message>
        <source>Measure the model before and after the recovery with an evaluation script.</source>
        <translation>使用评估脚本测量恢复训练前后的模型。</translation>
    </message>
    <message>
        <source>Copy the report as text.</source>
        <translation>将报告复制为文本。</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>是</translation>
    </message>
    <message>
        <source>no</source>
        <translation>否</translation>
    </message>
</context>
<context>
    <name>RecoveryView</name>
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
        <source>Repair</source>
        <translation>修复</translation>
    </message>
    <message>
        <source>Repair cancelled: nothing was changed.</source>
        <translation>修复已取消：未更改任何内容。</translation>
    </message>
    <message>
        <source>The repair is finished: {state}.</source>
        <translation>修复已完成：{state}。</translation>
    </message>
    <message>
        <source>Go to it</source>
        <translation>转到该状态</translation>
    </message>
    <message>
        <source>{name} is worse after the repair: {before} → {after}.</source>
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
        <source>Adjusts the remaining weights of pruned layers so that each layer&apos;s output stays close to that of the unpruned model. The masks do not change. You can undo it.</source>
        <translation>调整被剪枝层的剩余权重，使每一层的输出接近未剪枝模型的输出。掩码不会改变。可以撤销。</translation>
    </message>
    <message>
        <source>The data are used for calibration: the remaining weights are adjusted so that each layer reproduces its outputs before pruning.</source>
        <translation>这些数据用于校准：调整剩余的权重，使每一层重现其剪枝前的输出。</translation>
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
        <source>not used</source>
        <translation>未采用</translation>
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
        <source>1 layer cannot change: only whole outputs of it, such as neurons or channels, are pruned, and its other weights do not contribute to these. Pruned layers that read these outputs are repaired instead.</source>
        <translation>1 个层无法改变：它只有整个输出（如神经元或通道）被剪枝，其余权重对这些输出没有贡献。改为修复读取这些输出的已剪枝层。</translation>
    </message>
    <message>
        <source>{n} layers cannot change: only whole outputs of them, such as neurons or channels, are pruned, and their other weights do not contribute to these. Pruned layers that read these outputs are repaired instead.</source>
        <translation>{n} 个层无法改变：它们只有整个输出（如神经元或通道）被剪枝，其余权重对这些输出没有贡献。改为修复读取这些输出的已剪枝层。</translation>
    </message>
    <message>
        <source>Sequential repair needs input data, which a statistics file does not contain. Choose a text or script, or turn Sequential off.</source>
        <translation>顺序修复需要输入数据，而统计文件不包含输入数据。请选择文本或脚本，或关闭“顺序”。</translation>
    </message>
    <message>
        <source>Gram matrices: {total}, more than the memory limit. The layers are solved in the process that runs the model. {rest}</source>
        <translation>格拉姆矩阵：{total}，超过内存限制。它们保留在运行模型的进程中，由其求解各层。{rest}</translation>
    </message>
    <message>
        <source>Memory: about {size} to compute the largest layer.</source>
        <translation>内存：计算最大的层约需 {size}。</translation>
    </message>
    <message>
        <source>Gram matrices: {total}, in temporary files. {rest}</source>
        <translation>格拉姆矩阵：{total}，存于临时文件。{rest}</translation>
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
        <source>Inputs: {source}. Solved by {solver}.</source>
        <translation>输入：{source}。由 {solver} 求解。</translation>
    </message>
    <message>
        <source>Inputs: {source}.</source>
        <translation>输入：{source}。</translation>
    </message>
    <message>
        <source>Error: mean squared difference from the unpruned layer&apos;s output, relative to the mean square of that output.</source>
        <translation>误差：与未剪枝层输出之差的均方，相对于该输出的均方。</translation>
    </message>
    <message>
        <source>If a norm layer follows, the error is computed with its adjusted statistics.</source>
        <translation>若其后有归一化层，则按其调整后的统计量计算误差。</translation>
    </message>
    <message>
        <source>Sequential: the errors include those of the preceding layers, so they are larger than if each layer were repaired separately.</source>
        <translation>逐层：误差包含前面各层的误差，因此大于单独修复每一层时的误差。</translation>
    </message>
    <message>
        <source>Evaluate on data that was not used for calibration: small layer errors do not guarantee that the model works.</source>
        <translation>请用未参与校准的数据评估：各层误差小并不保证模型可用。</translation>
    </message>
    <message>
        <source>1 layer is unchanged, because new values would not reduce its error: if whole outputs are pruned, such as neurons or channels, the other weights of the layer do not contribute to them. Such an error only matters if later layers still use these outputs.</source>
        <translation>1 个层未改变，因为新值不会减小其误差：如果整个输出（如神经元或通道）被剪枝，该层的其余权重对这些输出没有贡献。只有后面的层仍使用这些输出时，这种误差才有影响。</translation>
    </message>
    <message>
        <source>{n} layers are unchanged, because new values would not reduce their errors: if whole outputs are pruned, such as neurons or channels, the other weights of the layer do not contribute to them. Such an error only matters if later layers still use these outputs.</source>
        <translation>{n} 个层未改变，因为新值不会减小其误差：如果整个输出（如神经元或通道）被剪枝，该层的其余权重对这些输出没有贡献。只有后面的层仍使用这些输出时，这种误差才有影响。</translation>
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
        <source>Changed</source>
        <translation>已改变</translation>
    </message>
    <message>
        <source>Error before</source>
        <translation>修复前误差</translation>
    </message>
    <message>
        <source>Error after</source>
        <translation>修复后误差</translation>
    </message>
    <message>
        <source>After rounding</source>
        <translation>舍入后误差</translation>
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
        <source>Tree order</source>
        <translation>模块树的顺序</translation>
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
    <message>
        <source>1 bias</source>
        <translation>1 个偏置</translation>
    </message>
    <message>
        <source>{n} biases</source>
        <translation>{n} 个偏置</translation>
    </message>
    <message>
        <source>1 running mean</source>
        <translation>1 个运行均值</translation>
    </message>
    <message>
        <source>{n} running means</source>
        <translation>{n} 个运行均值</translation>
    </message>
    <message>
        <source>1 running variance</source>
        <translation>1 个运行方差</translation>
    </message>
    <message>
        <source>{n} running variances</source>
        <translation>{n} 个运行方差</translation>
    </message>
    <message>
        <source>Also adjusted: {names}.</source>
        <translation>同时调整了：{names}。</translation>
    </message>
    <message>
        <source>unchanged</source>
        <translation>未改变</translation>
    </message>
</context>
<context>
    <name>ReportController</name>
    <message>
        <source>Save report</source>
        <translation>保存报告</translation>
    </message>
    <message>
        <source>Web pages ({patterns})</source>
        <translation>网页 ({patterns})</translation>
    </message>
    <message>
        <source>Writing the report</source>
        <translation>正在写入报告</translation>
    </message>
    <message>
        <source>Report saved as {file}.</source>
        <translation>报告已保存为 {file}。</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>No program was found to open &apos;{file}&apos;. Open it in a browser.</source>
        <translation>未找到可打开“{file}”的程序。请在浏览器中打开它。</translation>
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
    <message>
        <source>{type}: {size}, with 8 significant bits per value. The file then has only the state dict, which takes {full} if it is not rounded.</source>
        <translation>{type}：{size}，每个值 8 个有效位。此时文件只包含 state dict，不舍入时占 {full}。</translation>
    </message>
</context>
<context>
    <name>RoundsController</name>
    <message>
        <source>Round {n} of {count}</source>
        <translation>第 {n} 轮，共 {count} 轮</translation>
    </message>
    <message>
        <source>Iterative pruning was cancelled.</source>
        <translation>迭代剪枝已取消。</translation>
    </message>
    <message>
        <source>{n} of {count} rounds are complete.</source>
        <translation>已完成 {n} 轮，共 {count} 轮。</translation>
    </message>
    <message>
        <source>Every round is worse than allowed.</source>
        <translation>每一轮都比允许的差。</translation>
    </message>
    <message>
        <source>Round {n} is worse than allowed, so round {other} is used.</source>
        <translation>第 {n} 轮比允许的差，因此使用第 {other} 轮。</translation>
    </message>
    <message>
        <source>This method ranks the remaining weights again before each round, so the result may differ from a single step.</source>
        <translation>此方法在每一轮之前重新对剩余权重排序，因此结果可能与单个步骤不同。</translation>
    </message>
    <message>
        <source>With this method the final mask is the same as after a single step, apart from rounding. Each round can be inspected, undone and exported.</source>
        <translation>用此方法，除取整外，最终掩码与单个步骤相同。每一轮都可以查看、撤销和导出。</translation>
    </message>
    <message>
        <source>Iterative pruning</source>
        <translation>迭代剪枝</translation>
    </message>
    <message>
        <source>Pruned in {n} rounds.</source>
        <translation>已分 {n} 轮剪枝。</translation>
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
        <translation>分 1 轮剪枝 {weights} 个权重</translation>
    </message>
    <message>
        <source>Prune {weights} weights in {n} rounds</source>
        <translation>分 {n} 轮剪枝 {weights} 个权重</translation>
    </message>
    <message>
        <source>Nothing to prune</source>
        <translation>没有可剪枝的内容</translation>
    </message>
    <message>
        <source>Each round prunes the model trained in the previous round. The training is a separate step.</source>
        <translation>每一轮剪枝上一轮训练过的模型。训练是单独的一个步骤。</translation>
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
        <source>Rank weights by their inputs, from a file of statistics of activations that was collected before.</source>
        <translation>根据先前收集的激活统计文件，按输入对权重排序。</translation>
    </message>
    <message>
        <source>Collect statistics…</source>
        <translation>收集统计量…</translation>
    </message>
    <message>
        <source>Run a text, images, a script or random inputs through the unpruned model.</source>
        <translation>将文本、图像、脚本或随机输入送入未剪枝的模型。</translation>
    </message>
    <message>
        <source>No tensors selected yet: enter a pattern or choose a type. Until then, this rule is ignored.</source>
        <translation>尚未选择张量：请输入模式或选择类型。在此之前，此规则会被忽略。</translation>
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
        <source>{n} in rule {rule}</source>
        <translation>{n} 个在规则 {rule} 中</translation>
    </message>
    <message>
        <source>{n} in later rules</source>
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
        <source>Ranked by the method</source>
        <translation>按方法排序</translation>
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
        <source>Collect or load statistics of activations first.</source>
        <translation>请先收集或加载激活统计量。</translation>
    </message>
    <message>
        <source>no tensors selected yet</source>
        <translation>尚未选择张量</translation>
    </message>
    <message>
        <source>✕ not valid</source>
        <translation>✕ 无效</translation>
    </message>
</context>
<context>
    <name>ScanController</name>
    <message>
        <source>Needs statistics of activations with Gram matrices. To collect them, close this dialog, choose a Wanda method in the form, and press Collect statistics…</source>
        <translation>需要带 Gram 矩阵的激活统计。要收集它们，请关闭此对话框，在表单中选择一种 Wanda 方法，然后点击收集统计量…</translation>
    </message>
    <message>
        <source>The loaded statistics have no Gram matrices.</source>
        <translation>加载的统计没有格拉姆矩阵。</translation>
    </message>
    <message>
        <source>The current state, {state}, is {share} pruned. Amounts are fractions of what remains of each tensor in it. To scan the unpruned model, go to &apos;Opened&apos; in the history first.</source>
        <translation>当前状态 {state} 已剪枝 {share}。剪枝量是其中每个张量剩余部分的比例。若要扫描未剪枝模型，请先在历史中转到“已打开”。</translation>
    </message>
    <message>
        <source>Statistics file: {file}.</source>
        <translation>统计文件：{file}。</translation>
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
        <translation>{words}所有评估（{n} 次）都已测量。</translation>
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
        <source>{words} {count}, {already}.</source>
        <translation>{words}{count}，{already}。</translation>
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
        <source>{words} {count}.</source>
        <translation>{words}{count}。</translation>
    </message>
    <message>
        <source>{n} of {all} are measured already, and kept if script, Python and options are the same.</source>
        <translation>{all} 次中已有 {n} 次测量完成；若脚本、Python 和选项相同则保留。</translation>
    </message>
    <message>
        <source>About {time}: the last evaluation took {one}.</source>
        <translation>约 {time}：上一次评估用时 {one}。</translation>
    </message>
    <message>
        <source>How long an evaluation takes is not known yet. The scan evaluates the unpruned model first, and then shows the time left.</source>
        <translation>尚不清楚一次评估需要多长时间。扫描首先评估未剪枝模型，然后显示剩余时间。</translation>
    </message>
    <message>
        <source>Sensitivity scan</source>
        <translation>敏感度扫描</translation>
    </message>
    <message>
        <source>Scan finished: {done}.</source>
        <translation>扫描完成：{done}。</translation>
    </message>
    <message>
        <source>Scan stopped after {done}; the next scan continues it.</source>
        <translation>扫描已停止，已完成 {done}；下一次扫描会继续。</translation>
    </message>
    <message>
        <source>Scan stopped: nothing was measured.</source>
        <translation>扫描已停止：未测量任何内容。</translation>
    </message>
    <message>
        <source>{state}; {method}</source>
        <translation>{state}；{method}</translation>
    </message>
    <message>
        <source>another script</source>
        <translation>另一个脚本</translation>
    </message>
    <message>
        <source>at most {n} samples</source>
        <translation>最多 {n} 个样本</translation>
    </message>
    <message>
        <source>seed {n}</source>
        <translation>种子 {n}</translation>
    </message>
    <message>
        <source>{n} of {all} evaluations</source>
        <translation>{n} 次评估（共 {all} 次）</translation>
    </message>
    <message>
        <source>a deleted state</source>
        <translation>已删除的状态</translation>
    </message>
    <message>
        <source>Measured with another script, Python or options.</source>
        <translation>由其他脚本、Python 或选项测得。</translation>
    </message>
    <message>
        <source>Measured before this file was opened.</source>
        <translation>在打开此文件之前测得。</translation>
    </message>
    <message>
        <source>{method}, repaired</source>
        <translation>{method}，已修复</translation>
    </message>
    <message>
        <source>{method}, with {file}</source>
        <translation>{method}，使用 {file}</translation>
    </message>
    <message>
        <source>These results are of another state, so a click does not set the form.</source>
        <translation>这些结果属于另一个状态，因此点击不会设置表单。</translation>
    </message>
    <message>
        <source>Go to this state</source>
        <translation>转到此状态</translation>
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
        <source>Prunes one checked tensor at a time by each amount, and evaluates the model each time in a separate process. The open model is not changed. If you cancel, results so far are kept and the next scan continues from there.</source>
        <translation>每次按每个剪枝量剪枝一个勾选的张量，并在单独的进程中评估模型。打开的模型不会改变。取消时会保留已有结果，下次扫描从该处继续。</translation>
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
        <source>Fractions of the remaining weights of each tensor, separated by commas</source>
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
        <source>With the statistics of activations that are loaded in the form, where Wanda or another method that needs them is chosen; they must have Gram matrices.</source>
        <translation>使用表单中加载的激活统计（在表单中选择 Wanda 或其他需要它的方法）；需要格拉姆矩阵。</translation>
    </message>
</context>
<context>
    <name>ScriptConsent</name>
    <message>
        <source>This script has not been run before. Run it?</source>
        <translation>此脚本从未运行过。要运行吗？</translation>
    </message>
    <message>
        <source>This script has changed since it was last allowed to run. Run it?</source>
        <translation>此脚本自上次允许运行后已更改。要运行吗？</translation>
    </message>
    <message>
        <source>This script was last allowed to run with a different Python. Run it?</source>
        <translation>此脚本上次允许以另一个 Python 运行。要运行吗？</translation>
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
        <translation>脚本是程序：它可以读取和更改您的文件并使用网络，如同您亲自运行它。它在单独的进程中运行，但这不是沙箱。只运行您读过的脚本，或来自您信任的作者的脚本。</translation>
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
        <source>Python code copied. It writes &apos;{file}&apos;: run it, and open that file.</source>
        <translation>已复制 Python 代码。它写入“{file}”：请运行它，然后打开该文件。</translation>
    </message>
    <message>
        <source>Runs {program} in {folder}.</source>
        <translation>在 {folder} 中运行 {program}。</translation>
    </message>
    <message>
        <source>Runs with {python} ({found}).</source>
        <translation>使用 {python} 运行（{found}）。</translation>
    </message>
    <message>
        <source>▲ States are evaluated on the same data, so their metrics will be better than on other data.</source>
        <translation>▲ 各状态在相同的数据上评估，因此其指标会好于在其他数据上的指标。</translation>
    </message>
    <message>
        <source>Samples: at most {n} of the data of the script.</source>
        <translation>样本：最多使用脚本数据中的 {n} 个。</translation>
    </message>
    <message>
        <source>Evaluations use all samples: no function of the script has a parameter &apos;limit&apos;.</source>
        <translation>评估使用全部样本：脚本中没有函数带有参数 &apos;limit&apos;。</translation>
    </message>
    <message>
        <source>All samples of the script are used: its function for them has no parameter &apos;limit&apos;.</source>
        <translation>使用脚本的全部样本：其提供样本的函数没有参数 &apos;limit&apos;。</translation>
    </message>
    <message>
        <source>The script decides what a sample is.</source>
        <translation>样本的含义由脚本决定。</translation>
    </message>
    <message>
        <source>Samples: {n} runs of the model.</source>
        <translation>样本：模型运行 {n} 次。</translation>
    </message>
    <message>
        <source>Samples: {n} rows of random token IDs.</source>
        <translation>样本：{n} 行随机词元 ID。</translation>
    </message>
    <message>
        <source>Samples: at most {n} sentences of the text.</source>
        <translation>样本：文本中最多 {n} 个句子。</translation>
    </message>
    <message>
        <source>Samples: at most {n} windows of the text.</source>
        <translation>样本：文本中最多 {n} 个窗口。</translation>
    </message>
    <message>
        <source>Agreement with the unpruned model on random inputs.</source>
        <translation>在随机输入上与未剪枝模型的一致性。</translation>
    </message>
    <message>
        <source>Agreement with the unpruned model on random inputs, {sizes}.</source>
        <translation>在随机输入上与未剪枝模型的一致性，{sizes}。</translation>
    </message>
    <message>
        <source>Agreement with the unpruned model on random token IDs.</source>
        <translation>在随机词元 ID 上与未剪枝模型的一致性。</translation>
    </message>
    <message>
        <source>Each line of the text is a sentence: cosine between its embedding and that of the unpruned model.</source>
        <translation>文本的每一行是一个句子：其嵌入与未剪枝模型的嵌入之间的余弦。</translation>
    </message>
    <message>
        <source>Perplexity of the text.</source>
        <translation>文本的困惑度。</translation>
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
        <source>Metric by which the quality loss is measured</source>
        <translation>衡量质量损失的指标</translation>
    </message>
    <message>
        <source>Scan…</source>
        <translation>扫描…</translation>
    </message>
    <message>
        <source>Measure the quality loss of pruning each checked tensor alone</source>
        <translation>测量单独剪枝每个勾选张量的质量损失</translation>
    </message>
    <message>
        <source>Allocate…</source>
        <translation>分配…</translation>
    </message>
    <message>
        <source>Choose the sparsity of each tensor for the least predicted quality loss</source>
        <translation>为每个张量选择稀疏度，使预测的质量损失最小</translation>
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
        <source>Order of the tensors</source>
        <translation>张量的顺序</translation>
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
        <translation>剪枝比例，每次一个张量</translation>
    </message>
    <message>
        <source>Evaluate…</source>
        <translation>评估…</translation>
    </message>
    <message>
        <source>In tree order</source>
        <translation>按模块树的顺序</translation>
    </message>
    <message>
        <source>Choose the data or script that evaluates the model, and evaluate this state</source>
        <translation>选择用于评估模型的数据或脚本，并评估此状态</translation>
    </message>
    <message>
        <source>Scanning… The unpruned model is measured first.</source>
        <translation>正在扫描… 首先测量未剪枝模型。</translation>
    </message>
    <message>
        <source>No scan yet. Press Scan… to measure how far each tensor can be pruned.</source>
        <translation>尚未扫描。点击“扫描…”以测量每个张量可以剪枝到什么程度。</translation>
    </message>
    <message>
        <source>Which of the scans is shown</source>
        <translation>显示哪一次扫描</translation>
    </message>
    <message>
        <source>{name}, {amount} pruned:  {what}</source>
        <translation>{name}，{amount} 已剪枝：{what}</translation>
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
        <source>difference within noise ±{noise}</source>
        <translation>差异在噪声 ±{noise} 以内</translation>
    </message>
    <message>
        <source>{amount} worse</source>
        <translation>变差 {amount}</translation>
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
        <source>Method: {method}.</source>
        <translation>方法：{method}。</translation>
    </message>
    <message>
        <source>Evaluated with {data}.</source>
        <translation>使用 {data} 评估。</translation>
    </message>
    <message>
        <source>Before pruning: {metric} {value}.</source>
        <translation>剪枝之前：{metric} {value}。</translation>
    </message>
    <message>
        <source>{n} of {all} evaluations measured</source>
        <translation>{all} 次评估中已测量 {n} 次</translation>
    </message>
    <message>
        <source>no quality loss beyond the noise</source>
        <translation>没有超出噪声的质量损失</translation>
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
        <source>measured with</source>
        <translation>测量所用数据</translation>
    </message>
    <message>
        <source>Quality loss by tensor and amount</source>
        <translation>按张量和剪枝量的质量损失</translation>
    </message>
    <message>
        <source>Scanned state: {state} (current state).</source>
        <translation>扫描的状态：{state}（当前状态）。</translation>
    </message>
    <message>
        <source>Scanned state: {state} (not the current state).</source>
        <translation>扫描的状态：{state}（不是当前状态）。</translation>
    </message>
    <message>
        <source>Repeated evaluations of the unpruned model returned the same value, so all changes are caused by pruning. How much they differ with other data is unknown, because the evaluation returns no values per sample.</source>
        <translation>对未剪枝模型的多次评估得到相同的值，因此所有变化都由剪枝引起。它们在其他数据上会有多大差异尚不清楚，因为评估不返回每个样本的值。</translation>
    </message>
    <message>
        <source>most sensitive: {name}, {damage} worse at {amount}</source>
        <translation>最敏感：{name}，剪枝 {amount} 时变差 {damage}</translation>
    </message>
    <message>
        <source>{n} worse (logarithmic)</source>
        <translation>变差 {n}（对数）</translation>
    </message>
    <message>
        <source>0</source>
        <translation>0</translation>
    </message>
    <message>
        <source>≈: within the noise</source>
        <translation>≈：在噪声范围内</translation>
    </message>
    <message>
        <source>0: no change</source>
        <translation>0：无变化</translation>
    </message>
    <message>
        <source>✕: not a finite number</source>
        <translation>✕：不是有限数</translation>
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
        <source>from another state</source>
        <translation>来自其他状态</translation>
    </message>
    <message>
        <source>from another state, in an earlier run</source>
        <translation>来自其他状态，在之前的运行中测量</translation>
    </message>
</context>
<context>
    <name>Sentences</name>
    <message>
        <source>en</source>
        <extracomment>the name of the language, as in pruneapp_NAME.ts</extracomment>
        <translation>zh_CN</translation>
    </message>
    <message>
        <source>No group violates {n}:{m} along dim {dim}: there is nothing to repair.</source>
        <extracomment>sentences</extracomment>
        <translation>沿维度 {dim} 没有违反 {n}:{m} 的组：无需修复。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; cannot be shown: values of type {label} are packed.</source>
        <extracomment>sentences</extracomment>
        <translation>无法显示 &apos;{name}&apos;：{label} 类型的值是打包的。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has no norms: {why_not}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 没有范数：{why_not}。</translation>
    </message>
    <message>
        <source>Open a .safetensors file, a file that torch.save wrote, an ONNX model, or a model folder.</source>
        <extracomment>sentences</extracomment>
        <translation>请打开 .safetensors 文件、由 torch.save 写入的文件、ONNX 模型或模型文件夹。</translation>
    </message>
    <message>
        <source>Pruneapp reads checkpoints on little-endian machines only (this one is {byteorder}-endian).</source>
        <extracomment>sentences</extracomment>
        <translation>Pruneapp 只能在小端序机器上读取检查点（此机器的字节序为 {byteorder}-endian）。</translation>
    </message>
    <message>
        <source>Use a machine with an x86-64 or ARM processor.</source>
        <extracomment>sentences</extracomment>
        <translation>请使用 x86-64 或 ARM 处理器的机器。</translation>
    </message>
    <message>
        <source>Open it without choosing a state dict.</source>
        <extracomment>sentences</extracomment>
        <translation>请不指定状态字典直接打开。</translation>
    </message>
    <message>
        <source>There is a reader &apos;{name}&apos; already.</source>
        <extracomment>sentences</extracomment>
        <translation>已有名为 &apos;{name}&apos; 的读取器。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; in &apos;{path}&apos; is of type {name2}, which torch {version} does not have.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 中的 &apos;{name}&apos; 的类型为 {name2}，torch {version} 没有此类型。</translation>
    </message>
    <message>
        <source>Read it with Checkpoint.bits instead.</source>
        <extracomment>sentences</extracomment>
        <translation>请改用 Checkpoint.bits 读取。</translation>
    </message>
    <message>
        <source>`pruneapp inspect` lists the names.</source>
        <extracomment>sentences</extracomment>
        <translation>`pruneapp inspect` 可列出这些名称。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; in &apos;{path}&apos; cannot be read: {unreadable}.</source>
        <extracomment>sentences</extracomment>
        <translation>无法读取 &apos;{path}&apos; 中的 &apos;{name}&apos;：{unreadable}。</translation>
    </message>
    <message>
        <source>Download or copy it again.</source>
        <extracomment>sentences</extracomment>
        <translation>请重新下载或复制。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is not a valid file of Pruneapp: {what}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 不是有效的 Pruneapp 文件：{what}。</translation>
    </message>
    <message>
        <source>Download or save it again.</source>
        <extracomment>sentences</extracomment>
        <translation>请重新下载或保存。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; was written by a newer Pruneapp, in version {version} of its layout (this one reads version {VERSION}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 由较新的 Pruneapp 写入，其布局版本为 {version}（此 Pruneapp 只能读取版本 {VERSION}）。</translation>
    </message>
    <message>
        <source>Get the newest version of Pruneapp.</source>
        <extracomment>sentences</extracomment>
        <translation>请获取最新版本的 Pruneapp。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is not a valid safetensors file: {what}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 不是有效的 safetensors 文件：{what}。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is not a valid index of shards: {what}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 不是有效的分片索引：{what}。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is a recipe, not a checkpoint.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 是配方，不是检查点。</translation>
    </message>
    <message>
        <source>Apply it to a checkpoint: pruneapp run RECIPE FILE -o OUT</source>
        <extracomment>sentences</extracomment>
        <translation>请将其应用到检查点：pruneapp run RECIPE FILE -o OUT</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is a JSON file, but not an index of shards: it has no key &apos;weight_map&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 是 JSON 文件，但不是分片索引：它没有键 &apos;weight_map&apos;。</translation>
    </message>
    <message>
        <source>The download or copy was interrupted: get the file again.</source>
        <extracomment>sentences</extracomment>
        <translation>下载或复制被中断：请重新获取该文件。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is damaged: the bitmask of &apos;{show}&apos; is for {starts} values, but the file contains {kept}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 已损坏：&apos;{show}&apos; 的位掩码对应 {starts} 个值，但文件包含 {kept} 个。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is {what} that breaks a rule of its format: {what2}, at byte {at}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos;（{what}）违反了其格式的规则：{what2}，位于字节 {at}。</translation>
    </message>
    <message>
        <source>{n} byte is</source>
        <extracomment>sentences</extracomment>
        <translation>{n} 个字节</translation>
    </message>
    <message>
        <source>{n} bytes are</source>
        <extracomment>sentences</extracomment>
        <translation>{n} 个字节</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is not a safetensors file: it has {size} bytes, fewer than 8.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 不是 safetensors 文件：它只有 {size} 字节，少于 8 字节。</translation>
    </message>
    <message>
        <source>{n} byte follows</source>
        <extracomment>sentences</extracomment>
        <translation>{n} 个字节</translation>
    </message>
    <message>
        <source>{n} bytes follow</source>
        <extracomment>sentences</extracomment>
        <translation>{n} 个字节</translation>
    </message>
    <message>
        <source>{n} byte</source>
        <extracomment>sentences</extracomment>
        <translation>{n} 个字节</translation>
    </message>
    <message>
        <source>{n} bytes</source>
        <extracomment>sentences</extracomment>
        <translation>{n} 个字节</translation>
    </message>
    <message>
        <source>{n} tensor</source>
        <extracomment>sentences
----------
steps</extracomment>
        <translation>{n} 个张量</translation>
    </message>
    <message>
        <source>{n} tensors</source>
        <extracomment>sentences
----------
steps</extracomment>
        <translation>{n} 个张量</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is JSON text of {size} bytes; an index of shards has at most {MAX_INDEX_BYTES}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 是 {size} 字节的 JSON 文本；分片索引最多为 {MAX_INDEX_BYTES} 字节。</translation>
    </message>
    <message>
        <source>The {what} &apos;{path}&apos; is a link to &apos;{target}&apos;, outside the folder of the model.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos;（{what}）是指向 &apos;{target}&apos; 的链接，而该位置在模型的文件夹之外。</translation>
    </message>
    <message>
        <source>Put the file itself there if you trust it.</source>
        <extracomment>sentences</extracomment>
        <translation>如果您信任该文件，请将文件本身放到此处。</translation>
    </message>
    <message>
        <source>Open them one by one.</source>
        <extracomment>sentences</extracomment>
        <translation>请逐个打开。</translation>
    </message>
    <message>
        <source>{list} in two shards of &apos;{parent}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{parent}&apos; 中有张量同时存在于两个分片：{list}。</translation>
    </message>
    <message>
        <source>Remove the files that do not belong to the model.</source>
        <extracomment>sentences</extracomment>
        <translation>请移除不属于该模型的文件。</translation>
    </message>
    <message>
        <source>The {what} &apos;{show}&apos; is missing from &apos;{folder}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{folder}&apos; 中缺少 &apos;{show}&apos;（{what}）。</translation>
    </message>
    <message>
        <source>Download or copy the whole folder.</source>
        <extracomment>sentences</extracomment>
        <translation>请下载或复制整个文件夹。</translation>
    </message>
    <message>
        <source>&apos;{target}&apos; cannot be written: {what}.</source>
        <extracomment>sentences</extracomment>
        <translation>无法写入 &apos;{target}&apos;：{what}。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is a pipe, socket or device, not a regular file.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 是管道、套接字或设备，不是普通文件。</translation>
    </message>
    <message>
        <source>Choose another name.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择其他名称。</translation>
    </message>
    <message>
        <source>&apos;{target}&apos; was not written: the bytes read back from the disk differ from those that were written.</source>
        <extracomment>sentences</extracomment>
        <translation>未写入 &apos;{target}&apos;：从磁盘回读的字节与写入的字节不同。</translation>
    </message>
    <message>
        <source>Check the disk, or write to another one.</source>
        <extracomment>sentences</extracomment>
        <translation>请检查磁盘，或写入其他磁盘。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; was closed.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 已关闭。</translation>
    </message>
    <message>
        <source>Open it again.</source>
        <extracomment>sentences</extracomment>
        <translation>请重新打开。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; ends at byte {size}, but {stop} are needed.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 在字节 {size} 处结束，但需要 {stop} 字节。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; cannot be read at byte {start}: {words_of}.</source>
        <extracomment>sentences</extracomment>
        <translation>无法读取 &apos;{path}&apos; 的字节 {start} 处：{words_of}。</translation>
    </message>
    <message>
        <source>Check the connection to the store, then try again.</source>
        <extracomment>sentences</extracomment>
        <translation>请检查与存储的连接，然后重试。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; cannot be accessed: {words_of}.</source>
        <extracomment>sentences</extracomment>
        <translation>无法访问 &apos;{path}&apos;：{words_of}。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is {kind}, not a regular file.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 不是普通文件，而是：{kind}。</translation>
    </message>
    <message>
        <source>Open a file or a model folder.</source>
        <extracomment>sentences</extracomment>
        <translation>请打开文件或模型文件夹。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; cannot be opened: {words_of}.</source>
        <extracomment>sentences</extracomment>
        <translation>无法打开 &apos;{path}&apos;：{words_of}。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; was changed by another program while it was open.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 在打开期间被其他程序更改。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; cannot be opened: its name contains a character that file names cannot have.</source>
        <extracomment>sentences</extracomment>
        <translation>无法打开 &apos;{path}&apos;：其名称含有文件名不允许的字符。</translation>
    </message>
    <message>
        <source>Check the name.</source>
        <extracomment>sentences</extracomment>
        <translation>请检查名称。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; ends at byte {size}, but {value} are needed.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 在字节 {size} 处结束，但需要 {value} 字节。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; cannot be read at byte {value}: {words_of}.</source>
        <extracomment>sentences</extracomment>
        <translation>无法读取 &apos;{path}&apos; 的字节 {value} 处：{words_of}。</translation>
    </message>
    <message>
        <source>Check the disk or the network drive, then open the file again.</source>
        <extracomment>sentences</extracomment>
        <translation>请检查磁盘或网络驱动器，然后重新打开该文件。</translation>
    </message>
    <message>
        <source>The URL of an object must not contain &apos;:&apos; or &apos;?&apos; (got one that begins with &apos;{scheme}://&apos;).</source>
        <extracomment>sentences</extracomment>
        <translation>对象的 URL 中不能有 &apos;:&apos; 和 &apos;?&apos;（收到以 &apos;{scheme}://&apos; 开头的 URL）。</translation>
    </message>
    <message>
        <source>Passwords, keys and tokens do not belong in a URL: put them where the tools of the store look for them, such as AWS_PROFILE, or ~/.aws/credentials.</source>
        <extracomment>sentences</extracomment>
        <translation>密码、密钥和令牌不应写在 URL 中：请放在存储的工具会查找的位置，例如 AWS_PROFILE 或 ~/.aws/credentials。</translation>
    </message>
    <message>
        <source>Pruneapp opens files, and URLs that begin with s3://, gs://, az:// or hf:// (got &apos;{scheme}://&apos;).</source>
        <extracomment>sentences</extracomment>
        <translation>Pruneapp 可打开文件，以及以 s3://、gs://、az:// 或 hf:// 开头的 URL（收到 &apos;{scheme}://&apos;）。</translation>
    </message>
    <message>
        <source>Download it first, then open the file.</source>
        <extracomment>sentences</extracomment>
        <translation>请先下载，再打开该文件。</translation>
    </message>
    <message>
        <source>&apos;{text}&apos; names no object.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{text}&apos; 没有指定对象。</translation>
    </message>
    <message>
        <source>Write {scheme}://BUCKET/NAME.</source>
        <extracomment>sentences</extracomment>
        <translation>请写成 {scheme}://BUCKET/NAME。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; cannot be written: Pruneapp reads from Hugging Face and uploads nothing.</source>
        <extracomment>sentences</extracomment>
        <translation>无法写入 &apos;{path}&apos;：Pruneapp 只从 Hugging Face 读取，不上传任何内容。</translation>
    </message>
    <message>
        <source>Export to a folder, then upload that with `hf upload`.</source>
        <extracomment>sentences</extracomment>
        <translation>请导出到文件夹，然后用 `hf upload` 上传。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; cannot be reached: no credentials were found.</source>
        <extracomment>sentences</extracomment>
        <translation>无法访问 &apos;{path}&apos;：未找到凭据。</translation>
    </message>
    <message>
        <source>Put them where the tools of AWS look for them (`aws configure`, AWS_PROFILE); for a public bucket, set FSSPEC_S3_ANON=true.</source>
        <extracomment>sentences</extracomment>
        <translation>请将凭据放在 AWS 工具会查找的位置（`aws configure`、AWS_PROFILE）；对于公开的存储桶，请设置 FSSPEC_S3_ANON=true。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is in a store, and the package {package}, which reaches it, cannot be imported.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 位于存储中，但无法导入用于访问它的软件包 {package}。</translation>
    </message>
    <message>
        <source>Install it: {install}</source>
        <extracomment>sentences</extracomment>
        <translation>请安装：{install}</translation>
    </message>
    <message>
        <source>&apos;{target}&apos; was not written: the bytes read back from the store differ from those that were written.</source>
        <extracomment>sentences</extracomment>
        <translation>未写入 &apos;{target}&apos;：从存储回读的字节与写入的字节不同。</translation>
    </message>
    <message>
        <source>Export again; if it happens again, contact the operator of the store.</source>
        <extracomment>sentences</extracomment>
        <translation>请重新导出；若再次发生，请告知存储的管理者。</translation>
    </message>
    <message>
        <source>&apos;{target}&apos; cannot be written: {words_of}.</source>
        <extracomment>sentences</extracomment>
        <translation>无法写入 &apos;{target}&apos;：{words_of}。</translation>
    </message>
    <message>
        <source>&apos;{target}&apos; {was} during the export, so it was not replaced.</source>
        <extracomment>sentences</extracomment>
        <translation>导出期间 &apos;{target}&apos; 已被改动（{was}），因此未被替换。</translation>
    </message>
    <message>
        <source>&apos;framework&apos; must be &apos;np&apos; (numpy) or &apos;pt&apos; (torch) (got {framework}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;framework&apos; 必须为 &apos;np&apos; (numpy) 或 &apos;pt&apos; (torch)（收到 {framework}）。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is not a compact file of Pruneapp ({label}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 不是 Pruneapp 的紧凑文件（{label}）。</translation>
    </message>
    <message>
        <source>Open it with pruneapp.open_checkpoint.</source>
        <extracomment>sentences</extracomment>
        <translation>请用 pruneapp.open_checkpoint 打开。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; {what}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos;：{what}。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is empty.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 为空。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; begins with nothing but zeros.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 的开头全是零。</translation>
    </message>
    <message>
        <source>The download was interrupted: get the file again.</source>
        <extracomment>sentences</extracomment>
        <translation>下载被中断：请重新获取该文件。</translation>
    </message>
    <message>
        <source>Open a folder with {join} or {last} files.</source>
        <extracomment>sentences</extracomment>
        <translation>请打开包含 {join} 或 {last} 文件的文件夹。</translation>
    </message>
    <message>
        <source>Open one of these files.</source>
        <extracomment>sentences</extracomment>
        <translation>请打开其中一个文件。</translation>
    </message>
    <message>
        <source>Download or copy the whole folder, or open one shard by itself.</source>
        <extracomment>sentences</extracomment>
        <translation>请下载或复制整个文件夹，或单独打开一个分片。</translation>
    </message>
    <message>
        <source>The folder &apos;{folder}&apos; is {what}.</source>
        <extracomment>sentences</extracomment>
        <translation>不支持文件夹 &apos;{folder}&apos;，其内容为：{what}。</translation>
    </message>
    <message>
        <source>The folder &apos;{folder}&apos; cannot be read: {words_of}.</source>
        <extracomment>sentences</extracomment>
        <translation>无法读取文件夹 &apos;{folder}&apos;：{words_of}。</translation>
    </message>
    <message>
        <source>Check the folder and your permission to read it.</source>
        <extracomment>sentences</extracomment>
        <translation>请检查该文件夹以及您的读取权限。</translation>
    </message>
    <message>
        <source>{get} of &apos;{path}&apos; crashed the process that reads them (exit status {wait}).</source>
        <extracomment>sentences</extracomment>
        <translation>读取 &apos;{path}&apos; 的内容（{get}）时，读取进程中止（退出状态 {wait}）。</translation>
    </message>
    <message>
        <source>There may not be enough memory for them.</source>
        <extracomment>sentences</extracomment>
        <translation>可能没有足够的内存。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is damaged: {what} of the sparse tensor &apos;{name}&apos; {rule}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 已损坏：稀疏张量 &apos;{name}&apos; 的 {what} 有误（{rule}）。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is damaged: the bytes of {label} are not those that were saved (their checksum differs).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 已损坏：{label} 的字节与保存时不同（校验和不一致）。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is compressed, and reading on needs {nbytes} bytes in &apos;{place}&apos;, where {free} are free.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 是压缩文件，继续读取需要 &apos;{place}&apos; 中的 {nbytes} 字节，而该处只有 {free} 字节可用。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos;: {label} would grow from {stored} to {size} bytes when decompressed, more than the factor of {MAX_RATIO} that deflate can reach.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos;：{label} 解压后会从 {stored} 字节增长到 {size} 字节，超过了 deflate 所能达到的倍数 {MAX_RATIO}。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is compressed and needs {size} bytes in &apos;{gettempdir}&apos;, which failed: {words_of}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 是压缩文件，需要 &apos;{gettempdir}&apos; 中的 {size} 字节，但失败了：{words_of}。</translation>
    </message>
    <message>
        <source>Choose one of: {named}.</source>
        <extracomment>sentences</extracomment>
        <translation>请从以下选择一个：{named}。</translation>
    </message>
    <message>
        <source>Load it with torch and save its state_dict as dense tensors.</source>
        <extracomment>sentences</extracomment>
        <translation>请用 torch 加载，并将其 state_dict 保存为稠密张量。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is damaged: {fault}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 已损坏：{fault}。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; {fault}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos;：{fault}。</translation>
    </message>
    <message>
        <source>The cluster at &apos;{address}&apos; is gone.</source>
        <extracomment>sentences</extracomment>
        <translation>位于 &apos;{address}&apos; 的集群已不可用。</translation>
    </message>
    <message>
        <source>Start it again, then run the same job again (on the command line with --resume): written files are kept.</source>
        <extracomment>sentences</extracomment>
        <translation>请重新启动集群，然后再执行一次（在命令行中加上 --resume）：已写入的内容不会重复写入。</translation>
    </message>
    <message>
        <source>Running on a cluster needs Dask, which is not installed.</source>
        <extracomment>sentences</extracomment>
        <translation>在集群上运行需要 Dask，但尚未安装。</translation>
    </message>
    <message>
        <source>Install it: pip install &apos;pruneapp[cluster]&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>请安装：pip install &apos;pruneapp[cluster]&apos;。</translation>
    </message>
    <message>
        <source>A cluster is specified by the address of its Dask scheduler, such as tcp://host:8786, or by local:N for N processes on this machine (got &apos;{address}&apos;).</source>
        <extracomment>sentences</extracomment>
        <translation>集群由其 Dask 调度器的地址指定，例如 tcp://host:8786；或写 local:N，表示此机器上的 N 个进程（收到 &apos;{address}&apos;）。</translation>
    </message>
    <message>
        <source>Workers died one after another on the same task.</source>
        <extracomment>sentences</extracomment>
        <translation>工作进程在执行同一工作时接连终止。</translation>
    </message>
    <message>
        <source>Check their logs; they may have too little memory.</source>
        <extracomment>sentences</extracomment>
        <translation>请查看它们的日志；可能是内存不足。</translation>
    </message>
    <message>
        <source>The cluster at &apos;{address}&apos; has no workers.</source>
        <extracomment>sentences</extracomment>
        <translation>位于 &apos;{address}&apos; 的集群没有工作进程。</translation>
    </message>
    <message>
        <source>Start some, such as with `dask worker ADDRESS`.</source>
        <extracomment>sentences</extracomment>
        <translation>请启动一些，例如用 `dask worker ADDRESS`。</translation>
    </message>
    <message>
        <source>Pruneapp is not installed on the worker {worker}.</source>
        <extracomment>sentences</extracomment>
        <translation>工作进程 {worker} 上未安装 Pruneapp。</translation>
    </message>
    <message>
        <source>Install it there: pip install &apos;pruneapp[cluster]=={version}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>请在该处安装：pip install &apos;pruneapp[cluster]=={version}&apos;。</translation>
    </message>
    <message>
        <source>No Dask scheduler answers at &apos;{address}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{address}&apos; 处没有响应的 Dask 调度器。</translation>
    </message>
    <message>
        <source>Check the address, and that the scheduler runs.</source>
        <extracomment>sentences</extracomment>
        <translation>请检查地址，并确认调度器正在运行。</translation>
    </message>
    <message>
        <source>{counted} could not be started on this machine.</source>
        <extracomment>sentences</extracomment>
        <translation>无法在此机器上启动 {counted}。</translation>
    </message>
    <message>
        <source>Choose fewer of them, and check how much memory is free.</source>
        <extracomment>sentences</extracomment>
        <translation>请减少数量，并查看可用内存。</translation>
    </message>
    <message>
        <source>The worker {worker} has {name} {other}, but this machine has {one}.</source>
        <extracomment>sentences</extracomment>
        <translation>工作进程 {worker} 的 {name} 为 {other}，而此机器为 {one}。</translation>
    </message>
    <message>
        <source>its frames have no valid size</source>
        <extracomment>sentences</extracomment>
        <translation>其数据帧的大小不合理</translation>
    </message>
    <message>
        <source>its metadata lists no tensors</source>
        <extracomment>sentences</extracomment>
        <translation>其元数据没有列出张量</translation>
    </message>
    <message>
        <source>what it keeps of the original&apos;s metadata is not text</source>
        <extracomment>sentences</extracomment>
        <translation>它所保留的原文件元数据不是文本</translation>
    </message>
    <message>
        <source>&apos;{show}&apos; has no valid type and shape</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos; 的类型和形状不合理</translation>
    </message>
    <message>
        <source>&apos;{show}&apos; is of a type whose elements share bytes</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos; 的类型中多个元素共用字节</translation>
    </message>
    <message>
        <source>&apos;{show}&apos; has the shape {list}</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos; 的形状为 {list}</translation>
    </message>
    <message>
        <source>frame {number}</source>
        <extracomment>sentences</extracomment>
        <translation>数据帧 {number}</translation>
    </message>
    <message>
        <source>the index</source>
        <extracomment>sentences</extracomment>
        <translation>索引</translation>
    </message>
    <message>
        <source>&apos;{show}&apos; is described twice, in two ways</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos; 有两份不同的描述</translation>
    </message>
    <message>
        <source>its metadata &apos;{KEY}&apos; has no version</source>
        <extracomment>sentences</extracomment>
        <translation>其元数据 &apos;{KEY}&apos; 没有版本</translation>
    </message>
    <message>
        <source>it lacks &apos;{show}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>缺少 &apos;{show}&apos;</translation>
    </message>
    <message>
        <source>&apos;{show}&apos; is of type {tensor}, not {dtype}</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos; 的类型为 {tensor}，而不是 {dtype}</translation>
    </message>
    <message>
        <source>&apos;{show}&apos; has no valid shape</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos; 的形状不合理</translation>
    </message>
    <message>
        <source>&apos;{show}&apos; has more than 2^63 elements</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos; 的元素超过 2^63 个</translation>
    </message>
    <message>
        <source>in its metadata &apos;{KEY}&apos;, {what}</source>
        <extracomment>sentences</extracomment>
        <translation>其元数据 &apos;{KEY}&apos; 中：{what}</translation>
    </message>
    <message>
        <source>&apos;{show}&apos; does not have {numel} numbers</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos; 的数值不是 {numel} 个</translation>
    </message>
    <message>
        <source>a pair of texts has no length</source>
        <extracomment>sentences</extracomment>
        <translation>一对文本没有长度</translation>
    </message>
    <message>
        <source>it has {value} graphs instead of one</source>
        <extracomment>sentences</extracomment>
        <translation>含有 {value} 个计算图，而不是一个</translation>
    </message>
    <message>
        <source>two tensors are called &apos;{show}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>有两个名为 &apos;{show}&apos; 的张量</translation>
    </message>
    <message>
        <source>&apos;{show}&apos; has an extent that no tensor can have</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos; 的某个维度大小是张量不可能有的</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is of the unknown type {data_type}</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 的类型 {data_type} 未知</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has no numbers</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 没有数值</translation>
    </message>
    <message>
        <source>the numbers of &apos;{name}&apos; have no length</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 的数值没有长度</translation>
    </message>
    <message>
        <source>the numbers of &apos;{name}&apos; are in a field for another type</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 的数值位于其他类型的字段中</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has {size} bytes, not {nbytes}</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 有 {size} 字节，而不是 {nbytes}</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; would have {length} bytes in &apos;{show}&apos;, not {nbytes}</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 在 &apos;{show}&apos; 中将有 {length} 字节，而不是 {nbytes}</translation>
    </message>
    <message>
        <source>&apos;{show}&apos; has the {key} &apos;{show2}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos; 的 {key} 为 &apos;{show2}&apos;</translation>
    </message>
    <message>
        <source>a part of the graph has no length</source>
        <extracomment>sentences</extracomment>
        <translation>计算图的一部分没有长度</translation>
    </message>
    <message>
        <source>a part of a node has no length</source>
        <extracomment>sentences</extracomment>
        <translation>节点的一部分没有长度</translation>
    </message>
    <message>
        <source>a part of an attribute has no length</source>
        <extracomment>sentences</extracomment>
        <translation>属性的一部分没有长度</translation>
    </message>
    <message>
        <source>the graph has no length</source>
        <extracomment>sentences</extracomment>
        <translation>计算图没有长度</translation>
    </message>
    <message>
        <source>a tensor has over {MAX_RANK} dimensions</source>
        <extracomment>sentences</extracomment>
        <translation>有张量的维度超过 {MAX_RANK} 个</translation>
    </message>
    <message>
        <source>its shape is {list}</source>
        <extracomment>sentences</extracomment>
        <translation>其形状为 {list}</translation>
    </message>
    <message>
        <source>its bitmask is not that of the shape {list}</source>
        <extracomment>sentences</extracomment>
        <translation>其位掩码与形状 {list} 不符</translation>
    </message>
    <message>
        <source>its numbers are of type {dtype}</source>
        <extracomment>sentences</extracomment>
        <translation>其数值的类型为 {dtype}</translation>
    </message>
    <message>
        <source>its metadata lists no shapes</source>
        <extracomment>sentences</extracomment>
        <translation>其元数据没有列出形状</translation>
    </message>
    <message>
        <source>&apos;{value}&apos; has {value2} bytes, not one bit for each of {numel}</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{value}&apos; 有 {value2} 字节，不是 {numel} 个元素各一位</translation>
    </message>
    <message>
        <source>a number does not end</source>
        <extracomment>sentences</extracomment>
        <translation>有数没有结尾</translation>
    </message>
    <message>
        <source>a name has {size} bytes, {most} are the most</source>
        <extracomment>sentences</extracomment>
        <translation>有名称为 {size} 字节，最多为 {most} 字节</translation>
    </message>
    <message>
        <source>whole numbers are of wire type {wire}</source>
        <extracomment>sentences</extracomment>
        <translation>整数的 wire 类型为 {wire}</translation>
    </message>
    <message>
        <source>a field is of wire type {wire}</source>
        <extracomment>sentences</extracomment>
        <translation>有字段的 wire 类型为 {wire}</translation>
    </message>
    <message>
        <source>the zip archive contradicts itself about the checksum of &apos;{name}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>zip 归档中 &apos;{name}&apos; 的校验和自相矛盾</translation>
    </message>
    <message>
        <source>the zip directory lacks the size of &apos;{name}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>zip 目录中缺少 &apos;{name}&apos; 的大小</translation>
    </message>
    <message>
        <source>Join the parts with the program that made them (zip -s 0 IN.zip --out OUT.zip).</source>
        <extracomment>sentences</extracomment>
        <translation>请用生成它们的程序合并各部分 (zip -s 0 IN.zip --out OUT.zip)。</translation>
    </message>
    <message>
        <source>a column</source>
        <extracomment>sentences</extracomment>
        <translation>一个列索引</translation>
    </message>
    <message>
        <source>is not between 0 and {value}</source>
        <extracomment>sentences</extracomment>
        <translation>不在 0 到 {value} 之间</translation>
    </message>
    <message>
        <source>the columns</source>
        <extracomment>sentences</extracomment>
        <translation>列索引</translation>
    </message>
    <message>
        <source>do not ascend within a row</source>
        <extracomment>sentences</extracomment>
        <translation>在行内不是递增的</translation>
    </message>
    <message>
        <source>a row pointer</source>
        <extracomment>sentences</extracomment>
        <translation>一个行指针</translation>
    </message>
    <message>
        <source>is not between 0 and {count}</source>
        <extracomment>sentences</extracomment>
        <translation>不在 0 到 {count} 之间</translation>
    </message>
    <message>
        <source>the row pointers</source>
        <extracomment>sentences</extracomment>
        <translation>行指针</translation>
    </message>
    <message>
        <source>do not go from 0 to its {count} values</source>
        <extracomment>sentences</extracomment>
        <translation>没有从 0 到其 {count} 个值</translation>
    </message>
    <message>
        <source>do not ascend</source>
        <extracomment>sentences</extracomment>
        <translation>不是递增的</translation>
    </message>
    <message>
        <source>Open the program that torch.export.save wrote before it was compiled.</source>
        <extracomment>sentences</extracomment>
        <translation>请打开编译之前由 torch.export.save 写入的程序。</translation>
    </message>
    <message>
        <source>is an archive of torch.export of version {shown}, and only version 0 is known</source>
        <extracomment>sentences</extracomment>
        <translation>是版本 {shown} 的 torch.export 归档，而只认识版本 0</translation>
    </message>
    <message>
        <source>Update Pruneapp, or export the model with an older torch.</source>
        <extracomment>sentences</extracomment>
        <translation>请更新 Pruneapp，或用较旧的 torch 导出模型。</translation>
    </message>
    <message>
        <source>is a program of version {major} of the schema of torch.export, and only version {MAJOR} is known</source>
        <extracomment>sentences</extracomment>
        <translation>是 torch.export schema 版本 {major} 的程序，而只认识版本 {MAJOR}</translation>
    </message>
    <message>
        <source>Export the model again with the torch that Pruneapp knows, or update Pruneapp.</source>
        <extracomment>sentences</extracomment>
        <translation>请用 Pruneapp 所认识的 torch 版本重新导出模型，或更新 Pruneapp。</translation>
    </message>
    <message>
        <source>is a program of torch.export that keeps its weights in a pickle</source>
        <extracomment>sentences</extracomment>
        <translation>是把权重存于 pickle 中的 torch.export 程序</translation>
    </message>
    <message>
        <source>Export the model again with torch.export.save of torch 2.9 or newer.</source>
        <extracomment>sentences</extracomment>
        <translation>请用 torch 2.9 或更高版本的 torch.export.save 重新导出模型。</translation>
    </message>
    <message>
        <source>the numbers of &apos;{name}&apos; are missing</source>
        <extracomment>sentences</extracomment>
        <translation>缺少 &apos;{name}&apos; 的数值</translation>
    </message>
    <message>
        <source>its &apos;{name}&apos; cannot be read: {what}</source>
        <extracomment>sentences</extracomment>
        <translation>无法读取其中的 &apos;{name}&apos;：{what}</translation>
    </message>
    <message>
        <source>it does not begin with torch&apos;s magic number</source>
        <extracomment>sentences</extracomment>
        <translation>它不以 torch 的魔数开头</translation>
    </message>
    <message>
        <source>has a version of torch&apos;s old format other than {PROTOCOL}</source>
        <extracomment>sentences</extracomment>
        <translation>的 torch 旧格式版本不是 {PROTOCOL}</translation>
    </message>
    <message>
        <source>the list of its storages is not well-formed</source>
        <extracomment>sentences</extracomment>
        <translation>其存储列表的格式不正确</translation>
    </message>
    <message>
        <source>storage &apos;{value}&apos; is missing</source>
        <extracomment>sentences</extracomment>
        <translation>缺少存储 &apos;{value}&apos;</translation>
    </message>
    <message>
        <source>storage &apos;{key}&apos; should have {value} elements and has {count}</source>
        <extracomment>sentences</extracomment>
        <translation>存储 &apos;{key}&apos; 应有 {value} 个元素，实际为 {count} 个</translation>
    </message>
    <message>
        <source>the state of a numpy array in its pickle is not well-formed</source>
        <extracomment>sentences</extracomment>
        <translation>其 pickle 中 numpy 数组的状态格式不正确</translation>
    </message>
    <message>
        <source>a numpy array of shape {list} needs {nbytes} bytes and has {len}</source>
        <extracomment>sentences</extracomment>
        <translation>形状为 {list} 的 numpy 数组需要 {nbytes} 字节，实际为 {len} 字节</translation>
    </message>
    <message>
        <source>the type of a numpy array in its pickle is not well-formed</source>
        <extracomment>sentences</extracomment>
        <translation>其 pickle 中 numpy 数组的类型格式不正确</translation>
    </message>
    <message>
        <source>the shape of a numpy array in its pickle is not well-formed</source>
        <extracomment>sentences</extracomment>
        <translation>其 pickle 中 numpy 数组的形状格式不正确</translation>
    </message>
    <message>
        <source>a numpy array is larger than any memory</source>
        <extracomment>sentences</extracomment>
        <translation>有 numpy 数组大于任何内存</translation>
    </message>
    <message>
        <source>the order of the axes of a numpy array is not well-formed</source>
        <extracomment>sentences</extracomment>
        <translation>numpy 数组的轴顺序格式不正确</translation>
    </message>
    <message>
        <source>the order of a numpy array in its pickle is not well-formed</source>
        <extracomment>sentences</extracomment>
        <translation>其 pickle 中 numpy 数组的顺序格式不正确</translation>
    </message>
    <message>
        <source>{path} is given {len} values and needs {count}</source>
        <extracomment>sentences</extracomment>
        <translation>{path} 收到 {len} 个值，需要 {count} 个</translation>
    </message>
    <message>
        <source>a tensor in its pickle views bytes without a type</source>
        <extracomment>sentences</extracomment>
        <translation>其 pickle 中有张量引用了没有类型的字节</translation>
    </message>
    <message>
        <source>a tensor has the unknown type {named}</source>
        <extracomment>sentences</extracomment>
        <translation>有张量的类型 {named} 未知</translation>
    </message>
    <message>
        <source>a sparse tensor has the unknown layout {layout}</source>
        <extracomment>sentences</extracomment>
        <translation>有稀疏张量的布局 {layout} 未知</translation>
    </message>
    <message>
        <source>a nested tensor lacks one of its parts</source>
        <extracomment>sentences</extracomment>
        <translation>有嵌套张量缺少其组成部分</translation>
    </message>
    <message>
        <source>a sparse tensor lacks its {name}</source>
        <extracomment>sentences</extracomment>
        <translation>有稀疏张量缺少 {name}</translation>
    </message>
    <message>
        <source>bytes in its pickle are not well-formed</source>
        <extracomment>sentences</extracomment>
        <translation>其 pickle 中的字节格式不正确</translation>
    </message>
    <message>
        <source>an index of the sparse tensor &apos;{name}&apos; points outside it</source>
        <extracomment>sentences</extracomment>
        <translation>稀疏张量 &apos;{name}&apos; 的一个索引超出其范围</translation>
    </message>
    <message>
        <source>the name of a tensor has more than {MAX_NAME} characters</source>
        <extracomment>sentences</extracomment>
        <translation>有张量的名称超过 {MAX_NAME} 个字符</translation>
    </message>
    <message>
        <source>the names of its tensors are longer than any model&apos;s</source>
        <extracomment>sentences</extracomment>
        <translation>其张量名称的总长超过了任何模型</translation>
    </message>
    <message>
        <source>its pickle refers to the same tensors too many times</source>
        <extracomment>sentences</extracomment>
        <translation>其 pickle 引用相同张量的次数过多</translation>
    </message>
    <message>
        <source>a storage has the unknown type {named}</source>
        <extracomment>sentences</extracomment>
        <translation>有存储的类型 {named} 未知</translation>
    </message>
    <message>
        <source>a tensor in its pickle has no storage</source>
        <extracomment>sentences</extracomment>
        <translation>其 pickle 中有张量没有存储</translation>
    </message>
    <message>
        <source>a tensor has {len} dimensions and {len2} strides</source>
        <extracomment>sentences</extracomment>
        <translation>有张量的维度为 {len} 个，而步幅为 {len2} 个</translation>
    </message>
    <message>
        <source>a tensor has {len} dimensions (at most {MAX_RANK} are read)</source>
        <extracomment>sentences</extracomment>
        <translation>有张量的维度为 {len} 个（最多读取 {MAX_RANK} 个）</translation>
    </message>
    <message>
        <source>a tensor is larger than any memory</source>
        <extracomment>sentences</extracomment>
        <translation>有张量大于任何内存</translation>
    </message>
    <message>
        <source>a storage in its pickle has no name</source>
        <extracomment>sentences</extracomment>
        <translation>其 pickle 中有存储没有名称</translation>
    </message>
    <message>
        <source>the view of storage &apos;{key}&apos; is not well-formed</source>
        <extracomment>sentences</extracomment>
        <translation>存储 &apos;{key}&apos; 的视图格式不正确</translation>
    </message>
    <message>
        <source>a view of storage &apos;{key}&apos; goes beyond its end</source>
        <extracomment>sentences</extracomment>
        <translation>存储 &apos;{key}&apos; 的一个视图超出其末尾</translation>
    </message>
    <message>
        <source>a tensor of shape {list} needs {needed} bytes of storage &apos;{key}&apos;, which has {nbytes}</source>
        <extracomment>sentences</extracomment>
        <translation>形状为 {list} 的张量需要存储 &apos;{key}&apos; 的 {needed} 字节，而该存储只有 {nbytes} 字节</translation>
    </message>
    <message>
        <source>a tensor of shape {list} makes {value} bytes out of a storage of {nbytes}</source>
        <extracomment>sentences</extracomment>
        <translation>形状为 {list} 的张量把 {nbytes} 字节的存储变成了 {value} 字节</translation>
    </message>
    <message>
        <source>an instruction of its pickle lacks its operands</source>
        <extracomment>sentences</extracomment>
        <translation>其 pickle 的一条指令缺少操作数</translation>
    </message>
    <message>
        <source>a number has {len} digits (at most 154 are read)</source>
        <extracomment>sentences</extracomment>
        <translation>有数为 {len} 位（最多读取 154 位）</translation>
    </message>
    <message>
        <source>a line of the pickle should be text in quotes, and is not</source>
        <extracomment>sentences</extracomment>
        <translation>pickle 的一行应为引号中的文本，但不是</translation>
    </message>
    <message>
        <source>its pickle has more than {MAX_OPS} instructions</source>
        <extracomment>sentences</extracomment>
        <translation>其 pickle 的指令超过 {MAX_OPS} 条</translation>
    </message>
    <message>
        <source>byte {value} of its pickle, {code}, is no instruction</source>
        <extracomment>sentences</extracomment>
        <translation>其 pickle 的字节 {value} ({code}) 不是指令</translation>
    </message>
    <message>
        <source>its pickle has a key without a value</source>
        <extracomment>sentences</extracomment>
        <translation>其 pickle 中有键没有值</translation>
    </message>
    <message>
        <source>a line of the pickle should be a number, and is not</source>
        <extracomment>sentences</extracomment>
        <translation>pickle 的一行应为数，但不是</translation>
    </message>
    <message>
        <source>a text in the pickle is not UTF-8</source>
        <extracomment>sentences</extracomment>
        <translation>pickle 中有文本不是 UTF-8</translation>
    </message>
    <message>
        <source>a text in its pickle has {size} bytes (at most {MAX_TEXT})</source>
        <extracomment>sentences</extracomment>
        <translation>其 pickle 中有文本为 {size} 字节（最多 {MAX_TEXT}）</translation>
    </message>
    <message>
        <source>its pickle ends in the middle</source>
        <extracomment>sentences</extracomment>
        <translation>其 pickle 在中途结束</translation>
    </message>
    <message>
        <source>its pickle has protocol {version} (at most 5 is known)</source>
        <extracomment>sentences</extracomment>
        <translation>其 pickle 的协议为 {version}（最高认识 5）</translation>
    </message>
    <message>
        <source>a number has {size} bytes (at most {MAX_LONG_BYTES} are read)</source>
        <extracomment>sentences</extracomment>
        <translation>有数为 {size} 字节（最多读取 {MAX_LONG_BYTES} 字节）</translation>
    </message>
    <message>
        <source>its pickle is nested more than {MAX_DEPTH} deep</source>
        <extracomment>sentences</extracomment>
        <translation>其 pickle 的嵌套超过 {MAX_DEPTH} 层</translation>
    </message>
    <message>
        <source>a line of its pickle has more than {MAX_TEXT} bytes</source>
        <extracomment>sentences</extracomment>
        <translation>其 pickle 的一行超过 {MAX_TEXT} 字节</translation>
    </message>
    <message>
        <source>a text in its pickle is not well-formed</source>
        <extracomment>sentences</extracomment>
        <translation>其 pickle 中有文本格式不正确</translation>
    </message>
    <message>
        <source>its pickle sets the state of something that has none</source>
        <extracomment>sentences</extracomment>
        <translation>其 pickle 为没有状态的内容设置状态</translation>
    </message>
    <message>
        <source>its byteorder is neither little nor big</source>
        <extracomment>sentences</extracomment>
        <translation>其字节序既不是 little 也不是 big</translation>
    </message>
    <message>
        <source>Install the same versions everywhere.</source>
        <extracomment>sentences</extracomment>
        <translation>请在所有机器上安装相同的版本。</translation>
    </message>
    <message>
        <source>{counted} died one after another on the same task ({value}).</source>
        <extracomment>sentences</extracomment>
        <translation>{counted} 在执行同一工作（{value}）时接连终止。</translation>
    </message>
    <message>
        <source>{n} process</source>
        <extracomment>sentences</extracomment>
        <translation>{n} 个进程</translation>
    </message>
    <message>
        <source>{n} processes</source>
        <extracomment>sentences</extracomment>
        <translation>{n} 个进程</translation>
    </message>
    <message>
        <source>{n} worker</source>
        <extracomment>sentences</extracomment>
        <translation>{n} 个工作进程</translation>
    </message>
    <message>
        <source>{n} workers</source>
        <extracomment>sentences</extracomment>
        <translation>{n} 个工作进程</translation>
    </message>
    <message>
        <source>The format &apos;{form}&apos; cannot be written on a cluster yet.</source>
        <extracomment>sentences</extracomment>
        <translation>尚不支持在集群上写入格式 &apos;{form}&apos;。</translation>
    </message>
    <message>
        <source>Choose safetensors, and convert it afterwards.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择 safetensors，之后再转换。</translation>
    </message>
    <message>
        <source>&apos;{target}&apos; cannot be written on a cluster: S3 is the only store that accepts an object in parts from several machines.</source>
        <extracomment>sentences</extracomment>
        <translation>无法在集群上写入 &apos;{target}&apos;：在各种存储中，只有 S3 支持由多台机器分段写入一个对象。</translation>
    </message>
    <message>
        <source>Write to S3, or to a folder that every worker sees.</source>
        <extracomment>sentences</extracomment>
        <translation>请写入 S3，或写入每个工作进程都能访问的文件夹。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; would have {nbytes} bytes there, but {nbytes2} were planned, which is a bug in Pruneapp.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 在该处会有 {nbytes} 字节，但计划为 {nbytes2} 字节，这是 Pruneapp 的缺陷。</translation>
    </message>
    <message>
        <source>Run it without --cluster, and report this.</source>
        <extracomment>sentences</extracomment>
        <translation>请不带 --cluster 运行，并报告此问题。</translation>
    </message>
    <message>
        <source>Run it on this machine.</source>
        <extracomment>sentences</extracomment>
        <translation>请在此机器上运行。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is a different file there: its size or modification time differs from that on the client.</source>
        <extracomment>sentences</extracomment>
        <translation>该处的 &apos;{path}&apos; 是另一个文件：其大小或时间与客户端的不同。</translation>
    </message>
    <message>
        <source>Use a path that every worker sees, and do not change the model meanwhile.</source>
        <extracomment>sentences</extracomment>
        <translation>请使用每个工作进程都能访问的路径，并在此期间不要更改模型。</translation>
    </message>
    <message>
        <source>Use a path that every worker sees.</source>
        <extracomment>sentences</extracomment>
        <translation>请使用每个工作进程都能访问的路径。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; cannot be opened there: {sentence}</source>
        <extracomment>sentences</extracomment>
        <translation>无法在该处打开 &apos;{path}&apos;：{sentence}</translation>
    </message>
    <message>
        <source>Use a path that every worker sees, such as one on a shared file system.</source>
        <extracomment>sentences</extracomment>
        <translation>请使用每个工作进程都能访问的路径，例如共享文件系统上的路径。</translation>
    </message>
    <message>
        <source>{what} cannot run on a cluster yet.</source>
        <extracomment>sentences</extracomment>
        <translation>目前还不能在集群上运行：{what}。</translation>
    </message>
    <message>
        <source>&apos;{method}&apos; is a custom method, which workers do not have.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{method}&apos; 是自定义方法，工作进程没有该方法。</translation>
    </message>
    <message>
        <source>&apos;{method}&apos; takes masks from a file, which cannot run on a cluster yet.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{method}&apos; 从文件获取掩码，目前还不能在集群上运行。</translation>
    </message>
    <message>
        <source>The preview belongs to a state of the document that no longer exists.</source>
        <extracomment>sentences</extracomment>
        <translation>此预览所属的文档状态已不存在。</translation>
    </message>
    <message>
        <source>Compute it again.</source>
        <extracomment>sentences</extracomment>
        <translation>请重新计算。</translation>
    </message>
    <message>
        <source>This branch has the current state, so it cannot be deleted.</source>
        <extracomment>sentences</extracomment>
        <translation>此分支包含当前状态，因此无法删除。</translation>
    </message>
    <message>
        <source>Go to a state of another branch, or to one before it, then delete it.</source>
        <extracomment>sentences</extracomment>
        <translation>请转到其他分支的状态，或此分支之前的状态，然后再删除。</translation>
    </message>
    <message>
        <source>This state is not in the history any more.</source>
        <extracomment>sentences</extracomment>
        <translation>此状态已不在历史中。</translation>
    </message>
    <message>
        <source>Try again.</source>
        <extracomment>sentences</extracomment>
        <translation>请重试。</translation>
    </message>
    <message>
        <source>The values of &apos;{name}&apos; cannot be written to the scratch file: {words_of}.</source>
        <extracomment>sentences</extracomment>
        <translation>无法将 &apos;{name}&apos; 的值写入临时文件：{words_of}。</translation>
    </message>
    <message>
        <source>A mask of the history cannot be read again: {words_of}.</source>
        <extracomment>sentences</extracomment>
        <translation>无法再次读取历史中的掩码：{words_of}。</translation>
    </message>
    <message>
        <source>The current state is unchanged and can still be exported.</source>
        <extracomment>sentences</extracomment>
        <translation>当前状态不变，仍可导出。</translation>
    </message>
    <message>
        <source>No tensor in &apos;{name}&apos; matches &apos;{pattern}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 中没有与 &apos;{pattern}&apos; 匹配的张量。</translation>
    </message>
    <message>
        <source>Nearest: {join}.</source>
        <extracomment>sentences</extracomment>
        <translation>最接近的：{join}。</translation>
    </message>
    <message>
        <source>&apos;{pattern}&apos; matches nothing that can be pruned: &apos;{name}&apos; ({why_not}){more}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{pattern}&apos; 匹配的内容都不能剪枝：&apos;{name}&apos;（{why_not}）{more}。</translation>
    </message>
    <message>
        <source>Choose another pattern.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择其他模式。</translation>
    </message>
    <message>
        <source>No pattern was given.</source>
        <extracomment>sentences</extracomment>
        <translation>未给出模式。</translation>
    </message>
    <message>
        <source>Use &apos;*&apos; for every tensor.</source>
        <extracomment>sentences</extracomment>
        <translation>请用 &apos;*&apos; 表示每个张量。</translation>
    </message>
    <message>
        <source>No tensor is selected.</source>
        <extracomment>sentences</extracomment>
        <translation>未选中任何张量。</translation>
    </message>
    <message>
        <source>Check one, or give a pattern.</source>
        <extracomment>sentences</extracomment>
        <translation>请勾选一个，或给出模式。</translation>
    </message>
    <message>
        <source>A pattern has at most {LONGEST_PATTERN} characters, and this one has {len}.</source>
        <extracomment>sentences</extracomment>
        <translation>模式最多有 {LONGEST_PATTERN} 个字符，而此模式有 {len} 个。</translation>
    </message>
    <message>
        <source>Separate several patterns by commas.</source>
        <extracomment>sentences</extracomment>
        <translation>请用逗号分隔多个模式。</translation>
    </message>
    <message>
        <source>All selected tensors are excluded ({limits}), so there is nothing to do.</source>
        <extracomment>sentences</extracomment>
        <translation>选中的张量全部被排除（{limits}），因此没有可执行的操作。</translation>
    </message>
    <message>
        <source>Select more tensors, or exclude fewer.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择更多张量，或减少排除。</translation>
    </message>
    <message>
        <source>Choose another method.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择其他方法。</translation>
    </message>
    <message>
        <source>In a model of type &apos;{model_type}&apos; a norm follows the sum, so zeros do not have the effect of removing {lower}.</source>
        <extracomment>sentences</extracomment>
        <translation>在类型为 &apos;{model_type}&apos; 的模型中，求和之后是归一化，因此置零无法达到去掉 {lower} 的效果。</translation>
    </message>
    <message>
        <source>A shrunk export can remove them.</source>
        <extracomment>sentences</extracomment>
        <translation>缩减导出可以将其移除。</translation>
    </message>
    <message>
        <source>No selected tensor is known to belong to {label}.</source>
        <extracomment>sentences</extracomment>
        <translation>所选张量都不属于 {label}。</translation>
    </message>
    <message>
        <source>Select one such as &apos;{names}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择例如 &apos;{names}&apos; 的张量。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; cannot be pruned: {why_not}.</source>
        <extracomment>sentences</extracomment>
        <translation>无法剪枝 &apos;{name}&apos;：{why_not}。</translation>
    </message>
    <message>
        <source>Uncheck it.</source>
        <extracomment>sentences</extracomment>
        <translation>请取消勾选。</translation>
    </message>
    <message>
        <source>A step needs a rule (got none).</source>
        <extracomment>sentences</extracomment>
        <translation>一个步骤至少需要一行（未收到任何行）。</translation>
    </message>
    <message>
        <source>Add one.</source>
        <extracomment>sentences</extracomment>
        <translation>请添加一行。</translation>
    </message>
    <message>
        <source>This step prunes nothing, so limits do not apply ({join}).</source>
        <extracomment>sentences</extracomment>
        <translation>此步骤不剪枝任何内容，因此限制不适用（{join}）。</translation>
    </message>
    <message>
        <source>Remove them, or choose a method that prunes.</source>
        <extracomment>sentences</extracomment>
        <translation>请移除限制，或选择会剪枝的方法。</translation>
    </message>
    <message>
        <source>A total needs a step with one rule that prunes (got {pruning}).</source>
        <extracomment>sentences</extracomment>
        <translation>设定总计的步骤中必须恰有一条规则会剪枝（收到 {pruning} 条）。</translation>
    </message>
    <message>
        <source>Remove it, or make one step per rule.</source>
        <extracomment>sentences</extracomment>
        <translation>请移除总计，或为每条规则建立一个步骤。</translation>
    </message>
    <message>
        <source>Only whole channels along dim 0 have matching bias and norm entries (got {join}).</source>
        <extracomment>sentences</extracomment>
        <translation>只有沿维度 0 的整个通道才有对应的偏置和归一化项（收到 {join}）。</translation>
    </message>
    <message>
        <source>Other tensors depend on whole channels only (got {join}).</source>
        <extracomment>sentences</extracomment>
        <translation>其他张量只依赖于整个通道（收到 {join}）。</translation>
    </message>
    <message>
        <source>Choose a structured method, or turn dependents off.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择结构化方法，或关闭依赖张量的剪枝。</translation>
    </message>
    <message>
        <source>{n} more rule</source>
        <extracomment>sentences
----------
steps</extracomment>
        <translation>{n} 条其他规则</translation>
    </message>
    <message>
        <source>{n} more rules</source>
        <extracomment>sentences
----------
steps</extracomment>
        <translation>{n} 条其他规则</translation>
    </message>
    <message>
        <source>{indices} is not a part of &apos;{name}&apos;, whose shape is {list}.</source>
        <extracomment>sentences</extracomment>
        <translation>{indices} 不是 &apos;{name}&apos; 的一部分，其形状为 {list}。</translation>
    </message>
    <message>
        <source>Give the first index and the last index + 1 for each dimension.</source>
        <extracomment>sentences</extracomment>
        <translation>请为每个维度给出起始索引和末尾索引加 1。</translation>
    </message>
    <message>
        <source>The mask for &apos;{name}&apos; must have its {numel} elements (got {size}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 的掩码必须有与其相同的 {numel} 个元素（收到 {size} 个）。</translation>
    </message>
    <message>
        <source>{n} weight</source>
        <extracomment>sentences
----------
steps</extracomment>
        <translation>{n} 个权重</translation>
    </message>
    <message>
        <source>{n} weights</source>
        <extracomment>sentences
----------
steps</extracomment>
        <translation>{n} 个权重</translation>
    </message>
    <message>
        <source>{n} protected weight</source>
        <extracomment>sentences</extracomment>
        <translation>{n} 个受保护的权重</translation>
    </message>
    <message>
        <source>{n} protected weights</source>
        <extracomment>sentences</extracomment>
        <translation>{n} 个受保护的权重</translation>
    </message>
    <message>
        <source>No pruned channel has anything left in a bias or a norm.</source>
        <extracomment>sentences</extracomment>
        <translation>没有哪个已剪枝的通道在偏置或归一化中还有剩余。</translation>
    </message>
    <message>
        <source>Prune whole channels along dim 0 first.</source>
        <extracomment>sentences</extracomment>
        <translation>请先沿维度 0 剪枝整个通道。</translation>
    </message>
    <message>
        <source>{n} pruned channel</source>
        <extracomment>sentences</extracomment>
        <translation>{n} 个被剪枝的通道</translation>
    </message>
    <message>
        <source>{n} pruned channels</source>
        <extracomment>sentences</extracomment>
        <translation>{n} 个被剪枝的通道</translation>
    </message>
    <message>
        <source>Choose other tensors, or prune without their dependents.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择其他张量，或不连同依赖张量一起剪枝。</translation>
    </message>
    <message>
        <source>&apos;{both}&apos; is selected and also depends on a selected tensor, so that more of it may be pruned than the limits allow ({join}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{both}&apos; 已被选中，同时又依赖于另一个选中的张量，因此它被剪枝的部分可能超出限制（{join}）。</translation>
    </message>
    <message>
        <source>Select one tensor of each group, or remove the limits.</source>
        <extracomment>sentences</extracomment>
        <translation>请在每组中只选择一个张量，或移除限制。</translation>
    </message>
    <message>
        <source>No mask of &apos;{path}&apos; has the name of a tensor of &apos;{path2}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 中没有掩码与 &apos;{path2}&apos; 的张量同名。</translation>
    </message>
    <message>
        <source>Choose the masks of this model: the mask of &apos;NAME&apos; is named &apos;NAME&apos; or &apos;NAME_mask&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择此模型的掩码：&apos;NAME&apos; 的掩码名为 &apos;NAME&apos; 或 &apos;NAME_mask&apos;。</translation>
    </message>
    <message>
        <source>Nothing is pruned in these tensors of &apos;{name}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 的这些张量中没有任何权重被剪枝。</translation>
    </message>
    <message>
        <source>Prune them there first.</source>
        <extracomment>sentences</extracomment>
        <translation>请先在那里对其剪枝。</translation>
    </message>
    <message>
        <source>None of these tensors of &apos;{name}&apos; fits &apos;{name2}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 的这些张量都不适用于 &apos;{name2}&apos;。</translation>
    </message>
    <message>
        <source>Names and shapes must be the same.</source>
        <extracomment>sentences</extracomment>
        <translation>名称和形状必须相同。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has no tensor in common with &apos;{name2}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 与 &apos;{name2}&apos; 没有共同的张量。</translation>
    </message>
    <message>
        <source>Choose a file of the same model: names and shapes must be the same.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择同一模型的文件：名称和形状必须相同。</translation>
    </message>
    <message>
        <source>Choose another combination.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择其他合并方式。</translation>
    </message>
    <message>
        <source>Choose the file in which it was pruned.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择在其中剪枝该张量的文件。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; contains no mask for &apos;{name}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 中没有 &apos;{name}&apos; 的掩码。</translation>
    </message>
    <message>
        <source>Its name there must be &apos;{name}&apos; or &apos;{name2}_mask&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>其在文件中的名称必须为 &apos;{name}&apos; 或 &apos;{name2}_mask&apos;。</translation>
    </message>
    <message>
        <source>The mask &apos;{name}&apos; has the shape {list}, but &apos;{name2}&apos; has {list2}.</source>
        <extracomment>sentences</extracomment>
        <translation>掩码 &apos;{name}&apos; 的形状为 {list}，而 &apos;{name2}&apos; 的形状为 {list2}。</translation>
    </message>
    <message>
        <source>Choose the mask file made for this checkpoint.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择为此检查点创建的掩码文件。</translation>
    </message>
    <message>
        <source>Save it with 1 for kept and 0 for pruned weights.</source>
        <extracomment>sentences</extracomment>
        <translation>请在保存时用 1 表示保留的权重，用 0 表示已剪枝的权重。</translation>
    </message>
    <message>
        <source>The other mask of &apos;{name}&apos; has {size} elements, but the tensor has {numel}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 的另一个掩码有 {size} 个元素，而该张量有 {numel} 个。</translation>
    </message>
    <message>
        <source>Choose the masks of the same model.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择同一模型的掩码。</translation>
    </message>
    <message>
        <source>The mask {key} of &apos;{name}&apos; is missing.</source>
        <extracomment>sentences</extracomment>
        <translation>缺少 &apos;{name}&apos; 的掩码 {key}。</translation>
    </message>
    <message>
        <source>The mask {key} of &apos;{name}&apos; is not the one that was saved under this name.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 的掩码 {key} 与以此名称保存的掩码不同。</translation>
    </message>
    <message>
        <source>Restore the file from where the recipe came from.</source>
        <extracomment>sentences</extracomment>
        <translation>请从配方的来源处恢复该文件。</translation>
    </message>
    <message>
        <source>&apos;operation&apos; must be one of {join} (got {operation}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;operation&apos; 必须是以下之一：{join}（收到 {operation}）。</translation>
    </message>
    <message>
        <source>An edit needs at least one target (got none).</source>
        <extracomment>sentences</extracomment>
        <translation>编辑至少需要一个目标（未收到任何目标）。</translation>
    </message>
    <message>
        <source>The gestures of one edit must have the same operation (got {sorted}).</source>
        <extracomment>sentences</extracomment>
        <translation>同一编辑中的操作必须相同（收到 {sorted}）。</translation>
    </message>
    <message>
        <source>The target &apos;{name}&apos; needs either boxes of indices or a mask.</source>
        <extracomment>sentences</extracomment>
        <translation>目标 &apos;{name}&apos; 需要索引框或掩码，二者选一。</translation>
    </message>
    <message>
        <source>The repaired values {key} of &apos;{name}&apos; are missing.</source>
        <extracomment>sentences</extracomment>
        <translation>缺少 &apos;{name}&apos; 的修复值 {key}。</translation>
    </message>
    <message>
        <source>The repaired values {key} of &apos;{name}&apos; are not those that were saved under this name.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 的修复值 {key} 与以此名称保存的值不同。</translation>
    </message>
    <message>
        <source>{n} layer</source>
        <extracomment>sentences
----------
steps</extracomment>
        <translation>{n} 层</translation>
    </message>
    <message>
        <source>{n} layers</source>
        <extracomment>sentences
----------
steps</extracomment>
        <translation>{n} 层</translation>
    </message>
    <message>
        <source>There is no tensor to be repaired.</source>
        <extracomment>sentences</extracomment>
        <translation>没有可修复的张量。</translation>
    </message>
    <message>
        <source>Prune one first.</source>
        <extracomment>sentences</extracomment>
        <translation>请先剪枝一个张量。</translation>
    </message>
    <message>
        <source>{n} pruned weight is an ordinary zero now</source>
        <extracomment>sentences
----------
steps</extracomment>
        <translation>{n} 个被剪枝的权重现为普通的零</translation>
    </message>
    <message>
        <source>{n} pruned weights are ordinary zeros now</source>
        <extracomment>sentences
----------
steps</extracomment>
        <translation>{n} 个被剪枝的权重现为普通的零</translation>
    </message>
    <message>
        <source>These tensors have no zeros that are not pruned already.</source>
        <extracomment>sentences</extracomment>
        <translation>这些张量中没有尚未剪枝的零。</translation>
    </message>
    <message>
        <source>Nothing is pruned in these tensors, so nothing can be made permanent.</source>
        <extracomment>sentences</extracomment>
        <translation>这些张量中没有已剪枝的内容，因此没有可永久化的内容。</translation>
    </message>
    <message>
        <source>Prune them first.</source>
        <extracomment>sentences</extracomment>
        <translation>请先剪枝这些张量。</translation>
    </message>
    <message>
        <source>{n} zero</source>
        <extracomment>sentences</extracomment>
        <translation>{n} 个零</translation>
    </message>
    <message>
        <source>{n} zeros</source>
        <extracomment>sentences</extracomment>
        <translation>{n} 个零</translation>
    </message>
    <message>
        <source>The total must be from {low} % to {high} % of {weights} weights here (got {value} %): that is what limits and the scanned amounts allow.</source>
        <extracomment>sentences</extracomment>
        <translation>此处的总计必须为 {weights} 个权重的 {low} % 到 {high} %（收到 {value} %）：这是限制和已扫描剪枝量所允许的范围。</translation>
    </message>
    <message>
        <source>Choose another total, change the limits, or {more}.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择其他总计、更改限制，或者：{more}。</translation>
    </message>
    <message>
        <source>The total must be from {least} to {most} weights here (got {target}): that is what limits and the scanned amounts allow.</source>
        <extracomment>sentences</extracomment>
        <translation>此处的总计必须为 {least} 到 {most} 个权重（收到 {target}）：这是限制和已扫描剪枝量所允许的范围。</translation>
    </message>
    <message>
        <source>Choose another total, change the limits, or scan larger amounts.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择其他总计、更改限制，或扫描更大的剪枝量。</translation>
    </message>
    <message>
        <source>None of these tensors has been measured yet.</source>
        <extracomment>sentences</extracomment>
        <translation>这些张量都尚未测量。</translation>
    </message>
    <message>
        <source>Continue the scan: `pruneapp scan` with the same file.</source>
        <extracomment>sentences</extracomment>
        <translation>请继续扫描：用同一文件运行 `pruneapp scan`。</translation>
    </message>
    <message>
        <source>The minimum sparsity of &apos;{name}&apos;, {percent}, is above its maximum of {percent2}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 的最小稀疏度 {percent} 高于其最大稀疏度 {percent2}。</translation>
    </message>
    <message>
        <source>Lower the minimum or raise the maximum sparsity.</source>
        <extracomment>sentences</extracomment>
        <translation>请降低最小稀疏度，或提高最大稀疏度。</translation>
    </message>
    <message>
        <source>No tensor of the scan matches &apos;{pattern}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>扫描中没有与 &apos;{pattern}&apos; 匹配的张量。</translation>
    </message>
    <message>
        <source>Patterns are case-sensitive and match whole names; &apos;*&apos; matches all.</source>
        <extracomment>sentences</extracomment>
        <translation>模式区分大小写，且匹配整个名称；&apos;*&apos; 匹配全部。</translation>
    </message>
    <message>
        <source>A sparsity must be from 0.0 to 1.0, or from 0% to 100% (got {share}).</source>
        <extracomment>sentences</extracomment>
        <translation>稀疏度必须为 0.0 到 1.0，或 0% 到 100%（收到 {share}）。</translation>
    </message>
    <message>
        <source>The repair was sequential: the inputs of each layer were collected after the layers before it were repaired, so no statistics file has them.</source>
        <extracomment>sentences</extracomment>
        <translation>此修复是顺序修复：每层的输入是在修复其前面各层之后收集的，因此没有统计文件包含这些输入。</translation>
    </message>
    <message>
        <source>Repair the pruned file again with the same script, and compare.</source>
        <extracomment>sentences</extracomment>
        <translation>请用同一脚本再次修复已剪枝的文件，然后比较。</translation>
    </message>
    <message>
        <source>The repair was made for the outputs of another model.</source>
        <extracomment>sentences</extracomment>
        <translation>此修复是针对另一个模型的输出进行的。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is not the model that the repair was made for.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 不是此修复所针对的模型。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; ran no input through any of the pruned layers.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 没有让任何输入通过被剪枝的层。</translation>
    </message>
    <message>
        <source>In calibrate(model), call the model that load(path) returned.</source>
        <extracomment>sentences</extracomment>
        <translation>请让 calibrate(model) 调用 load(path) 返回的模型。</translation>
    </message>
    <message>
        <source>The repair was made with the statistics with the SHA-256 {statistics}; that of &apos;{statistics2}&apos; is {sha256}.</source>
        <extracomment>sentences</extracomment>
        <translation>此修复所用统计的 SHA-256 为 {statistics}，而 &apos;{statistics2}&apos; 的为 {sha256}。</translation>
    </message>
    <message>
        <source>There is no image in &apos;{folder}&apos; or its subfolders.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{folder}&apos; 及其子文件夹中没有图像。</translation>
    </message>
    <message>
        <source>The images in &apos;{folder}&apos; cannot be listed: {words_of}.</source>
        <extracomment>sentences</extracomment>
        <translation>无法列出 &apos;{folder}&apos; 中的图像：{words_of}。</translation>
    </message>
    <message>
        <source>Check the path.</source>
        <extracomment>sentences</extracomment>
        <translation>请检查路径。</translation>
    </message>
    <message>
        <source>calibrate in &apos;{name}&apos; ran different inputs in its next run, so the sums of the two runs cannot be combined.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 中的 calibrate 在下一次运行时使用了不同的输入，因此两次的和无法合并。</translation>
    </message>
    <message>
        <source>Run the same inputs in the same order each time; &apos;seed&apos; is the same.</source>
        <extracomment>sentences</extracomment>
        <translation>请每次以相同的顺序运行相同的输入；&apos;seed&apos; 是相同的。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; does not define calibrate(model), which collecting statistics of activations requires.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 没有定义 calibrate(model)，而收集激活统计需要它。</translation>
    </message>
    <message>
        <source>Define calibrate(model), and run some inputs through the model in it.</source>
        <extracomment>sentences</extracomment>
        <translation>请定义 calibrate(model)，并在其中让一些输入通过模型。</translation>
    </message>
    <message>
        <source>Multiply-adds cannot be counted in a program that a command line starts.</source>
        <extracomment>sentences</extracomment>
        <translation>无法统计由命令行启动的程序中的乘加运算。</translation>
    </message>
    <message>
        <source>Evaluate by a script.</source>
        <extracomment>sentences</extracomment>
        <translation>请用脚本评估。</translation>
    </message>
    <message>
        <source>Repair without Sequential.</source>
        <extracomment>sentences</extracomment>
        <translation>请不使用“顺序修复”。</translation>
    </message>
    <message>
        <source>The model multiplies by &apos;{name}&apos;, which &apos;{name2}&apos; does not contain in this form, so it is not known which multiply-adds are left in a pruned state.</source>
        <extracomment>sentences</extracomment>
        <translation>模型与 &apos;{name}&apos; 相乘，而它在 &apos;{name2}&apos; 中并非原样存在，因此无法得知剪枝后的状态还剩哪些乘加运算。</translation>
    </message>
    <message>
        <source>Load the weights as they are in the file.</source>
        <extracomment>sentences</extracomment>
        <translation>请按文件中的原样加载权重。</translation>
    </message>
    <message>
        <source>The Gram matrix of &apos;{name}&apos; takes {format_bytes}, but the limit of one run is {format_bytes2}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 的格拉姆矩阵需要 {format_bytes}，而一次运行的上限为 {format_bytes2}。</translation>
    </message>
    <message>
        <source>Allow more memory, or collect without Gram matrices.</source>
        <extracomment>sentences</extracomment>
        <translation>请允许使用更多内存，或在收集时不含格拉姆矩阵。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has no evaluate(model), so agreement with the unpruned model is measured, but there is no unpruned model.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 没有 evaluate(model)，因此要测量与未剪枝模型的一致性，但没有未剪枝模型。</translation>
    </message>
    <message>
        <source>Define evaluate(model), or name the original.</source>
        <extracomment>sentences</extracomment>
        <translation>请定义 evaluate(model)，或指定原模型。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; returned &apos;{min}&apos; for only one of the two models.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 只对两个模型中的一个返回了 &apos;{min}&apos;。</translation>
    </message>
    <message>
        <source>Return the same metrics for every model.</source>
        <extracomment>sentences</extracomment>
        <translation>请对每个模型返回相同的指标。</translation>
    </message>
    <message>
        <source>The evaluation changed the weights that it was given (&apos;{name}&apos;{more}), so there is no result.</source>
        <extracomment>sentences</extracomment>
        <translation>评估更改了所给的权重（&apos;{name}&apos;{more}），因此没有结果。</translation>
    </message>
    <message>
        <source>Do not train, load or change weights in evaluate.</source>
        <extracomment>sentences</extracomment>
        <translation>请不要在 evaluate 中训练、加载或更改权重。</translation>
    </message>
    <message>
        <source>Norm layers in training mode change their buffers: call model.eval() in load.</source>
        <extracomment>sentences</extracomment>
        <translation>处于训练模式的归一化层会更改其缓冲区：请在 load 中调用 model.eval()。</translation>
    </message>
    <message>
        <source>{n} other tensor</source>
        <extracomment>sentences</extracomment>
        <translation>{n} 个其他张量</translation>
    </message>
    <message>
        <source>{n} other tensors</source>
        <extracomment>sentences</extracomment>
        <translation>{n} 个其他张量</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; of &apos;{script}&apos; is {value}{of}, which is not a finite number.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{script}&apos; 的 &apos;{name}&apos; 为 {value}{of}，不是有限数。</translation>
    </message>
    <message>
        <source>&apos;--at-most&apos; must be a number of at least 0, or a percentage (got &apos;{text}&apos;).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;--at-most&apos; 必须是不小于 0 的数，或百分比（收到 &apos;{text}&apos;）。</translation>
    </message>
    <message>
        <source>0.01 is in the unit of the metric, 1% is relative to the original.</source>
        <extracomment>sentences</extracomment>
        <translation>0.01 以指标的单位计，1% 相对于原模型。</translation>
    </message>
    <message>
        <source>&apos;{command}&apos; cannot be started: {words_of}.</source>
        <extracomment>sentences</extracomment>
        <translation>无法启动 &apos;{command}&apos;：{words_of}。</translation>
    </message>
    <message>
        <source>Choose another program.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择其他程序。</translation>
    </message>
    <message>
        <source>The report of a history ends in .html (got &apos;{name}&apos;).</source>
        <extracomment>sentences</extracomment>
        <translation>历史记录的报告以 .html 结尾(得到 &apos;{name}&apos;)。</translation>
    </message>
    <message>
        <source>Add .html to the name.</source>
        <extracomment>sentences</extracomment>
        <translation>请在名称后加上 .html。</translation>
    </message>
    <message>
        <source>&apos;stop&apos; compares a metric, but the rounds are not evaluated.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;stop&apos; 比较指标，但各轮未评估。</translation>
    </message>
    <message>
        <source>Evaluate after each round, or remove &apos;stop&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>请在每轮之后评估，或删除 &apos;stop&apos;。</translation>
    </message>
    <message>
        <source>&apos;rewind&apos; is for rounds with a recovery.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;rewind&apos; 仅用于带恢复训练的轮次。</translation>
    </message>
    <message>
        <source>Choose how to recover, or do not rewind.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择恢复训练方式，或不要回退。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; returned no metric &apos;{metric}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 没有返回指标 &apos;{metric}&apos;。</translation>
    </message>
    <message>
        <source>It returned {join}.</source>
        <extracomment>sentences</extracomment>
        <translation>返回了 {join}。</translation>
    </message>
    <message>
        <source>Scripts and commands read files of a disk, and &apos;{path}&apos; is in a store.</source>
        <extracomment>sentences</extracomment>
        <translation>脚本和命令只能读取磁盘上的文件，而 &apos;{path}&apos; 位于存储中。</translation>
    </message>
    <message>
        <source>Download the model first, then open the copy.</source>
        <extracomment>sentences</extracomment>
        <translation>请先下载模型，再打开其副本。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; defines neither evaluate(model) nor calibrate(model){others}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 既没有定义 evaluate(model)，也没有定义 calibrate(model){others}。</translation>
    </message>
    <message>
        <source>Define an evaluate(model) that returns a number.</source>
        <extracomment>sentences</extracomment>
        <translation>请定义 evaluate(model)，并让它返回一个数。</translation>
    </message>
    <message>
        <source>Define load(path), and let it return the model with the weights of path.</source>
        <extracomment>sentences</extracomment>
        <translation>请定义 load(path)，并让它返回带有 path 中权重的模型。</translation>
    </message>
    <message>
        <source>The command does not name the checkpoint.</source>
        <extracomment>sentences</extracomment>
        <translation>命令没有指明检查点。</translation>
    </message>
    <message>
        <source>Write {{checkpoint}} where its path belongs.</source>
        <extracomment>sentences</extracomment>
        <translation>请在其路径所在的位置写入 {{checkpoint}}。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; returned no number: there is none in {{out}}, and the command printed neither a JSON object nor a line with a number alone.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 没有返回数值：{{out}} 中没有，命令也没有打印 JSON 对象或只含一个数的行。</translation>
    </message>
    <message>
        <source>Let it print one last line such as {{&quot;accuracy&quot;: 0.93}}, or a number.</source>
        <extracomment>sentences</extracomment>
        <translation>请让它在最后一行输出例如 {{&quot;accuracy&quot;: 0.93}} 的内容，或一个数。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; took longer than the {limit} seconds that it was given.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 用时超过了给定的 {limit} 秒。</translation>
    </message>
    <message>
        <source>Allow more time, or evaluate fewer samples.</source>
        <extracomment>sentences</extracomment>
        <translation>请允许更长时间，或评估更少的样本。</translation>
    </message>
    <message>
        <source>Try it in a terminal.</source>
        <extracomment>sentences</extracomment>
        <translation>请在终端中试运行。</translation>
    </message>
    <message>
        <source>The command has a quotation mark without its counterpart, or ends in a backslash.</source>
        <extracomment>sentences</extracomment>
        <translation>命令中有不成对的引号，或以反斜杠结尾。</translation>
    </message>
    <message>
        <source>Quote arguments with spaces, as in a terminal.</source>
        <extracomment>sentences</extracomment>
        <translation>请像在终端中一样，给含空格的参数加上引号。</translation>
    </message>
    <message>
        <source>Separate several by commas: 30%, 50%, 70%.</source>
        <extracomment>sentences</extracomment>
        <translation>请用逗号分隔多个值：30%, 50%, 70%。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; cannot be scanned: it has no amount of weights or channels.</source>
        <extracomment>sentences</extracomment>
        <translation>无法扫描 &apos;{name}&apos;：它没有权重或通道的剪枝量。</translation>
    </message>
    <message>
        <source>Choose a method such as l1_unstructured or ln_structured.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择例如 l1_unstructured 或 ln_structured 的方法。</translation>
    </message>
    <message>
        <source>Nothing is left to prune in the selected tensors.</source>
        <extracomment>sentences</extracomment>
        <translation>所选张量中已没有可剪枝的内容。</translation>
    </message>
    <message>
        <source>Select other tensors.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择其他张量。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; returned no metric that can be better or worse.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 没有返回能分出好坏的指标。</translation>
    </message>
    <message>
        <source>Return a number such as a loss or an accuracy.</source>
        <extracomment>sentences</extracomment>
        <translation>请返回一个数，例如损失或准确率。</translation>
    </message>
    <message>
        <source>&apos;{where}&apos; has other metrics than the script returns now.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos; 中的指标与脚本现在返回的不同。</translation>
    </message>
    <message>
        <source>Choose another name for this scan, or delete that file.</source>
        <extracomment>sentences</extracomment>
        <translation>请为此次扫描选择其他名称，或删除该文件。</translation>
    </message>
    <message>
        <source>&apos;{where}&apos; has {before} as &apos;{name}&apos; of the unpruned model, and now it is {before2}: the data or the packages have changed.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos; 中未剪枝模型的 &apos;{name}&apos; 为 {before}，现在为 {before2}：数据或软件包已发生变化。</translation>
    </message>
    <message>
        <source>these are more weights than any model has</source>
        <extracomment>sentences</extracomment>
        <translation>权重数超过了任何模型所能有的数量</translation>
    </message>
    <message>
        <source>The scan has no metric &apos;{name}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>扫描中没有指标 &apos;{name}&apos;。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is not a sensitivity scan: it lacks &quot;format&quot;: &quot;{FORMAT}&quot;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 不是敏感度扫描：缺少 &quot;format&quot;: &quot;{FORMAT}&quot;。</translation>
    </message>
    <message>
        <source>Choose a file that `pruneapp scan` wrote.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择由 `pruneapp scan` 写入的文件。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is a scan of version {version}, and this Pruneapp reads up to {VERSION}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 是版本 {version} 的扫描，而此 Pruneapp 最高只能读取版本 {VERSION}。</translation>
    </message>
    <message>
        <source>Install a newer Pruneapp.</source>
        <extracomment>sentences</extracomment>
        <translation>请安装较新的 Pruneapp。</translation>
    </message>
    <message>
        <source>&apos;unit&apos; does not divide &apos;weights&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;weights&apos; 不能被 &apos;unit&apos; 整除</translation>
    </message>
    <message>
        <source>more is pruned and protected than there is</source>
        <extracomment>sentences</extracomment>
        <translation>已剪枝与受保护的数量之和超过了总数</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; appears twice</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 出现了两次</translation>
    </message>
    <message>
        <source>{amount} is not one of the amounts of the scan</source>
        <extracomment>sentences</extracomment>
        <translation>{amount} 不是此扫描的剪枝量之一</translation>
    </message>
    <message>
        <source>&apos;pruned&apos; is not a count that this tensor can have</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;pruned&apos; 不是此张量可能有的数量</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is not one of the metrics of the scan</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 不是此扫描的指标之一</translation>
    </message>
    <message>
        <source>There is no Python interpreter at &apos;{path}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 处没有 Python 解释器。</translation>
    </message>
    <message>
        <source>Choose the interpreter of the environment in which your model runs.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择运行模型的环境的解释器。</translation>
    </message>
    <message>
        <source>&apos;time_limit&apos; must be more than 0 seconds (got {time_limit}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;time_limit&apos; 必须大于 0 秒（收到 {time_limit}）。</translation>
    </message>
    <message>
        <source>uv could not make the environment that the header of &apos;{path}&apos; describes.</source>
        <extracomment>sentences</extracomment>
        <translation>uv 无法创建 &apos;{path}&apos; 的文件头所描述的环境。</translation>
    </message>
    <message>
        <source>Correct the header, or choose an interpreter.</source>
        <extracomment>sentences</extracomment>
        <translation>请更正文件头，或选择解释器。</translation>
    </message>
    <message>
        <source>Choose the Python file that defines load and evaluate.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择定义了 load 和 evaluate 的 Python 文件。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is not a Python file.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 不是 Python 文件。</translation>
    </message>
    <message>
        <source>The process of &apos;{name}&apos; {how}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 的进程已终止（{how}）。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos;{place} raised {message} while {label}{reason}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos;{place} 在执行时引发 {message}（{label}）{reason}。</translation>
    </message>
    <message>
        <source>Write an evaluation script for this model.</source>
        <extracomment>sentences</extracomment>
        <translation>请为此模型编写评估脚本。</translation>
    </message>
    <message>
        <source>Correct the script; the traceback shows where.</source>
        <extracomment>sentences</extracomment>
        <translation>请更正脚本；回溯信息显示了出错位置。</translation>
    </message>
    <message>
        <source>&apos;{python}&apos; is Python {version}, but scripts need Python 3.9 or newer.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{python}&apos; 是 Python {version}，但脚本需要 Python 3.9 或更高版本。</translation>
    </message>
    <message>
        <source>Choose another interpreter.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择其他解释器。</translation>
    </message>
    <message>
        <source>&apos;{python}&apos; (Python {version}) cannot import torch: {get}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{python}&apos; (Python {version}) 无法导入 torch：{get}。</translation>
    </message>
    <message>
        <source>Choose the interpreter of the environment in which your model runs, or install torch there.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择运行模型的环境的解释器，或在其中安装 torch。</translation>
    </message>
    <message>
        <source>&apos;{python}&apos; {how} before it was ready{more}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{python}&apos; 在就绪之前已终止（{how}）{more}。</translation>
    </message>
    <message>
        <source>Choose a Python interpreter, 3.9 or newer, with torch.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择装有 torch 的 Python 解释器，版本为 3.9 或更高。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; called exit({message}) instead of returning.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 调用了 exit({message})，而没有返回。</translation>
    </message>
    <message>
        <source>Return from the function instead, or raise an exception.</source>
        <extracomment>sentences</extracomment>
        <translation>请改为从函数返回，或引发异常。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; ran out of memory: {first_line}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 内存不足：{first_line}。</translation>
    </message>
    <message>
        <source>Use fewer samples or smaller batches, or a device with more memory.</source>
        <extracomment>sentences</extracomment>
        <translation>请减少样本、使用更小的批次，或使用内存更大的设备。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; wrote into the pipe through which the worker answers, so its answers cannot be trusted.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 向工作进程用于应答的管道写入了内容，因此其应答不可信。</translation>
    </message>
    <message>
        <source>Print to standard output only.</source>
        <extracomment>sentences</extracomment>
        <translation>请只输出到标准输出。</translation>
    </message>
    <message>
        <source>There is an export format &apos;{name}&apos; already.</source>
        <extracomment>sentences</extracomment>
        <translation>已有名为 &apos;{name}&apos; 的导出格式。</translation>
    </message>
    <message>
        <source>There is no export format &apos;{name}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>没有名为 &apos;{name}&apos; 的导出格式。</translation>
    </message>
    <message>
        <source>Choose another format, and report this.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择其他格式，并报告此问题。</translation>
    </message>
    <message>
        <source>&apos;--omit&apos; must name a tensor of the file that cannot be read{reason} (got &apos;{show}&apos;).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;--omit&apos; 必须指定文件中无法读取的张量{reason}（收到 &apos;{show}&apos;）。</translation>
    </message>
    <message>
        <source>Tensors that can be read are always written.</source>
        <extracomment>sentences</extracomment>
        <translation>能读取的张量总会写入。</translation>
    </message>
    <message>
        <source>Choose &apos;{stem}{suffixes}&apos; for one file, or &apos;{stem2}&apos; for a folder.</source>
        <extracomment>sentences</extracomment>
        <translation>要写为单个文件，请选择 &apos;{stem}{suffixes}&apos;；要写为文件夹，请选择 &apos;{stem2}&apos;。</translation>
    </message>
    <message>
        <source>Choose &apos;{stem}&apos; for a folder.</source>
        <extracomment>sentences</extracomment>
        <translation>要写为文件夹，请选择 &apos;{stem}&apos;。</translation>
    </message>
    <message>
        <source>&apos;{job}&apos; is waiting for &apos;{before}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>“{job}”正在等待“{before}”。</translation>
    </message>
    <message>
        <source>The evaluation uses random token IDs, and with fewer tokens the same ID is another token: the outputs cannot be compared.</source>
        <extracomment>sentences</extracomment>
        <translation>评估使用随机词元 ID，而词元减少后同一 ID 表示另一个词元：输出无法比较。</translation>
    </message>
    <message>
        <source>Wait for it to finish, or press Esc to cancel it. Complete rounds are kept.</source>
        <extracomment>sentences</extracomment>
        <translation>请等待其完成，或按 Esc 取消。已完成的轮次会保留。</translation>
    </message>
    <message>
        <source>it is an object of type {name}</source>
        <extracomment>sentences</extracomment>
        <translation>它是类型为 {name} 的对象</translation>
    </message>
    <message>
        <source>The model is a {name}, and must be a Module.</source>
        <extracomment>sentences</extracomment>
        <translation>模型是 {name}，必须是 Module。</translation>
    </message>
    <message>
        <source>The pruned model and the unpruned one share parameters.</source>
        <extracomment>sentences</extracomment>
        <translation>剪枝模型与未剪枝模型共享参数。</translation>
    </message>
    <message>
        <source>Pass a deep copy, or the masks instead of the pruned model.</source>
        <extracomment>sentences</extracomment>
        <translation>请传入深拷贝，或用掩码代替剪枝后的模型。</translation>
    </message>
    <message>
        <source>steps must be an integer of at least 0 (got {steps}).</source>
        <extracomment>sentences</extracomment>
        <translation>steps 必须是不小于 0 的整数（实际为 {steps}）。</translation>
    </message>
    <message>
        <source>lr must be a positive number or None (got {lr}).</source>
        <extracomment>sentences</extracomment>
        <translation>lr 必须是正数或 None（实际为 {lr}）。</translation>
    </message>
    <message>
        <source>samples must be an integer of at least 2 or None (got {samples}).</source>
        <extracomment>sentences</extracomment>
        <translation>samples 必须是不小于 2 的整数或 None（实际为 {samples}）。</translation>
    </message>
    <message>
        <source>No weight is pruned.</source>
        <extracomment>sentences</extracomment>
        <translation>没有被剪枝的权重。</translation>
    </message>
    <message>
        <source>Pass masks with zeros, or a model that has zeros.</source>
        <extracomment>sentences</extracomment>
        <translation>请传入含零的掩码，或含零的模型。</translation>
    </message>
    <message>
        <source>inputs is a {name}, and must be an iterable of inputs or a function.</source>
        <extracomment>sentences</extracomment>
        <translation>inputs 是 {name}，必须是输入的可迭代对象或函数。</translation>
    </message>
    <message>
        <source>There are no inputs.</source>
        <extracomment>sentences</extracomment>
        <translation>没有输入。</translation>
    </message>
    <message>
        <source>Pass 256 samples or more.</source>
        <extracomment>sentences</extracomment>
        <translation>请传入 256 个或更多样本。</translation>
    </message>
    <message>
        <source>The model has no parameter &apos;{name}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>模型没有参数 “{name}”。</translation>
    </message>
    <message>
        <source>Pass a mask of the same shape for each parameter.</source>
        <extracomment>sentences</extracomment>
        <translation>请为每个参数传入相同形状的掩码。</translation>
    </message>
    <message>
        <source>The {what} is a {name}, and must be a Module.</source>
        <extracomment>sentences</extracomment>
        <translation>{what} 是 {name}，必须是 Module。</translation>
    </message>
    <message>
        <source>pruned is a {name}, and must be a Module or a dict of masks.</source>
        <extracomment>sentences</extracomment>
        <translation>pruned 是 {name}，必须是 Module 或掩码字典。</translation>
    </message>
    <message>
        <source>The function did not call the model it was passed.</source>
        <extracomment>sentences</extracomment>
        <translation>函数没有调用传给它的模型。</translation>
    </message>
    <message>
        <source>Call its argument: model(x), not a part of it.</source>
        <extracomment>sentences</extracomment>
        <translation>请调用其参数：model(x)，而不是它的一部分。</translation>
    </message>
    <message>
        <source>The model does not accept the first of the inputs: {name}: {error}</source>
        <extracomment>sentences</extracomment>
        <translation>模型不接受第一个输入：{name}：{error}</translation>
    </message>
    <message>
        <source>Each input must have the arguments of the model only, without labels: (x for x, _ in loader).</source>
        <extracomment>sentences</extracomment>
        <translation>每个输入只能包含模型的参数，不含标签：(x for x, _ in loader)。</translation>
    </message>
    <message>
        <source>The mask of &apos;{name}&apos; is a {name2}, and must be a tensor.</source>
        <extracomment>sentences</extracomment>
        <translation>“{name}” 的掩码是 {name2}，必须是张量。</translation>
    </message>
    <message>
        <source>The model cannot be copied: {error}</source>
        <extracomment>sentences</extracomment>
        <translation>无法复制模型：{error}</translation>
    </message>
    <message>
        <source>Pass a pruned model instead of masks.</source>
        <extracomment>sentences</extracomment>
        <translation>请传入剪枝后的模型，而不是掩码。</translation>
    </message>
    <message>
        <source>There is nothing to repair: the pruned weights are 0 in the unpruned model as well.</source>
        <extracomment>sentences</extracomment>
        <translation>没有可修复的内容：被剪枝的权重在未剪枝的模型中也为 0。</translation>
    </message>
    <message>
        <source>If the file was pruned before, repair it against the original.</source>
        <extracomment>sentences</extracomment>
        <translation>如果文件之前已被剪枝，请对照原始模型进行修复。</translation>
    </message>
    <message>
        <source>it names state {state}, which does not exist</source>
        <extracomment>sentences</extracomment>
        <translation>它引用了不存在的状态 {state}</translation>
    </message>
    <message>
        <source>You can continue to work. Free some space on the disk, or save the session.</source>
        <extracomment>sentences</extracomment>
        <translation>您可以继续工作。请在磁盘上腾出空间，或保存会话。</translation>
    </message>
    <message>
        <source>The unsaved changes to &apos;{name}&apos; were opened or deleted by another window in the meantime.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 中的工作在此期间已被另一个窗口打开或删除。</translation>
    </message>
    <message>
        <source>Continue in the other window.</source>
        <extracomment>sentences</extracomment>
        <translation>请在另一个窗口中查看。</translation>
    </message>
    <message>
        <source>The unsaved changes in &apos;{path}&apos; cannot be read: {words_of}.</source>
        <extracomment>sentences</extracomment>
        <translation>无法读取 &apos;{path}&apos; 中的工作：{words_of}。</translation>
    </message>
    <message>
        <source>Continue without the history.</source>
        <extracomment>sentences</extracomment>
        <translation>请在没有历史的情况下继续。</translation>
    </message>
    <message>
        <source>Choose the file that it was made with.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择创建时所用的文件。</translation>
    </message>
    <message>
        <source>Choose the file that it was made with, or use the masks on this one.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择创建时所用的文件，或将掩码用于此文件。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; does not match the unsaved changes in &apos;{name2}&apos;: {wrong}{more}</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 与 &apos;{name2}&apos; 中的工作不匹配：{wrong}{more}</translation>
    </message>
    <message>
        <source>Open it with the version of Pruneapp that saved it.</source>
        <extracomment>sentences</extracomment>
        <translation>请用创建该工作时的版本打开。</translation>
    </message>
    <message>
        <source>The unsaved changes in &apos;{where}&apos; cannot be restored: {words_of}.</source>
        <extracomment>sentences</extracomment>
        <translation>无法恢复 &apos;{where}&apos; 中的工作：{words_of}。</translation>
    </message>
    <message>
        <source>Free some space on the disk and try again.</source>
        <extracomment>sentences</extracomment>
        <translation>请在磁盘上腾出空间，然后重试。</translation>
    </message>
    <message>
        <source>Choose another name that ends in {SUFFIX}.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择其他名称，以 {SUFFIX} 结尾。</translation>
    </message>
    <message>
        <source>&apos;{folder}&apos; contains {format}, but only safetensors files are checked.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{folder}&apos; 包含 {format}，但只能检查 safetensors 文件。</translation>
    </message>
    <message>
        <source>config.json has one list for the layers of encoder and decoder, so the same layers must be removed from both.</source>
        <extracomment>sentences</extracomment>
        <translation>config.json 对编码器和解码器的层只有一个列表，而两者保留的层不同。</translation>
    </message>
    <message>
        <source>The type of a layer repeats every {every} layers ({name}), so the remaining layers would change their type.</source>
        <extracomment>sentences</extracomment>
        <translation>层的类型以 {every} 层为周期（{name}），而保留的层会因此改变类型。</translation>
    </message>
    <message>
        <source>&apos;{show}&apos; is in a file next to the model, and cannot be rewritten: {what}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos; 位于模型旁的文件中，无法重新写入：{what}。</translation>
    </message>
    <message>
        <source>A file that contains its graph keeps the dtype of its weights (got &apos;{dtype}&apos;).</source>
        <extracomment>sentences</extracomment>
        <translation>包含计算图的文件保留其权重的 dtype（收到 &apos;{dtype}&apos;）。</translation>
    </message>
    <message>
        <source>Specify other layers.</source>
        <extracomment>sentences</extracomment>
        <translation>请指定其他层。</translation>
    </message>
    <message>
        <source>Keep the type.</source>
        <extracomment>sentences</extracomment>
        <translation>请保持类型不变。</translation>
    </message>
    <message>
        <source>&apos;{parent}&apos; contains no &apos;{name}&apos;, so the kept units are unknown.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{parent}&apos; 中没有 &apos;{name}&apos;，因此不知道保留了哪些单元。</translation>
    </message>
    <message>
        <source>Specify the folder or the file that `pruneapp shrink` wrote.</source>
        <extracomment>sentences</extracomment>
        <translation>请指定 `pruneapp shrink` 写入的文件夹或文件。</translation>
    </message>
    <message>
        <source>Specify a folder, such as &apos;{stem}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>请指定文件夹，例如 &apos;{stem}&apos;。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos;, line {number}: it must contain an id such as 17, or a range such as 20-31, got &apos;{text}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 第 {number} 行：必须为 ID（例如 17）或范围（例如 20-31），收到 &apos;{text}&apos;。</translation>
    </message>
    <message>
        <source>The folder &apos;{folder}&apos; has no {TOKENIZER}{found}, so its vocabulary cannot be reduced.</source>
        <extracomment>sentences</extracomment>
        <translation>文件夹 &apos;{folder}&apos; 中没有 {TOKENIZER}{found}，因此其词表必须保持不变。</translation>
    </message>
    <message>
        <source>Specify a file of them; `pruneapp statistics` collects one.</source>
        <extracomment>sentences</extracomment>
        <translation>请指定激活统计文件；可用 `pruneapp statistics` 收集。</translation>
    </message>
    <message>
        <source>Nothing would be removed: {share} of {count} {label} leaves {wanted}, which is rounded up to a multiple of {multiple}. The nearest possible numbers: {near}.</source>
        <extracomment>sentences</extracomment>
        <translation>从 {count} 个 {label} 中裁去 {share}，剩余 {wanted} 个；向上取整到 {multiple} 的倍数后，没有可裁去的。最接近的可保留数量：{near}。</translation>
    </message>
    <message>
        <source>Nothing would be removed of {counted}: {share} of the units, with the remaining number rounded up to a multiple of {multiple_words}, is less than one unit.</source>
        <extracomment>sentences</extracomment>
        <translation>裁去 {share} 的单元并将保留数量向上取整为 {multiple_words} 的倍数后，{counted}中没有任何裁剪。</translation>
    </message>
    <message>
        <source>Specify the model that it was shrunk from.</source>
        <extracomment>sentences</extracomment>
        <translation>请指定缩减前的模型。</translation>
    </message>
    <message>
        <source>The statistics of activations with the SHA-256 {removeprefix} are not loaded.</source>
        <extracomment>sentences</extracomment>
        <translation>未加载 SHA-256 为 {removeprefix} 的激活统计。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; contains no statistics of activations: none of its tensors is named &apos;NAME{SUM2}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 中没有激活统计：没有名为 &apos;NAME{SUM2}&apos; 的张量。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; contains numbers that are not finite</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 含有非有限的数值</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is a GGUF file, but no imatrix (its general.type is &apos;{show}&apos;).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 是 GGUF 文件，但不是 imatrix（其 general.type 为 &apos;{show}&apos;）。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is a GGUF file, but no imatrix.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 是 GGUF 文件，但不是 imatrix。</translation>
    </message>
    <message>
        <source>it contains numbers that are not finite</source>
        <extracomment>sentences</extracomment>
        <translation>含有非有限的数值</translation>
    </message>
    <message>
        <source>No multiplication by the weights of the model was recorded in calibrate().</source>
        <extracomment>sentences</extracomment>
        <translation>就目前所见，calibrate() 没有将任何数据与模型的权重相乘。</translation>
    </message>
    <message>
        <source>Run some inputs through the model that load returned, in the same thread. Compiled models and quantized layers cannot be recorded.</source>
        <extracomment>sentences</extracomment>
        <translation>请在同一线程中用一些输入运行 load 返回的模型；编译后的模型和量化层无法观察到。</translation>
    </message>
    <message>
        <source>No multiplication by the weights of the model was recorded.</source>
        <extracomment>sentences</extracomment>
        <translation>就目前所见，没有任何数据与模型的权重相乘。</translation>
    </message>
    <message>
        <source>Compiled models and quantized layers cannot be recorded.</source>
        <extracomment>sentences</extracomment>
        <translation>编译后的模型和量化层无法观察到。</translation>
    </message>
    <message>
        <source>Check the file and start it again.</source>
        <extracomment>sentences</extracomment>
        <translation>请查看后重新启动。</translation>
    </message>
    <message>
        <source>load returned {value}, which is not a torch.nn.Module and has none as its attribute &apos;model&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>load 的返回值不是 torch.nn.Module，也没有 torch.nn.Module 类型的属性 &apos;model&apos;；返回的是：{value}。</translation>
    </message>
    <message>
        <source>Prompt {value} has {len} tokens, and the model takes {context}.</source>
        <extracomment>sentences</extracomment>
        <translation>提示 {value} 有 {len} 个词元，而模型最多接受 {context} 个。</translation>
    </message>
    <message>
        <source>Specify a folder with images.</source>
        <extracomment>sentences</extracomment>
        <translation>请指定一个包含图像的文件夹。</translation>
    </message>
    <message>
        <source>Replace it, or take it out of the folder.</source>
        <extracomment>sentences</extracomment>
        <translation>请替换它，或将其移出文件夹。</translation>
    </message>
    <message>
        <source>Call the model with tensors.</source>
        <extracomment>sentences</extracomment>
        <translation>请用张量调用模型。</translation>
    </message>
    <message>
        <source>The model was called with a tensor of layout {layout}, which recovery cannot record.</source>
        <extracomment>sentences</extracomment>
        <translation>模型以布局为 {layout} 的张量调用，恢复训练无法记录它。</translation>
    </message>
    <message>
        <source>Call the model with dense tensors.</source>
        <extracomment>sentences</extracomment>
        <translation>请用稠密张量调用模型。</translation>
    </message>
    <message>
        <source>Recovery found only one independent sample in the inputs, and needs at least two: one to train with, one held out.</source>
        <extracomment>sentences</extracomment>
        <translation>恢复训练在输入中只找到一个独立样本，至少需要两个：一个用于训练，一个留出。</translation>
    </message>
    <message>
        <source>Run more inputs through the model; 256 or more are useful.</source>
        <extracomment>sentences</extracomment>
        <translation>请让更多输入通过模型；256 个或更多较为合适。</translation>
    </message>
    <message>
        <source>Call the model with tensors, lists and dicts of tensors only; language models with use_cache=False instead of generate().</source>
        <extracomment>sentences</extracomment>
        <translation>请仅用张量、张量的列表和字典调用模型；语言模型请使用 use_cache=False 而不是 generate()。</translation>
    </message>
    <message>
        <source>Fix this environment, or choose the interpreter of another.</source>
        <extracomment>sentences</extracomment>
        <translation>请修复此环境，或选择其他环境的解释器。</translation>
    </message>
    <message>
        <source>torch.export cannot trace the model: {reason}.</source>
        <extracomment>sentences</extracomment>
        <translation>torch.export 无法追踪模型：{reason}。</translation>
    </message>
    <message>
        <source>4-bit numbers of ONNX are not read</source>
        <extracomment>sentences</extracomment>
        <translation>不读取 ONNX 的 4 位数值</translation>
    </message>
    <message>
        <source>2-bit numbers of ONNX are not read</source>
        <extracomment>sentences</extracomment>
        <translation>不读取 ONNX 的 2 位数值</translation>
    </message>
    <message>
        <source>it is in a branch of the graph</source>
        <extracomment>sentences</extracomment>
        <translation>它位于计算图的分支中</translation>
    </message>
    <message>
        <source>another tensor has its name</source>
        <extracomment>sentences</extracomment>
        <translation>另一个张量与它同名</translation>
    </message>
    <message>
        <source>it is a segment of a tensor</source>
        <extracomment>sentences</extracomment>
        <translation>它是某个张量的一段</translation>
    </message>
    <message>
        <source>its numbers are in several pieces</source>
        <extracomment>sentences</extracomment>
        <translation>其数值分为多段</translation>
    </message>
    <message>
        <source>The sparse initializers of this ONNX model are not read, and not shown: {sparse}.</source>
        <extracomment>sentences</extracomment>
        <translation>不读取也不显示此 ONNX 模型的稀疏初始化器：{sparse} 个。</translation>
    </message>
    <message>
        <source>Tensors of subgraphs are not shown if other tensors have their names: {hidden}.</source>
        <extracomment>sentences</extracomment>
        <translation>不显示子图中与其他张量同名的张量：{hidden} 个。</translation>
    </message>
    <message>
        <source>Weights of this model were packed by compressed-tensors, in a way that no current program unpacks. Exports are unpacked: then remove &apos;quantization_config&apos; from config.json.</source>
        <extracomment>sentences</extracomment>
        <translation>此模型的权重由 compressed-tensors 打包，目前没有程序能解包这种形式。导出后为普通权重；届时请从 config.json 中删除 &apos;quantization_config&apos;。</translation>
    </message>
    <message>
        <source>it was replaced</source>
        <extracomment>sentences</extracomment>
        <translation>它已被替换</translation>
    </message>
    <message>
        <source>only {len} of {value} bytes</source>
        <extracomment>sentences</extracomment>
        <translation>只收到 {value} 字节中的 {len} 字节</translation>
    </message>
    <message>
        <source>the store does not answer ({name})</source>
        <extracomment>sentences</extracomment>
        <translation>存储没有响应（{name}）</translation>
    </message>
    <message>
        <source>what the store sends does not match its checksum</source>
        <extracomment>sentences</extracomment>
        <translation>存储发来的内容与其校验和不符</translation>
    </message>
    <message>
        <source>torch.export has written it in another layout than that of plain tensors</source>
        <extracomment>sentences</extracomment>
        <translation>torch.export 写入它时所用的布局不是普通张量的布局</translation>
    </message>
    <message>
        <source>it is of type {number} of torch.export, which is not known</source>
        <extracomment>sentences</extracomment>
        <translation>它的类型是 torch.export 的 {number}，该类型未知</translation>
    </message>
    <message>
        <source>After its last tensor, the file has {more} more.</source>
        <extracomment>sentences</extracomment>
        <translation>在最后一个张量之后，文件还有 {more}。</translation>
    </message>
    <message>
        <source>it is a {path}, which Pruneapp does not read</source>
        <extracomment>sentences</extracomment>
        <translation>其类型为 {path}，Pruneapp 不读取这种类型</translation>
    </message>
    <message>
        <source>it is a numpy array of Python objects (dtype object), no numbers</source>
        <extracomment>sentences</extracomment>
        <translation>它是由 Python 对象（dtype object）组成的 numpy 数组，而不是数值</translation>
    </message>
    <message>
        <source>it is a numpy array of type &apos;{shown}&apos;, which Pruneapp does not read</source>
        <extracomment>sentences</extracomment>
        <translation>它是类型为 &apos;{shown}&apos; 的 numpy 数组，Pruneapp 不读取这种类型</translation>
    </message>
    <message>
        <source>torch.{name} is stored before a negation or conjugation</source>
        <extracomment>sentences</extracomment>
        <translation>torch.{name} 存储的是取负或取共轭之前的数值</translation>
    </message>
    <message>
        <source>nested jagged</source>
        <extracomment>sentences</extracomment>
        <translation>嵌套 (jagged)</translation>
    </message>
    <message>
        <source>it is stored as a numpy array of another type</source>
        <extracomment>sentences</extracomment>
        <translation>它存储为另一种类型的 numpy 数组</translation>
    </message>
    <message>
        <source>it is made of other tensors</source>
        <extracomment>sentences</extracomment>
        <translation>它由其他张量组成</translation>
    </message>
    <message>
        <source>it is a part of a {kind} tensor</source>
        <extracomment>sentences</extracomment>
        <translation>它是{kind} 张量的一部分</translation>
    </message>
    <message>
        <source>{kind} tensor of shape {shape}</source>
        <extracomment>sentences</extracomment>
        <translation>形状为 {shape} 的{kind} 张量</translation>
    </message>
    <message>
        <source>{kind} tensor</source>
        <extracomment>sentences</extracomment>
        <translation>{kind} 张量</translation>
    </message>
    <message>
        <source>it is a {value} made of other tensors</source>
        <extracomment>sentences</extracomment>
        <translation>其类型为 {value}，由其他张量组成</translation>
    </message>
    <message>
        <source>it is a DTensor whose local shard cannot be read</source>
        <extracomment>sentences</extracomment>
        <translation>它是 DTensor，其本地分片无法读取</translation>
    </message>
    <message>
        <source>it is a DTensor that does not say how it is spread</source>
        <extracomment>sentences</extracomment>
        <translation>它是 DTensor，但没有说明如何分布</translation>
    </message>
    <message>
        <source>storage &apos;{key}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>存储 &apos;{key}&apos;</translation>
    </message>
    <message>
        <source>tensor &apos;{name}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>张量 &apos;{name}&apos;</translation>
    </message>
    <message>
        <source>Waiting for workers</source>
        <extracomment>sentences</extracomment>
        <translation>正在等待 worker</translation>
    </message>
    <message>
        <source>Starting workers</source>
        <extracomment>sentences</extracomment>
        <translation>正在启动 worker</translation>
    </message>
    <message>
        <source>Comparing {name}</source>
        <extracomment>sentences</extracomment>
        <translation>正在比较 {name}</translation>
    </message>
    <message>
        <source>Writing {name}</source>
        <extracomment>sentences</extracomment>
        <translation>正在写入 {name}</translation>
    </message>
    <message>
        <source>{method} on one worker</source>
        <extracomment>sentences</extracomment>
        <translation>在一个 worker 上运行 {method}</translation>
    </message>
    <message>
        <source>Looking for whole channels</source>
        <extracomment>sentences</extracomment>
        <translation>正在查找完整的通道</translation>
    </message>
    <message>
        <source>Entries that make pruned weights permanent</source>
        <extracomment>sentences</extracomment>
        <translation>将已剪枝权重永久化的条目</translation>
    </message>
    <message>
        <source>Entries that treat zeros as pruned</source>
        <extracomment>sentences</extracomment>
        <translation>将零视为已剪枝的条目</translation>
    </message>
    <message>
        <source>On the worker {address}: {sentence}</source>
        <extracomment>sentences</extracomment>
        <translation>在 worker {address} 上：{sentence}</translation>
    </message>
    <message>
        <source>Also prunes {counted}: {examples}{more}</source>
        <extracomment>sentences</extracomment>
        <translation>同时剪枝 {counted}：{examples}{more}</translation>
    </message>
    <message>
        <source>: its {kinds} are not neurons, heads or channels of a group</source>
        <extracomment>sentences</extracomment>
        <translation>：其{kinds}不是组的神经元、头或通道</translation>
    </message>
    <message>
        <source>No other tensor is known to depend on dim {dim} of &apos;{name}&apos;{are}.</source>
        <extracomment>sentences</extracomment>
        <translation>不知道有其他张量依赖 &apos;{name}&apos; 的维度 {dim}{are}。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos;: there is no tensor of this name.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos;：没有此名称的张量。</translation>
    </message>
    <message>
        <source>{list}, but {list2} here</source>
        <extracomment>sentences</extracomment>
        <translation>{list}，而此处为 {list2}</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has the shape {shapes}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 的形状为 {shapes}。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; cannot be pruned here: {why_not}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 在此无法剪枝：{why_not}。</translation>
    </message>
    <message>
        <source>Training was stopped after {done} of {counted}, which reduced the error of the outputs on {samples} from {start} to {end}. The whole model was not trained.</source>
        <extracomment>sentences</extracomment>
        <translation>训练在 {done}/{counted}后停止，输出在 {samples}上的误差从 {start} 降到 {end}。未训练整个模型。</translation>
    </message>
    <message>
        <source>Training each block reduced the error of the outputs on {samples} from {start} to {end}. The whole model was not trained.</source>
        <extracomment>sentences</extracomment>
        <translation>逐块训练使输出在 {samples}上的误差从 {start} 降到 {end}。未训练整个模型。</translation>
    </message>
    <message>
        <source>Compare the names and shapes of the file with those of the model: the class or its arguments differ.</source>
        <extracomment>sentences</extracomment>
        <translation>请比较文件与模型的名称和形状：类或其参数不同。</translation>
    </message>
    <message>
        <source>those tensors</source>
        <extracomment>sentences</extracomment>
        <translation>这些张量</translation>
    </message>
    <message>
        <source>&apos;{prefix}{second}&apos; comes before &apos;{prefix2}{first}&apos; in the file, so the block computes in another order.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{prefix}{second}&apos; 在文件中位于 &apos;{prefix2}{first}&apos; 之前，因此该块按另一种顺序计算。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has the shape {shown}, and in such a block it would have {form_of}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 的形状为 {shown}，而在这种块中应为 {form_of}。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is tied to &apos;{aliases}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 与 &apos;{aliases}&apos; 共享权重。</translation>
    </message>
    <message>
        <source>of a number</source>
        <extracomment>sentences</extracomment>
        <translation>单个数</translation>
    </message>
    <message>
        <source>an operator fixes its size</source>
        <extracomment>sentences</extracomment>
        <translation>某个算子固定了其大小</translation>
    </message>
    <message>
        <source>By {CONFIG} there are {count} units ({size}).</source>
        <extracomment>sentences</extracomment>
        <translation>根据 {CONFIG}，有 {count} 个单元（{size}）。</translation>
    </message>
    <message>
        <source>{count} units are no multiple of {outer}.</source>
        <extracomment>sentences</extracomment>
        <translation>{count} 个单元不是 {outer} 的倍数。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has {len} dimensions and should have more than {dim}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 有 {len} 个维度，应多于 {dim} 个。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has {size} entries along dim {dim}; {CONFIG} requires {wanted}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 在维度 {dim} 上有 {size} 项；根据 {CONFIG} 应为 {wanted} 项。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is of an expert beyond {value}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 所属专家的编号超过 {value}。</translation>
    </message>
    <message>
        <source>Some experts of &apos;{prefix}&apos; are missing.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{prefix}&apos; 的专家不全。</translation>
    </message>
    <message>
        <source>, which fits all tensors</source>
        <extracomment>sentences</extracomment>
        <translation>（适用于所有张量）</translation>
    </message>
    <message>
        <source>Enter {most}{fits}, or unprotect weights.</source>
        <extracomment>sentences</extracomment>
        <translation>请输入{most}{fits}，或取消对权重的保护。</translation>
    </message>
    <message>
        <source>{n} more tensor</source>
        <extracomment>sentences</extracomment>
        <translation>{n} 个其他张量</translation>
    </message>
    <message>
        <source>&apos;{where}&apos; is a scan with {join}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos; 是条件不同的扫描，不同之处：{join}。</translation>
    </message>
    <message>
        <source>{n} more tensors</source>
        <extracomment>sentences</extracomment>
        <translation>{n} 个其他张量</translation>
    </message>
    <message>
        <source>Choose an empty folder or the name of a new one, or remove what is there.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择空文件夹或新文件夹的名称，或移除该处的内容。</translation>
    </message>
    <message>
        <source>Choose another folder.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择其他文件夹。</translation>
    </message>
    <message>
        <source>The files in &apos;{folder}&apos; cannot be listed: {words_of}.</source>
        <extracomment>sentences</extracomment>
        <translation>无法列出 &apos;{folder}&apos; 中的文件：{words_of}。</translation>
    </message>
    <message>
        <source>Ask for permission to read the folder, or choose another one.</source>
        <extracomment>sentences</extracomment>
        <translation>请申请读取该文件夹的权限，或使用其他文件夹。</translation>
    </message>
    <message>
        <source>&apos;{index}&apos; lists the modules of the model, and cannot be read: {error}</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{index}&apos; 列出了模型的模块，但无法读取：{error}</translation>
    </message>
    <message>
        <source>Fix the file, or move it out of the folder.</source>
        <extracomment>sentences</extracomment>
        <translation>请修正该文件，或将其移出文件夹。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; was changed by another program while it was being copied.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 在复制期间被其他程序更改。</translation>
    </message>
    <message>
        <source>Nothing was written. Export again.</source>
        <extracomment>sentences</extracomment>
        <translation>未写入任何内容。请重新导出。</translation>
    </message>
    <message>
        <source>Ask for permission to read it, or move it out of the folder.</source>
        <extracomment>sentences</extracomment>
        <translation>请申请读取该文件的权限，或将其移出文件夹。</translation>
    </message>
    <message>
        <source>With a max shard size a folder is written, but &apos;{name}&apos; is the name of a file.</source>
        <extracomment>sentences</extracomment>
        <translation>设定分片大小上限时会写入文件夹，但 &apos;{name}&apos; 是文件的名称。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is the name of a file, but not of one in the format &apos;{name2}&apos;: the model would be written as a folder of that name.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 是文件的名称，但不是格式 &apos;{name2}&apos; 的文件的名称：模型将写为该名称的文件夹。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is a link to &apos;{resolved}&apos;, and links are not followed by default.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 是指向 &apos;{resolved}&apos; 的链接，默认不跟随链接。</translation>
    </message>
    <message>
        <source>Export to &apos;{resolved}&apos; itself, or allow it: --follow-links.</source>
        <extracomment>sentences</extracomment>
        <translation>请直接导出到 &apos;{resolved}&apos;，或允许跟随链接：--follow-links。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is not a valid file name: {reason}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 不是有效的文件名：{reason}。</translation>
    </message>
    <message>
        <source>transformers expects plain weights in a file named &apos;{name}&apos;, which this export is not (&apos;{label}&apos;).</source>
        <extracomment>sentences</extracomment>
        <translation>transformers 认为名为 &apos;{name}&apos; 的文件中是普通权重，而此导出不是（&apos;{label}&apos;）。</translation>
    </message>
    <message>
        <source>Choose another name, one that ends in {suffixes}.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择其他名称，以 {suffixes} 结尾。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is a link to &apos;{resolved}&apos;, and links are not followed here.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 是指向 &apos;{resolved}&apos; 的链接，此处不跟随链接。</translation>
    </message>
    <message>
        <source>Specify &apos;{resolved}&apos; itself, or another name.</source>
        <extracomment>sentences</extracomment>
        <translation>请直接指定 &apos;{resolved}&apos;，或其他名称。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; cannot be written: &apos;{parent}&apos; is a file, not a folder.</source>
        <extracomment>sentences</extracomment>
        <translation>无法写入 &apos;{path}&apos;：&apos;{parent}&apos; 是文件，不是文件夹。</translation>
    </message>
    <message>
        <source>Choose a folder.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择文件夹。</translation>
    </message>
    <message>
        <source>Make the folder first, or choose another.</source>
        <extracomment>sentences</extracomment>
        <translation>请先创建该文件夹，或选择其他文件夹。</translation>
    </message>
    <message>
        <source>&apos;{name}…{name2}&apos; is not a valid name for a file or folder: it has {size} bytes, and a name has at most {NAME_BYTES}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}…{name2}&apos; 不是有效的文件或文件夹名称：它有 {size} 字节，而名称最多为 {NAME_BYTES} 字节。</translation>
    </message>
    <message>
        <source>Choose a shorter name.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择较短的名称。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is a folder.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 是文件夹。</translation>
    </message>
    <message>
        <source>Add the name of a file to it.</source>
        <extracomment>sentences</extracomment>
        <translation>请在其后加上文件名。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; {reason}</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos;：{reason}</translation>
    </message>
    <message>
        <source>Choose the folder &apos;{parent}&apos;, or another name.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择文件夹 &apos;{parent}&apos;，或其他名称。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is a broken link, so nothing was written.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 是失效的链接，因此未写入任何内容。</translation>
    </message>
    <message>
        <source>Remove the link or choose another name.</source>
        <extracomment>sentences</extracomment>
        <translation>请移除该链接，或选择其他名称。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is a file, but a model of several files needs a folder.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 是文件，而由多个文件组成的模型需要文件夹。</translation>
    </message>
    <message>
        <source>{name} is not a valid name for a file or folder: it cannot be encoded.</source>
        <extracomment>sentences</extracomment>
        <translation>{name} 不是有效的文件或文件夹名称：无法编码。</translation>
    </message>
    <message>
        <source>&apos;{resolved}&apos; is in a download cache, whose files are shared and named by their content.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{resolved}&apos; 位于下载缓存中，其文件是共享的，并按内容命名。</translation>
    </message>
    <message>
        <source>&apos;{value}&apos; is a folder, and a file of the export has that name.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{value}&apos; 是文件夹，而导出中有一个同名的文件。</translation>
    </message>
    <message>
        <source>Choose another folder, or remove what is there.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择其他文件夹，或移除该处的内容。</translation>
    </message>
    <message>
        <source>Choose another format.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择其他格式。</translation>
    </message>
    <message>
        <source>{n} tensor is</source>
        <extracomment>sentences</extracomment>
        <translation>{n} 个张量</translation>
    </message>
    <message>
        <source>{n} tensors are</source>
        <extracomment>sentences</extracomment>
        <translation>{n} 个张量</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is damaged: its decompressed content is not of the size in its header.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 已损坏：解压后内容的大小与其文件头中的不符。</translation>
    </message>
    <message>
        <source>Export as torch.</source>
        <extracomment>sentences</extracomment>
        <translation>请导出为 torch。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; does not contain the size of its decompressed content.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 中没有解压后内容的大小。</translation>
    </message>
    <message>
        <source>Unpack it with `zstd -d`.</source>
        <extracomment>sentences</extracomment>
        <translation>请用 `zstd -d` 解压。</translation>
    </message>
    <message>
        <source>The reader script for compact files cannot be read from the installation of Pruneapp: {words_of}.</source>
        <extracomment>sentences</extracomment>
        <translation>无法从 Pruneapp 的安装中读取紧凑文件的读取脚本：{words_of}。</translation>
    </message>
    <message>
        <source>Export without it, or install Pruneapp again.</source>
        <extracomment>sentences</extracomment>
        <translation>请不带该脚本导出，或重新安装 Pruneapp。</translation>
    </message>
    <message>
        <source>The compact format reserves the name &apos;{name}&apos;, but a tensor has it.</source>
        <extracomment>sentences</extracomment>
        <translation>紧凑格式保留了名称 &apos;{name}&apos;，但有张量使用该名称。</translation>
    </message>
    <message>
        <source>&apos;{out}&apos; is the file to expand, which cannot be its own output.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{out}&apos; 是要展开的文件，不能同时作为输出。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is neither a compact file nor one compressed with zstd ({label}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 既不是紧凑文件，也不是用 zstd 压缩的文件（{label}）。</translation>
    </message>
    <message>
        <source>Only compact and zst exports can be expanded.</source>
        <extracomment>sentences</extracomment>
        <translation>只有紧凑导出和 zst 导出才能展开。</translation>
    </message>
    <message>
        <source>{n} pruned tensor</source>
        <extracomment>sentences</extracomment>
        <translation>{n} 个被剪枝的张量</translation>
    </message>
    <message>
        <source>{n} pruned tensors</source>
        <extracomment>sentences</extracomment>
        <translation>{n} 个被剪枝的张量</translation>
    </message>
    <message>
        <source>These weights do not compress, and torch.load with mmap=True would map the file instead of decompressing it.</source>
        <extracomment>sentences</extracomment>
        <translation>这些权重无法压缩，而 torch.load 在 mmap=True 时会映射该文件，而不是将其解压。</translation>
    </message>
    <message>
        <source>Export as safetensors.</source>
        <extracomment>sentences</extracomment>
        <translation>请导出为 safetensors。</translation>
    </message>
    <message>
        <source>Give the file a name that ends in .safetensors.</source>
        <extracomment>sentences</extracomment>
        <translation>请使用以 .safetensors 结尾的文件名。</translation>
    </message>
    <message>
        <source>Give the file a name that ends in .pt.</source>
        <extracomment>sentences</extracomment>
        <translation>请使用以 .pt 结尾的文件名。</translation>
    </message>
    <message>
        <source>The resumable format reserves the name &apos;{ours}&apos;, but a tensor has it.</source>
        <extracomment>sentences</extracomment>
        <translation>可继续格式保留了名称 &apos;{ours}&apos;，但有张量使用该名称。</translation>
    </message>
    <message>
        <source>safetensors cannot store a tensor name that is not valid Unicode.</source>
        <extracomment>sentences</extracomment>
        <translation>safetensors 无法存储不是有效 Unicode 的张量名称。</translation>
    </message>
    <message>
        <source>{kind} cannot have the suffix .bin: {loss}.</source>
        <extracomment>sentences</extracomment>
        <translation>{kind}不能使用后缀 .bin：{loss}。</translation>
    </message>
    <message>
        <source>Use the suffix .pt.</source>
        <extracomment>sentences</extracomment>
        <translation>请使用后缀 .pt。</translation>
    </message>
    <message>
        <source>Temporary data in &apos;{fspath}&apos; cannot be written or read: {words_of}.</source>
        <extracomment>sentences</extracomment>
        <translation>无法写入或读取 &apos;{fspath}&apos; 中的临时数据：{words_of}。</translation>
    </message>
    <message>
        <source>Free disk space there, or set TMPDIR to another folder.</source>
        <extracomment>sentences</extracomment>
        <translation>请在该处释放磁盘空间，或将 TMPDIR 设为其他文件夹。</translation>
    </message>
    <message>
        <source>A report ends in {join} (got &apos;{name}&apos;).</source>
        <extracomment>sentences</extracomment>
        <translation>报告的文件名以 {join} 结尾（收到 &apos;{name}&apos;）。</translation>
    </message>
    <message>
        <source>Choose one of these suffixes.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择其中一个后缀。</translation>
    </message>
    <message>
        <source>The comparison script reads files of a disk, and &apos;{path}&apos; is in a store.</source>
        <extracomment>sentences</extracomment>
        <translation>比较脚本只能读取磁盘上的文件，而 &apos;{path}&apos; 位于存储中。</translation>
    </message>
    <message>
        <source>Compare with `pruneapp diff`, or download both first.</source>
        <extracomment>sentences</extracomment>
        <translation>请用 `pruneapp diff` 比较，或先将两者下载。</translation>
    </message>
    <message>
        <source>The comparison script needs the original, which it cannot find: {rstrip}.</source>
        <extracomment>sentences</extracomment>
        <translation>比较脚本需要原文件，但找不到：{rstrip}。</translation>
    </message>
    <message>
        <source>Export to another path, or keep a backup of the original.</source>
        <extracomment>sentences</extracomment>
        <translation>请导出到其他路径，或保留原文件的备份。</translation>
    </message>
    <message>
        <source>A script cannot load &apos;{name}&apos; ({label}).</source>
        <extracomment>sentences</extracomment>
        <translation>脚本无法加载 &apos;{name}&apos;（{label}）。</translation>
    </message>
    <message>
        <source>Export it as safetensors, and open that.</source>
        <extracomment>sentences</extracomment>
        <translation>请将其导出为 safetensors，再打开导出的文件。</translation>
    </message>
    <message>
        <source>torch.load refuses &apos;{name}&apos; with weights_only=True, because it names code ({unknown}).</source>
        <extracomment>sentences</extracomment>
        <translation>torch.load 在 weights_only=True 时拒绝加载 &apos;{name}&apos;，因为其中引用了代码（{unknown}）。</translation>
    </message>
    <message>
        <source>torch has no type {label}, which &apos;{name}&apos; has.</source>
        <extracomment>sentences</extracomment>
        <translation>torch 没有类型 {label}，而 &apos;{name}&apos; 为此类型。</translation>
    </message>
    <message>
        <source>torch&apos;s pruning multiplies weights by their mask, which it cannot do with {label}, the type of &apos;{name}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>torch 的剪枝会将权重与其掩码相乘，但无法用于 &apos;{name}&apos; 的类型 {label}。</translation>
    </message>
    <message>
        <source>&apos;{index}&apos;, the index of the model, can no longer be read.</source>
        <extracomment>sentences</extracomment>
        <translation>模型的索引 &apos;{index}&apos; 已无法读取。</translation>
    </message>
    <message>
        <source>Increase the max shard size.</source>
        <extracomment>sentences</extracomment>
        <translation>请增大分片大小上限。</translation>
    </message>
    <message>
        <source>This checkpoint cannot be written as a compact file, so its size cannot be guaranteed.</source>
        <extracomment>sentences</extracomment>
        <translation>此检查点无法写为紧凑文件，因此无法保证其大小。</translation>
    </message>
    <message>
        <source>Enter a fraction or a count.</source>
        <extracomment>sentences</extracomment>
        <translation>请输入比例或数量。</translation>
    </message>
    <message>
        <source>{nbytes} bytes cannot be reached: {least} are needed for the tensors that the step does not touch, and for the masks of the others.</source>
        <extracomment>sentences</extracomment>
        <translation>无法达到 {nbytes} 字节：此步骤未涉及的部分，以及用于记录其余部分中哪些已剪枝的数据，共需 {least} 字节。</translation>
    </message>
    <message>
        <source>Use a larger size, or select more tensors.</source>
        <extracomment>sentences</extracomment>
        <translation>请指定更多字节，或选择更多张量。</translation>
    </message>
    <message>
        <source>Without pruning anything more, a compact file takes {now} bytes at most; {nbytes} were asked for.</source>
        <extracomment>sentences</extracomment>
        <translation>即使不再剪枝，紧凑文件最多也只占 {now} 字节；指定的是 {nbytes} 字节。</translation>
    </message>
    <message>
        <source>Ask for fewer bytes.</source>
        <extracomment>sentences</extracomment>
        <translation>请指定更少的字节。</translation>
    </message>
    <message>
        <source>The metadata of &apos;{file}&apos; contains no recipe, so there is nothing to verify.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{file}&apos; 的元数据中没有配方，因此没有可验证的内容。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; cannot be read: {words_of}.</source>
        <extracomment>sentences</extracomment>
        <translation>无法读取 &apos;{path}&apos;：{words_of}。</translation>
    </message>
    <message>
        <source>Check the file and your permissions.</source>
        <extracomment>sentences</extracomment>
        <translation>请检查文件和您的权限。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; declares no family: {error}</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 没有声明模型系列：{error}</translation>
    </message>
    <message>
        <source>Open an ONNX model.</source>
        <extracomment>sentences</extracomment>
        <translation>请打开 ONNX 模型。</translation>
    </message>
    <message>
        <source>The graph of &apos;{path}&apos; is not as ONNX defines it.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 的计算图不符合 ONNX 的定义。</translation>
    </message>
    <message>
        <source>Check the model with onnx.checker, and save it again.</source>
        <extracomment>sentences</extracomment>
        <translation>请用 onnx.checker 检查模型，并重新保存。</translation>
    </message>
    <message>
        <source>The groups of an ONNX model need the package onnx, which is not installed.</source>
        <extracomment>sentences</extracomment>
        <translation>ONNX 模型的组需要软件包 onnx，但尚未安装。</translation>
    </message>
    <message>
        <source>Open a .pt2 file.</source>
        <extracomment>sentences</extracomment>
        <translation>请打开 .pt2 文件。</translation>
    </message>
    <message>
        <source>The graph of &apos;{path}&apos; is not as torch.export writes it.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 的计算图与 torch.export 写入的不同。</translation>
    </message>
    <message>
        <source>Export the model again.</source>
        <extracomment>sentences</extracomment>
        <translation>请重新导出模型。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has different shapes in A and B and cannot be compared.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 在另一侧的形状不同：无法比较。</translation>
    </message>
    <message>
        <source>Choose another tensor, or show something else.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择其他张量，或显示其他内容。</translation>
    </message>
    <message>
        <source>Undo still works. Free disk space, or export and reopen the file before memory runs low.</source>
        <extracomment>sentences</extracomment>
        <translation>仍可撤销：会读取原文件的备份。</translation>
    </message>
    <message>
        <source>Undo and try again.</source>
        <extracomment>sentences</extracomment>
        <translation>请撤销后重试。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has changed.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 已更改。</translation>
    </message>
    <message>
        <source>Start the evaluation again to read the new version.</source>
        <extracomment>sentences</extracomment>
        <translation>请重新开始评估，以读取新版本。</translation>
    </message>
    <message>
        <source>Enter a command line.</source>
        <extracomment>sentences</extracomment>
        <translation>请输入命令行。</translation>
    </message>
    <message>
        <source>There is no program &apos;{name}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>没有程序 &apos;{name}&apos;。</translation>
    </message>
    <message>
        <source>Choose {what}.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择{what}。</translation>
    </message>
    <message>
        <source>There is no file &apos;{text}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>没有文件“{text}”。</translation>
    </message>
    <message>
        <source>Choose a text file for the model.</source>
        <extracomment>sentences</extracomment>
        <translation>请为模型选择文本文件。</translation>
    </message>
    <message>
        <source>Wait for the export to finish, or press Esc to cancel it.</source>
        <extracomment>sentences</extracomment>
        <translation>请等待导出完成，或按 Esc 取消。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is not the file that this session was made with: its size matches, but its SHA-256 differs.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 不是此会话所用的文件：大小相同，但 SHA-256 不同。</translation>
    </message>
    <message>
        <source>The masks fit, but were made for other weights. Locate the original file.</source>
        <extracomment>sentences</extracomment>
        <translation>掩码形状相符，但它们是为其他权重生成的。请定位原文件。</translation>
    </message>
    <message>
        <source>Nothing is selected.</source>
        <extracomment>sentences</extracomment>
        <translation>没有选中任何内容。</translation>
    </message>
    <message>
        <source>Select channels or weights in the picture; see Help &gt; Keyboard shortcuts.</source>
        <extracomment>sentences</extracomment>
        <translation>请在图片中选择通道或权重；参见“帮助 &gt; 键盘快捷键”。</translation>
    </message>
    <message>
        <source>No tensor is checked.</source>
        <extracomment>sentences</extracomment>
        <translation>没有勾选张量。</translation>
    </message>
    <message>
        <source>Check a tensor in the tree.</source>
        <extracomment>sentences</extracomment>
        <translation>请在树中勾选张量。</translation>
    </message>
    <message>
        <source>Enter the tensors that this rule applies to.</source>
        <extracomment>sentences</extracomment>
        <translation>请输入此规则适用的张量。</translation>
    </message>
    <message>
        <source>This file has no tensors.</source>
        <extracomment>sentences</extracomment>
        <translation>此文件没有张量。</translation>
    </message>
    <message>
        <source>Open another checkpoint.</source>
        <extracomment>sentences</extracomment>
        <translation>请打开其他检查点。</translation>
    </message>
    <message>
        <source>No tensor of this file can be pruned.</source>
        <extracomment>sentences</extracomment>
        <translation>此文件中没有可剪枝的张量。</translation>
    </message>
    <message>
        <source>The tree shows the reason for each.</source>
        <extracomment>sentences</extracomment>
        <translation>树中显示了每个张量的原因。</translation>
    </message>
    <message>
        <source>Rule {rule} is for the checked tensors, but no tensor is checked.</source>
        <extracomment>sentences</extracomment>
        <translation>规则 {rule} 适用于勾选的张量，但没有勾选张量。</translation>
    </message>
    <message>
        <source>Check a tensor in the tree, or remove the rule.</source>
        <extracomment>sentences</extracomment>
        <translation>请在树中勾选张量，或移除该规则。</translation>
    </message>
    <message>
        <source>No checkpoint is open.</source>
        <extracomment>sentences</extracomment>
        <translation>没有打开检查点。</translation>
    </message>
    <message>
        <source>No {kind} layer can be pruned here.</source>
        <extracomment>sentences</extracomment>
        <translation>此处没有可剪枝的 {kind} 层。</translation>
    </message>
    <message>
        <source>The picture cannot be encoded as PNG. Nothing was written.</source>
        <extracomment>sentences</extracomment>
        <translation>图片无法编码为 PNG。未写入任何内容。</translation>
    </message>
    <message>
        <source>No channels are selected.</source>
        <extracomment>sentences</extracomment>
        <translation>没有选中通道。</translation>
    </message>
    <message>
        <source>Select bars on the Channels tab (3).</source>
        <extracomment>sentences</extracomment>
        <translation>请在“通道”标签页 (3) 选择条。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is not a list of channels: it is not UTF-8 text at byte {start}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 不是通道列表：字节 {start} 处不是 UTF-8 文本。</translation>
    </message>
    <message>
        <source>Choose a text file with indices such as 0-3, 7, 12.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择含有 0-3, 7, 12 这类索引的文本文件。</translation>
    </message>
    <message>
        <source>There is no text on the clipboard.</source>
        <extracomment>sentences</extracomment>
        <translation>剪贴板上没有文本。</translation>
    </message>
    <message>
        <source>Copy a list of channels, such as 0-3, 7, 12.</source>
        <extracomment>sentences</extracomment>
        <translation>请复制通道列表，例如 0-3, 7, 12。</translation>
    </message>
    <message>
        <source>There are no channels to select from.</source>
        <extracomment>sentences</extracomment>
        <translation>没有可供选择的通道。</translation>
    </message>
    <message>
        <source>Show the Channels tab (3) of a tensor of two or more dimensions.</source>
        <extracomment>sentences</extracomment>
        <translation>请显示二维或更高维张量的“通道”标签页 (3)。</translation>
    </message>
    <message>
        <source>Enter a size as a number and a unit, such as 40 MB or 512 KiB (got &apos;{strip}&apos;).</source>
        <extracomment>sentences</extracomment>
        <translation>请输入带单位的大小，例如 40 MB 或 512 KiB（收到 &apos;{strip}&apos;）。</translation>
    </message>
    <message>
        <source>&apos;{label}&apos; prunes whole {granularity}, so a file size cannot be guaranteed.</source>
        <extracomment>sentences</extracomment>
        <translation>“{label}”整体剪枝（{granularity}），因此无法保证文件大小。</translation>
    </message>
    <message>
        <source>Choose an unstructured method.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择非结构化方法。</translation>
    </message>
    <message>
        <source>The recipe was not applied because the history changed in the meantime.</source>
        <extracomment>sentences</extracomment>
        <translation>配方没有应用，因为历史在此期间发生了变化。</translation>
    </message>
    <message>
        <source>Apply the recipe again.</source>
        <extracomment>sentences</extracomment>
        <translation>请再次应用配方。</translation>
    </message>
    <message>
        <source>The history is empty, so there is no recipe to save.</source>
        <extracomment>sentences</extracomment>
        <translation>历史为空，因此没有可保存的配方。</translation>
    </message>
    <message>
        <source>Apply a pruning step first.</source>
        <extracomment>sentences</extracomment>
        <translation>请先应用剪枝步骤。</translation>
    </message>
    <message>
        <source>Iterative pruning needs exactly one rule (got {len}).</source>
        <extracomment>sentences</extracomment>
        <translation>迭代剪枝只能有一条规则（收到 {len} 条）。</translation>
    </message>
    <message>
        <source>Remove the other rules, and apply them before or after.</source>
        <extracomment>sentences</extracomment>
        <translation>请移除其他规则，在此之前或之后应用它们。</translation>
    </message>
    <message>
        <source>Iterative pruning of channels or blocks works per tensor only.</source>
        <extracomment>sentences</extracomment>
        <translation>通道或块的迭代剪枝只能逐张量进行。</translation>
    </message>
    <message>
        <source>Choose the scope &apos;per tensor&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择范围“逐张量”。</translation>
    </message>
    <message>
        <source>These tensors have only {size} weights.</source>
        <extracomment>sentences</extracomment>
        <translation>这些张量只有 {size} 个权重。</translation>
    </message>
    <message>
        <source>{begun} of {size} weights are already pruned.</source>
        <extracomment>sentences</extracomment>
        <translation>{size} 个权重中已有 {begun} 个被剪枝。</translation>
    </message>
    <message>
        <source>Enter a higher final sparsity, or undo.</source>
        <extracomment>sentences</extracomment>
        <translation>请输入更高的最终稀疏度，或撤销。</translation>
    </message>
    <message>
        <source>No round was applied because the history changed in the meantime.</source>
        <extracomment>sentences</extracomment>
        <translation>没有应用任何轮次，因为历史在此期间发生了变化。</translation>
    </message>
    <message>
        <source>Start iterative pruning again.</source>
        <extracomment>sentences</extracomment>
        <translation>请重新开始迭代剪枝。</translation>
    </message>
    <message>
        <source>Choose a statistics file.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择统计文件。</translation>
    </message>
    <message>
        <source>Wait for it to finish, or press Esc to cancel it.</source>
        <extracomment>sentences</extracomment>
        <translation>请等待完成，或按 Esc 取消。</translation>
    </message>
    <message>
        <source>No layer is partly pruned, so there is nothing to repair.</source>
        <extracomment>sentences</extracomment>
        <translation>没有被部分剪枝的层，因此无需修复。</translation>
    </message>
    <message>
        <source>Prune first; zeros in the file count after Treat zeros as pruned.</source>
        <extracomment>sentences</extracomment>
        <translation>请先剪枝；文件中的零在“将零视为已剪枝”之后才计入。</translation>
    </message>
    <message>
        <source>Nothing has been scanned yet, so nothing can be allocated.</source>
        <extracomment>sentences</extracomment>
        <translation>尚未扫描，因此无法分配。</translation>
    </message>
    <message>
        <source>Choose Tools &gt; Scan sensitivity… first.</source>
        <extracomment>sentences</extracomment>
        <translation>请先执行“工具 &gt; 扫描敏感度…”。</translation>
    </message>
    <message>
        <source>The state that was scanned is not in the history any more.</source>
        <extracomment>sentences</extracomment>
        <translation>扫描过的状态已不在历史中。</translation>
    </message>
    <message>
        <source>Scan the current state.</source>
        <extracomment>sentences</extracomment>
        <translation>请扫描当前状态。</translation>
    </message>
    <message>
        <source>This is not the state that was scanned: other weights are pruned in it.</source>
        <extracomment>sentences</extracomment>
        <translation>这不是扫描过的状态：其中被剪枝的权重不同。</translation>
    </message>
    <message>
        <source>The allocation was not applied because the history changed in the meantime.</source>
        <extracomment>sentences</extracomment>
        <translation>分配没有应用，因为历史在此期间发生了变化。</translation>
    </message>
    <message>
        <source>Allocate again.</source>
        <extracomment>sentences</extracomment>
        <translation>请重新分配。</translation>
    </message>
    <message>
        <source>A scan is running.</source>
        <extracomment>sentences</extracomment>
        <translation>扫描正在进行。</translation>
    </message>
    <message>
        <source>No tensor is checked, so there is nothing to scan.</source>
        <extracomment>sentences</extracomment>
        <translation>没有勾选张量，因此没有可扫描的内容。</translation>
    </message>
    <message>
        <source>Check tensors in the tree.</source>
        <extracomment>sentences</extracomment>
        <translation>请在树中勾选张量。</translation>
    </message>
    <message>
        <source>Custom pruning methods are classes of torch, which is not installed.</source>
        <extracomment>sentences</extracomment>
        <translation>自定义剪枝方法是 torch 的类，但尚未安装 torch。</translation>
    </message>
    <message>
        <source>it is nested too deeply: at most {MAX_DEPTH} levels are allowed</source>
        <extracomment>sentences</extracomment>
        <translation>嵌套过深：最多 {MAX_DEPTH} 层</translation>
    </message>
    <message>
        <source>it is not a JSON object</source>
        <extracomment>sentences</extracomment>
        <translation>不是 JSON 对象</translation>
    </message>
    <message>
        <source>it is not UTF-8 text at byte {start}</source>
        <extracomment>sentences</extracomment>
        <translation>在字节 {start} 处不是 UTF-8 文本</translation>
    </message>
    <message>
        <source>&apos;{where}&apos;, at {place}: {sentence}</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos;，位于 {place}：{sentence}</translation>
    </message>
    <message>
        <source>{quoted_names} of &apos;{path}&apos; cannot be written as {name}: {why}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 的 {quoted_names} 无法写为 {name}：{why}。</translation>
    </message>
    <message>
        <source>{quoted_names} of &apos;{path}&apos; would not be in the export, which is a bug in Pruneapp.</source>
        <extracomment>sentences</extracomment>
        <translation>导出中将缺少 &apos;{path}&apos; 的 {quoted_names}，这是 Pruneapp 的缺陷。</translation>
    </message>
    <message>
        <source>The program cannot be written, because {reason}.</source>
        <extracomment>sentences</extracomment>
        <translation>无法写入该程序：{reason}。</translation>
    </message>
    <message>
        <source>There would be more than {MAX_FILES} files of at most {format_bytes}.</source>
        <extracomment>sentences</extracomment>
        <translation>将会产生超过 {MAX_FILES} 个文件（每个最大 {format_bytes}）。</translation>
    </message>
    <message>
        <source>it is nested too deeply</source>
        <extracomment>sentences</extracomment>
        <translation>嵌套过深</translation>
    </message>
    <message>
        <source>&apos;device&apos; must be one of {join} (got {key}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;device&apos; 必须是以下之一：{join}（收到 {key}）。</translation>
    </message>
    <message>
        <source>There is no {upper} device here (there are: {join}).</source>
        <extracomment>sentences</extracomment>
        <translation>此处没有 {upper} 设备（可用设备：{join}）。</translation>
    </message>
    <message>
        <source>Choose auto or cpu.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择 auto 或 cpu。</translation>
    </message>
    <message>
        <source>GPUs need torch, which is not installed. {remedy_for}</source>
        <extracomment>sentences</extracomment>
        <translation>使用 GPU 需要 torch，但尚未安装。{remedy_for}</translation>
    </message>
    <message>
        <source>The device &apos;{name}&apos; failed: {rstrip}.</source>
        <extracomment>sentences</extracomment>
        <translation>设备 &apos;{name}&apos; 出错：{rstrip}。</translation>
    </message>
    <message>
        <source>Choose the CPU as device; the masks are the same.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择 CPU 作为设备；得到的掩码相同。</translation>
    </message>
    <message>
        <source>A mask of {value} GB does not fit into memory and is kept in &apos;{folder}&apos;, but {why}.</source>
        <extracomment>sentences</extracomment>
        <translation>{value} GB 的掩码无法放入内存，因此保存在 &apos;{folder}&apos; 中，但出现问题：{why}。</translation>
    </message>
    <message>
        <source>Free that much space there, or set XDG_CACHE_HOME to a folder on a larger disk and start Pruneapp again.</source>
        <extracomment>sentences</extracomment>
        <translation>请在该处释放相应的空间，或将 XDG_CACHE_HOME 设为更大磁盘上的文件夹，然后重新启动 Pruneapp。</translation>
    </message>
    <message>
        <source>{n} {one} that is</source>
        <extracomment>sentences</extracomment>
        <translation>{n} 个{one}</translation>
    </message>
    <message>
        <source>{n} {more} that are</source>
        <extracomment>sentences</extracomment>
        <translation>{n} 个{more}</translation>
    </message>
    <message>
        <source>&apos;amount&apos; is too large: of the {kept} not pruned yet, {counted} protected, so {can} ({given}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;amount&apos;过大：尚未剪枝的有 {kept}，其中受保护的为 {counted}，因此 {can}（{given}）。</translation>
    </message>
    <message>
        <source>At most {percent} {each} is {counted}, but {what} requires {target}.</source>
        <extracomment>sentences</extracomment>
        <translation>上限 {percent}（{each}）为 {counted}，但{what}要求 {target}。</translation>
    </message>
    <message>
        <source>Raise the maximum sparsity or lower the {word}.</source>
        <extracomment>sentences</extracomment>
        <translation>请提高最大稀疏度，或降低{word}。</translation>
    </message>
    <message>
        <source>&apos;amount&apos; must be 0 here: all {more} are pruned already (got {count}).</source>
        <extracomment>sentences</extracomment>
        <translation>此处&apos;amount&apos;必须为 0：所有 {more} 均已剪枝（收到 {count}）。</translation>
    </message>
    <message>
        <source>Uncheck pruned tensors, or undo a step.</source>
        <extracomment>sentences</extracomment>
        <translation>请取消勾选已剪枝的张量，或撤销一个步骤。</translation>
    </message>
    <message>
        <source>{n} {one} is</source>
        <extracomment>sentences</extracomment>
        <translation>{n} 个{one}</translation>
    </message>
    <message>
        <source>{n} {more} are</source>
        <extracomment>sentences</extracomment>
        <translation>{n} 个{more}</translation>
    </message>
    <message>
        <source>&apos;amount&apos; is larger than what remains: only {only} not pruned yet (got {count}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;amount&apos;超过了剩余的数量：尚未剪枝的只有 {only}（收到 {count}）。</translation>
    </message>
    <message>
        <source>At least {percent} of &apos;{names}&apos; is {counted}, but only {most} can be pruned: {counted2} protected.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{names}&apos; 的下限 {percent} 为 {counted}，但只有 {most} 个可以剪枝：受保护的为 {counted2}。</translation>
    </message>
    <message>
        <source>Lower the minimum sparsity, or unprotect weights.</source>
        <extracomment>sentences</extracomment>
        <translation>请降低最小稀疏度，或取消对权重的保护。</translation>
    </message>
    <message>
        <source>{counted} pruned already, but {what} is {target}.</source>
        <extracomment>sentences</extracomment>
        <translation>已剪枝的有 {counted}，但{what}为 {target}。</translation>
    </message>
    <message>
        <source>Raise the {word}, or undo a step.</source>
        <extracomment>sentences</extracomment>
        <translation>请提高{word}，或撤销一个步骤。</translation>
    </message>
    <message>
        <source>At least {percent} {each} is {counted}, but {what} is only {target}.</source>
        <extracomment>sentences</extracomment>
        <translation>下限 {percent}（{each}）为 {counted}，但{what}只有 {target}。</translation>
    </message>
    <message>
        <source>Lower the minimum sparsity or raise the {word}.</source>
        <extracomment>sentences</extracomment>
        <translation>请降低最小稀疏度，或提高{word}。</translation>
    </message>
    <message>
        <source>The selected tensors have {counted}, but {what} is {target}.</source>
        <extracomment>sentences</extracomment>
        <translation>所选张量共有 {counted}，但{what}为 {target}。</translation>
    </message>
    <message>
        <source>Lower the {word}.</source>
        <extracomment>sentences</extracomment>
        <translation>请降低{word}。</translation>
    </message>
    <message>
        <source>Only {counted} can be pruned, because {counted2} protected, but {what} requires {target}.</source>
        <extracomment>sentences</extracomment>
        <translation>可以剪枝的只有 {counted}，因为受保护的为 {counted2}，但{what}要求 {target}。</translation>
    </message>
    <message>
        <source>Lower the {word}, or unprotect weights.</source>
        <extracomment>sentences</extracomment>
        <translation>请降低{word}，或取消对权重的保护。</translation>
    </message>
    <message>
        <source>No number of whole {unit} of &apos;{names}&apos; is within {percent} to {percent2}: {most} are too few, and {least} would prune {value} of {numel} weights.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{names}&apos; 按整个{unit}剪枝时，稀疏度无法在 {percent} 到 {percent2} 之间：{most} 个太少，而 {least} 个将剪枝 {numel} 个权重中的 {value} 个。</translation>
    </message>
    <message>
        <source>At least {percent} of each tensor is {counted} in whole {unit}, but the total is only {target}.</source>
        <extracomment>sentences</extracomment>
        <translation>每个张量至少 {percent}，按整个{unit}计为 {counted}，但总量只有 {target}。</translation>
    </message>
    <message>
        <source>Lower the minimum sparsity or raise the total.</source>
        <extracomment>sentences</extracomment>
        <translation>请降低最小稀疏度，或提高总量。</translation>
    </message>
    <message>
        <source>{n} is</source>
        <extracomment>sentences</extracomment>
        <translation>{n} 个</translation>
    </message>
    <message>
        <source>{n} are</source>
        <extracomment>sentences</extracomment>
        <translation>{n} 个</translation>
    </message>
    <message>
        <source>{n} weight is</source>
        <extracomment>sentences</extracomment>
        <translation>{n} 个权重</translation>
    </message>
    <message>
        <source>{n} weights are</source>
        <extracomment>sentences</extracomment>
        <translation>{n} 个权重</translation>
    </message>
    <message>
        <source>Choose the dimension of the inputs, or &apos;wanda_n_m&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择输入所在的维度，或选择 &apos;wanda_n_m&apos;。</translation>
    </message>
    <message>
        <source>Nothing would be pruned: of {units}, {value} would be kept, and the number of units kept {where} is rounded up to a multiple of {multiple}.</source>
        <extracomment>sentences</extracomment>
        <translation>不会剪枝任何内容：{units} 中将保留 {value}，并且{where}保留的单元数向上取整为 {multiple} 的倍数。</translation>
    </message>
    <message>
        <source>&apos;{by}&apos; ranks units by the tensors that read them, and none is known for &apos;{place}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{by}&apos; 按读取单元的张量对单元排序，而 &apos;{place}&apos; 没有已知的此类张量。</translation>
    </message>
    <message>
        <source>Rank by &apos;wanda&apos; or by a norm.</source>
        <extracomment>sentences</extracomment>
        <translation>请按 &apos;wanda&apos; 或范数排序。</translation>
    </message>
    <message>
        <source>The statistics lack the inputs of {first_names}, so &apos;{by}&apos; cannot rank the units of &apos;{place}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>统计中没有 {first_names} 的输入，因此 &apos;{by}&apos; 无法对 &apos;{place}&apos; 的单元排序。</translation>
    </message>
    <message>
        <source>Collect statistics that reach them with `pruneapp statistics`, or rank by a norm.</source>
        <extracomment>sentences</extracomment>
        <translation>请用 `pruneapp statistics` 收集涵盖它们的统计，或按范数排序。</translation>
    </message>
    <message>
        <source>&apos;{FLAP}&apos; needs the means of inputs, but the statistics have only the squares for {first_names}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{FLAP}&apos; 需要输入的均值，而对于 {first_names} 的输入，统计中只有平方。</translation>
    </message>
    <message>
        <source>Collect them with `pruneapp statistics`, or rank by &apos;wanda&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>请用 `pruneapp statistics` 收集，或按 &apos;wanda&apos; 排序。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is not known to belong to {label}.</source>
        <extracomment>sentences</extracomment>
        <translation>据目前所知，&apos;{name}&apos; 不属于 {label}。</translation>
    </message>
    <message>
        <source>Uncheck it, or choose another method.</source>
        <extracomment>sentences</extracomment>
        <translation>请取消勾选，或选择其他方法。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; cannot prune {scope}ly: it offers {join} only.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 不支持{scope}范围的剪枝：只支持{join}。</translation>
    </message>
    <message>
        <source>Choose the {scopes} scope.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择{scopes}范围。</translation>
    </message>
    <message>
        <source>&apos;scope&apos; must be local or global (got {scope}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;scope&apos; 必须为 local 或 global（收到 {scope}）。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; cannot prune globally: channels of different tensors have different sizes, so their scores are not comparable.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 无法全局剪枝：不同张量的通道大小不同，因此其分数无法比较。</translation>
    </message>
    <message>
        <source>Use scope per tensor, or an unstructured method.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择逐张量范围，或选择非结构化方法。</translation>
    </message>
    <message>
        <source>Pruning {what} needs tensors of two or more dimensions, but &apos;{name}&apos; has {len}.</source>
        <extracomment>sentences</extracomment>
        <translation>剪枝{what}需要二维及以上的张量，但 &apos;{name}&apos; 的维数为 {len}。</translation>
    </message>
    <message>
        <source>Uncheck it, or choose an unstructured method.</source>
        <extracomment>sentences</extracomment>
        <translation>请取消勾选，或选择非结构化方法。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; takes no importance scores.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 不接受重要性分数。</translation>
    </message>
    <message>
        <source>Remove them, or choose a method that ranks by magnitude.</source>
        <extracomment>sentences</extracomment>
        <translation>请移除重要性分数，或选择按幅值排序的方法。</translation>
    </message>
    <message>
        <source>The importance scores of &apos;{name}&apos; must have its shape {list} (got {list2}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 的重要性分数的形状必须与其形状 {list} 相同（收到 {list2}）。</translation>
    </message>
    <message>
        <source>Choose the score file made for this checkpoint.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择为此检查点创建的分数文件。</translation>
    </message>
    <message>
        <source>The importance scores of &apos;{name}&apos; must be floats (got {label}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 的重要性分数必须为浮点数（收到 {label}）。</translation>
    </message>
    <message>
        <source>Save them as float32.</source>
        <extracomment>sentences</extracomment>
        <translation>请将其保存为 float32。</translation>
    </message>
    <message>
        <source>No mask is given for &apos;{name}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>没有给出 &apos;{name}&apos; 的掩码。</translation>
    </message>
    <message>
        <source>Choose a mask file that contains this tensor, or exclude the tensor.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择包含此张量的掩码文件，或排除该张量。</translation>
    </message>
    <message>
        <source>No norm layer that follows &apos;{name}&apos; was found by name, so its channels have no scale.</source>
        <extracomment>sentences</extracomment>
        <translation>未按名称找到 &apos;{name}&apos; 之后的归一化层，因此其通道没有缩放。</translation>
    </message>
    <message>
        <source>Uncheck it, or choose a method that ranks channels by their weights.</source>
        <extracomment>sentences</extracomment>
        <translation>请取消勾选，或选择按权重对通道排序的方法。</translation>
    </message>
    <message>
        <source>The statistics lack the inputs of {first_names}.</source>
        <extracomment>sentences</extracomment>
        <translation>统计中没有 {first_names} 的输入。</translation>
    </message>
    <message>
        <source>Uncheck those tensors, or collect statistics that reach them.</source>
        <extracomment>sentences</extracomment>
        <translation>请取消勾选这些张量，或收集涵盖它们的统计。</translation>
    </message>
    <message>
        <source>Uncheck it, or collect statistics that reach it.</source>
        <extracomment>sentences</extracomment>
        <translation>请取消勾选，或收集涵盖它的统计。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; needs Gram matrices, but the statistics have none of the inputs of {first_names}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 需要格拉姆矩阵，而统计中没有 {first_names} 的输入的格拉姆矩阵。</translation>
    </message>
    <message>
        <source>Collect statistics with Gram matrices (`pruneapp statistics --gram`).</source>
        <extracomment>sentences</extracomment>
        <translation>请收集含格拉姆矩阵的统计 (`pruneapp statistics --gram`)。</translation>
    </message>
    <message>
        <source>The rows of {first_names} are inputs, not outputs, so &apos;{name}&apos; cannot compare weights within them.</source>
        <extracomment>sentences</extracomment>
        <translation>{first_names} 的行是输入而不是输出，因此 &apos;{name}&apos; 无法在行内比较权重。</translation>
    </message>
    <message>
        <source>Uncheck {value}, or choose &apos;wanda_per_tensor&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>请取消勾选 {value}，或选择 &apos;wanda_per_tensor&apos;。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; prunes units in several tensors at once, so limits do not apply ({join}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 会同时剪枝多个张量中的单元，因此限制不适用（{join}）。</translation>
    </message>
    <message>
        <source>Remove them, or choose a method for weights or channels of one tensor.</source>
        <extracomment>sentences</extracomment>
        <translation>请移除限制，或选择针对单个张量的权重或通道的方法。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; sets the sparsity itself, so limits do not apply ({join}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 自行设定稀疏度，因此限制不适用（{join}）。</translation>
    </message>
    <message>
        <source>Remove them, or choose a method that takes an amount.</source>
        <extracomment>sentences</extracomment>
        <translation>请移除限制，或选择接受剪枝量的方法。</translation>
    </message>
    <message>
        <source>The minimum sparsity of {percent} is above the maximum of {percent2}.</source>
        <extracomment>sentences</extracomment>
        <translation>最小稀疏度 {percent} 高于最大稀疏度 {percent2}。</translation>
    </message>
    <message>
        <source>Sparsity limits of methods that prune whole {granularity} apply per tensor ({join}).</source>
        <extracomment>sentences</extracomment>
        <translation>按整个{granularity}剪枝的方法，其稀疏度限制是逐张量适用的（{join}）。</translation>
    </message>
    <message>
        <source>Choose the scope per tensor, or remove the limits.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择逐张量范围，或移除限制。</translation>
    </message>
    <message>
        <source>The name of a method must be a Python identifier (got &apos;{name}&apos;).</source>
        <extracomment>sentences</extracomment>
        <translation>方法的名称必须是 Python 标识符（收到 &apos;{name}&apos;）。</translation>
    </message>
    <message>
        <source>Use letters, digits and underscores, such as &apos;my_method&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>请使用字母、数字和下划线，例如 &apos;my_method&apos;。</translation>
    </message>
    <message>
        <source>A method named &apos;{name}&apos; exists already.</source>
        <extracomment>sentences</extracomment>
        <translation>已有名为 &apos;{name}&apos; 的方法。</translation>
    </message>
    <message>
        <source>Give your method another name.</source>
        <extracomment>sentences</extracomment>
        <translation>请为您的方法使用其他名称。</translation>
    </message>
    <message>
        <source>There is no method &apos;{name}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>没有方法 &apos;{name}&apos;。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; must be {describe} (got {got}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 必须为 {describe}（收到 {got}）。</translation>
    </message>
    <message>
        <source>Unknown parameter &apos;{name}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>未知参数 &apos;{name}&apos;。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has no effect without {needed_with}.</source>
        <extracomment>sentences</extracomment>
        <translation>没有 {needed_with} 时，&apos;{name}&apos; 不起作用。</translation>
    </message>
    <message>
        <source>Remove it, or choose the value that it belongs to.</source>
        <extracomment>sentences</extracomment>
        <translation>请移除它，或选择它所对应的内容。</translation>
    </message>
    <message>
        <source>Pruning channels needs tensors of two or more dimensions, but &apos;{name}&apos; has {len}.</source>
        <extracomment>sentences</extracomment>
        <translation>剪枝通道需要二维及以上的张量，但 &apos;{name}&apos; 的维数为 {len}。</translation>
    </message>
    <message>
        <source>&apos;dim&apos; must be from {value} to {value2} for &apos;{name}&apos; (got {dim}).</source>
        <extracomment>sentences</extracomment>
        <translation>对于 &apos;{name}&apos;，&apos;dim&apos; 必须为 {value} 到 {value2}（收到 {dim}）。</translation>
    </message>
    <message>
        <source>The tensor has {len} dimensions: 0 is the first, -1 the last.</source>
        <extracomment>sentences</extracomment>
        <translation>该张量有 {len} 个维度：0 为第一个，-1 为最后一个。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has no .toml files</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 中没有 .toml 文件</translation>
    </message>
    <message>
        <source>The plugin {name} {version} was not loaded: &apos;{value}&apos; failed: {last_line}</source>
        <extracomment>sentences</extracomment>
        <translation>未加载插件 {name} {version}：&apos;{value}&apos; 失败：{last_line}</translation>
    </message>
    <message>
        <source>Update or uninstall {name}.</source>
        <extracomment>sentences</extracomment>
        <translation>请更新或卸载 {name}。</translation>
    </message>
    <message>
        <source>No package named &apos;{name}&apos; that adds something to Pruneapp is installed.</source>
        <extracomment>sentences</extracomment>
        <translation>没有安装名为 &apos;{name}&apos;、能为 Pruneapp 添加内容的软件包。</translation>
    </message>
    <message>
        <source>There {value} {there}.</source>
        <extracomment>sentences</extracomment>
        <translation>已安装的有（{value}）：{there}。</translation>
    </message>
    <message>
        <source>Install it into the environment of Pruneapp first.</source>
        <extracomment>sentences</extracomment>
        <translation>请先将其安装到 Pruneapp 的环境中。</translation>
    </message>
    <message>
        <source>The plugin {name} {version} was not loaded: &apos;{value}&apos; is no {GROUPS}: {sentence}</source>
        <extracomment>sentences</extracomment>
        <translation>未加载插件 {name} {version}：&apos;{value}&apos; 不是 {GROUPS}：{sentence}</translation>
    </message>
    <message>
        <source>{names} takes no mask.</source>
        <extracomment>sentences</extracomment>
        <translation>{names} 不接受掩码。</translation>
    </message>
    <message>
        <source>Use &apos;custom_from_mask&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>请使用 &apos;custom_from_mask&apos;。</translation>
    </message>
    <message>
        <source>{names} takes no importance scores.</source>
        <extracomment>sentences</extracomment>
        <translation>{names} 不接受重要性分数。</translation>
    </message>
    <message>
        <source>Remove them.</source>
        <extracomment>sentences</extracomment>
        <translation>请移除重要性分数。</translation>
    </message>
    <message>
        <source>&apos;amount&apos; must be at most {tensor_size}, the total (got {amount}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;amount&apos;最多为 {tensor_size}，即全部数量（收到 {amount}）。</translation>
    </message>
    <message>
        <source>Channels need a tensor of two or more dimensions (got shape {tuple}).</source>
        <extracomment>sentences</extracomment>
        <translation>通道需要二维及以上的张量（收到的形状为 {tuple}）。</translation>
    </message>
    <message>
        <source>Prune unstructured instead.</source>
        <extracomment>sentences</extracomment>
        <translation>请改用非结构化剪枝。</translation>
    </message>
    <message>
        <source>&apos;amount&apos; as a count must be 0 or more (got {amount}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;amount&apos;为数量时，必须大于或等于 0（收到 {amount}）。</translation>
    </message>
    <message>
        <source>&apos;amount&apos; as a fraction must be from 0.0 to 1.0 (got {amount}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;amount&apos;为比例时，必须为 0.0 到 1.0（收到 {amount}）。</translation>
    </message>
    <message>
        <source>Give an int to prune a count.</source>
        <extracomment>sentences</extracomment>
        <translation>要按数量剪枝，请给出 int。</translation>
    </message>
    <message>
        <source>&apos;{where}&apos; is neither a pruning method nor a module of them.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos; 既不是剪枝方法，也不是包含剪枝方法的模块。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; defines no pruning method.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 没有定义剪枝方法。</translation>
    </message>
    <message>
        <source>Derive a class from torch.nn.utils.prune.BasePruningMethod in it, and give it compute_mask and PRUNING_TYPE.</source>
        <extracomment>sentences</extracomment>
        <translation>请在其中从 torch.nn.utils.prune.BasePruningMethod 派生一个类，并为其定义 compute_mask 和 PRUNING_TYPE。</translation>
    </message>
    <message>
        <source>{name} in &apos;{where}&apos; must have a PRUNING_TYPE of &apos;unstructured&apos;, &apos;structured&apos; or &apos;global&apos; (got {pruning_type}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos; 中的 {name} 的 PRUNING_TYPE 必须为 &apos;unstructured&apos;、&apos;structured&apos; 或 &apos;global&apos;（收到 {pruning_type}）。</translation>
    </message>
    <message>
        <source>{name} in &apos;{where}&apos; is of PRUNING_TYPE &apos;structured&apos; and must take &apos;dim&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos; 中的 {name} 的 PRUNING_TYPE 为 &apos;structured&apos;，因此必须接受 &apos;dim&apos;。</translation>
    </message>
    <message>
        <source>Give its constructor a parameter dim, and keep it as self.dim.</source>
        <extracomment>sentences</extracomment>
        <translation>请为其构造函数添加参数 dim，并保存为 self.dim。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; cannot be run: {last_line}</source>
        <extracomment>sentences</extracomment>
        <translation>无法运行 &apos;{path}&apos;：{last_line}</translation>
    </message>
    <message>
        <source>Fix the file, then load it again.</source>
        <extracomment>sentences</extracomment>
        <translation>请修正该文件，然后重新加载。</translation>
    </message>
    <message>
        <source>{name} in &apos;{where}&apos; must return a mask of the shape of &apos;{name2}&apos;, {list} (got {got}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos; 中的 {name} 返回的掩码必须与 &apos;{name2}&apos; 的形状 {list} 相同（收到 {got}）。</translation>
    </message>
    <message>
        <source>{name} in &apos;{where}&apos; must return a mask of 0 and 1 for &apos;{name2}&apos; (got other values).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos; 中的 {name} 为 &apos;{name2}&apos; 返回的掩码必须由 0 和 1 组成（收到了其他值）。</translation>
    </message>
    <message>
        <source>A mask keeps a weight or prunes it; it cannot scale it.</source>
        <extracomment>sentences</extracomment>
        <translation>文档中的权重要么保留，要么剪枝；不能缩放。</translation>
    </message>
    <message>
        <source>The constructor of {name} in &apos;{where}&apos; does not declare its parameters.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos; 中的 {name} 的构造函数没有说明它接受哪些参数。</translation>
    </message>
    <message>
        <source>Give it an __init__ with named parameters.</source>
        <extracomment>sentences</extracomment>
        <translation>请为其定义带有具名参数的 __init__。</translation>
    </message>
    <message>
        <source>{name} in &apos;{where}&apos; failed on &apos;{name2}&apos;: {last_line}</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos; 中的 {name} 在 &apos;{name2}&apos; 上失败：{last_line}</translation>
    </message>
    <message>
        <source>Fix the method, then load it again; nothing was changed.</source>
        <extracomment>sentences</extracomment>
        <translation>请修正该方法，然后重新加载；没有任何内容被更改。</translation>
    </message>
    <message>
        <source>{name} in &apos;{where}&apos; takes &apos;{name2}&apos;, which no form can set.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos; 中的 {name} 接受 &apos;{name2}&apos;，但表单无法询问该参数。</translation>
    </message>
    <message>
        <source>Give it a default; integers, floats and booleans can then be changed in the form.</source>
        <extracomment>sentences</extracomment>
        <translation>请为其设置默认值；这样就可以在表单中更改整数、数和布尔值。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; needs masks, which a step of a recipe cannot contain.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 需要掩码，而配方的步骤不能包含掩码。</translation>
    </message>
    <message>
        <source>Use an entry &apos;edit&apos;, whose targets name masks.</source>
        <extracomment>sentences</extracomment>
        <translation>请使用 &apos;edit&apos; 条目，其目标可指定掩码。</translation>
    </message>
    <message>
        <source>Use `pruneapp run RECIPE {model} --script SCRIPT -o OUT`, which collects them, or collect them with `pruneapp statistics {model2} --script SCRIPT -o FILE`. Then use `pruneapp run RECIPE {model3} --statistics FILE -o OUT`, or choose the method in the form, press &apos;Load statistics…&apos;, and apply the recipe again.</source>
        <extracomment>sentences</extracomment>
        <translation>使用 `pruneapp run RECIPE {model} --script SCRIPT -o OUT` 收集它们，或用 `pruneapp statistics {model2} --script SCRIPT -o FILE` 收集。然后使用 `pruneapp run RECIPE {model3} --statistics FILE -o OUT`，或在表单中选择该方法，按“加载统计…”，再次应用配方。</translation>
    </message>
    <message>
        <source>Remove it from the targets.</source>
        <extracomment>sentences</extracomment>
        <translation>请将其从目标中移除。</translation>
    </message>
    <message>
        <source>The entry applies to no tensor of this checkpoint.</source>
        <extracomment>sentences</extracomment>
        <translation>该条目不适用于此检查点的任何张量。</translation>
    </message>
    <message>
        <source>Remove the entry.</source>
        <extracomment>sentences</extracomment>
        <translation>请移除该条目。</translation>
    </message>
    <message>
        <source>&apos;{where}&apos; cannot be applied to this checkpoint: {counted}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos; 无法应用到此检查点：{counted}。</translation>
    </message>
    <message>
        <source>{n} round</source>
        <extracomment>sentences</extracomment>
        <translation>{n} 轮</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is not a checkpoint in a supported format.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 不是 Pruneapp 能识别的检查点。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; contains no state dict &apos;{wanted}&apos;: a {label} file has only one, which has no name.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 不含状态字典 &apos;{wanted}&apos;：{label} 文件只有一个状态字典，且没有名称。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; contains no tensor named &apos;{name}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 中没有名为 &apos;{name}&apos; 的张量。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is damaged: {what} of tensor &apos;{show}&apos; does not contain what it should.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 已损坏：张量 &apos;{show}&apos; 的 {what} 与应有内容不符。</translation>
    </message>
    <message>
        <source>Open the file that contains the weights.</source>
        <extracomment>sentences</extracomment>
        <translation>请打开包含权重的文件。</translation>
    </message>
    <message>
        <source>it declares {n_tensors} tensors and {n_keys} keys</source>
        <extracomment>sentences</extracomment>
        <translation>其中声明有 {n_tensors} 个张量和 {n_keys} 个键</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is truncated: it is not a complete {kind}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 被截断：它不是完整的 {kind}。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is truncated: {missing} missing of &apos;{name}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 被截断：&apos;{name}&apos; 缺少 {missing}。</translation>
    </message>
    <message>
        <source>Open the file or folder that contains the weights.</source>
        <extracomment>sentences</extracomment>
        <translation>请打开包含权重的文件或文件夹。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; contains no array of numbers ({more}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 不含数字数组（{more}）。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is truncated: {missing} missing of &apos;{show}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 被截断：&apos;{show}&apos; 缺少 {missing}。</translation>
    </message>
    <message>
        <source>graphs are nested more than {MOST_NESTED} deep</source>
        <extracomment>sentences</extracomment>
        <translation>计算图嵌套了 {MOST_NESTED} 层</translation>
    </message>
    <message>
        <source>&apos;{show}&apos; is stored at an unknown kind of location</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos; 所在位置的类型未知</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is truncated: &apos;{name}&apos; of &apos;{path2}&apos; ends at byte {value}, and it has {size}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 不完整：&apos;{path2}&apos; 的 &apos;{name}&apos; 应结束于字节 {value}，而文件只有 {size} 字节。</translation>
    </message>
    <message>
        <source>&apos;{model}&apos; refers to &apos;{show}&apos; for &apos;{name}&apos;, which is outside its folder.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{model}&apos; 指出 &apos;{name}&apos; 位于 &apos;{show}&apos;，但该位置不在其文件夹内。</translation>
    </message>
    <message>
        <source>Save the model again with its data next to it.</source>
        <extracomment>sentences</extracomment>
        <translation>请重新保存模型，并将其数据放在旁边。</translation>
    </message>
    <message>
        <source>the type of a tensor is not a number</source>
        <extracomment>sentences</extracomment>
        <translation>有张量的类型不是数</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; contains &apos;{show}.weight&apos; packed by compressed-tensors, but {what}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 包含由 compressed-tensors 打包的 &apos;{show}.weight&apos;，但存在问题：{what}。</translation>
    </message>
    <message>
        <source>its shape is not a list of a few whole numbers</source>
        <extracomment>sentences</extracomment>
        <translation>其形状不是由几个整数组成的列表</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is truncated: at least {missing} missing.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 不完整，至少缺少 {missing}。</translation>
    </message>
    <message>
        <source>a field has the invalid number {number}</source>
        <extracomment>sentences</extracomment>
        <translation>有字段的编号为 {number}</translation>
    </message>
    <message>
        <source>a name is not UTF-8 text</source>
        <extracomment>sentences</extracomment>
        <translation>有名称不是 UTF-8 文本</translation>
    </message>
    <message>
        <source>a field is longer than the message that contains it</source>
        <extracomment>sentences</extracomment>
        <translation>有字段比包含它的部分还长</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is truncated: {what}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 不完整：{what}。</translation>
    </message>
    <message>
        <source>The shards next to &apos;{path}&apos; are of different formats: {join}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 旁的分片格式不同：{join}。</translation>
    </message>
    <message>
        <source>the part of tensor &apos;{show}&apos; is not a dense tensor</source>
        <extracomment>sentences</extracomment>
        <translation>张量 &apos;{show}&apos; 的部分不是稠密张量</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is truncated: it has {size} bytes and should have at least {value}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 被截断：有 {size} 字节，至少应有 {value}。</translation>
    </message>
    <message>
        <source>the name of a tensor is not text, or it is not described</source>
        <extracomment>sentences</extracomment>
        <translation>张量的名称不是文本，或没有描述</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; contains {size} bytes of tensors, but {value} are needed.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 包含 {size} 字节的张量，但需要 {value} 字节。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; no longer exists.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 已不存在。</translation>
    </message>
    <message>
        <source>Restore it, or open it at its new location.</source>
        <extracomment>sentences</extracomment>
        <translation>请将其放回原处，或从新位置打开。</translation>
    </message>
    <message>
        <source>Reopen it to load the new version.</source>
        <extracomment>sentences</extracomment>
        <translation>请重新打开以加载新版本。</translation>
    </message>
    <message>
        <source>Restore it, or open the file at its new location.</source>
        <extracomment>sentences</extracomment>
        <translation>请将其放回原处，或从新位置打开该文件。</translation>
    </message>
    <message>
        <source>Check the file, then export again, or choose another name.</source>
        <extracomment>sentences</extracomment>
        <translation>请查看该对象，然后重新导出，或选择其他名称。</translation>
    </message>
    <message>
        <source>The folder &apos;{folder}&apos; contains no checkpoint in a supported format.</source>
        <extracomment>sentences</extracomment>
        <translation>文件夹 &apos;{folder}&apos; 中没有 Pruneapp 能识别的检查点。</translation>
    </message>
    <message>
        <source>The folder &apos;{folder}&apos; contains more than one checkpoint: {shown}.</source>
        <extracomment>sentences</extracomment>
        <translation>文件夹 &apos;{folder}&apos; 包含多个检查点：{shown}。</translation>
    </message>
    <message>
        <source>The folder &apos;{folder}&apos; contains {len} of {count} shards of a model and no index.</source>
        <extracomment>sentences</extracomment>
        <translation>文件夹 &apos;{folder}&apos; 包含模型 {count} 个分片中的 {len} 个，且没有索引。</translation>
    </message>
    <message>
        <source>its zip directory is missing, so the file is truncated</source>
        <extracomment>sentences</extracomment>
        <translation>缺少 zip 目录，因此文件不完整</translation>
    </message>
    <message>
        <source>its zip directory is not at the declared position</source>
        <extracomment>sentences</extracomment>
        <translation>其 zip 目录不在归档末尾所述的位置</translation>
    </message>
    <message>
        <source>is a zip archive of several folders (&apos;{first}&apos; and &apos;{second}&apos;), which torch.save does not write</source>
        <extracomment>sentences</extracomment>
        <translation>是含有多个文件夹（&apos;{first}&apos; 和 &apos;{second}&apos;）的 zip 归档，torch.save 从不写出这种文件</translation>
    </message>
    <message>
        <source>contains &apos;{name}&apos;, compressed by method {method} of zip (only 0, stored, and 8, deflated, are read)</source>
        <extracomment>sentences</extracomment>
        <translation>含有 &apos;{name}&apos;，以 zip 方法 {method} 压缩（只读取 0 即存储和 8 即 deflate）</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is beyond the end of its zip archive</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 超出其 zip 归档的结尾</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is not at the position in the zip directory</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 不在 zip 目录所述的位置</translation>
    </message>
    <message>
        <source>its zip archive contains &apos;{name}&apos; twice</source>
        <extracomment>sentences</extracomment>
        <translation>其 zip 归档中有两个 &apos;{name}&apos;</translation>
    </message>
    <message>
        <source>is a program that was compiled ahead of time (AOTInductor), and contains no graph</source>
        <extracomment>sentences</extracomment>
        <translation>是预先编译的程序 (AOTInductor)，不含计算图</translation>
    </message>
    <message>
        <source>its JSON has no valid {key} for &apos;{where}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>其 JSON 中 &apos;{where}&apos; 的 {key} 缺失或不正确</translation>
    </message>
    <message>
        <source>the list of its storages contains one storage twice</source>
        <extracomment>sentences</extracomment>
        <translation>其存储列表中有一个存储出现两次</translation>
    </message>
    <message>
        <source>it is truncated, {counted} missing</source>
        <extracomment>sentences</extracomment>
        <translation>它不完整，缺少 {counted}</translation>
    </message>
    <message>
        <source>a byte string in its pickle contains something that is not a storage</source>
        <extracomment>sentences</extracomment>
        <translation>其 pickle 中的一个字节串所含内容不是存储</translation>
    </message>
    <message>
        <source>a storage in its pickle is truncated</source>
        <extracomment>sentences</extracomment>
        <translation>其 pickle 中的一个存储被截断</translation>
    </message>
    <message>
        <source>a storage in its pickle has another size than declared</source>
        <extracomment>sentences</extracomment>
        <translation>其 pickle 中的一个存储的大小与声明不符</translation>
    </message>
    <message>
        <source>the shape of a numpy array contains something that is not an integer</source>
        <extracomment>sentences</extracomment>
        <translation>numpy 数组的形状中有不是整数的内容</translation>
    </message>
    <message>
        <source>the size of a sparse tensor contains something that is not an integer</source>
        <extracomment>sentences</extracomment>
        <translation>稀疏张量的大小中有不是整数的内容</translation>
    </message>
    <message>
        <source>{path} is given something that is not a pair</source>
        <extracomment>sentences</extracomment>
        <translation>{path} 收到的不是一对值</translation>
    </message>
    <message>
        <source>the indices of the sparse tensor &apos;{name}&apos; are not integers</source>
        <extracomment>sentences</extracomment>
        <translation>稀疏张量 &apos;{name}&apos; 的索引不是整数</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; contains {size} compressed bytes of tensors, but {value} are needed.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 包含 {size} 字节的压缩张量数据，但需要 {value} 字节。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; could not be decompressed: its temporary file in &apos;{gettempdir}&apos; is truncated.</source>
        <extracomment>sentences</extracomment>
        <translation>无法解压 &apos;{path}&apos;：其在 &apos;{gettempdir}&apos; 中的临时文件不完整。</translation>
    </message>
    <message>
        <source>Free some space there, or set TMPDIR to a folder with more.</source>
        <extracomment>sentences</extracomment>
        <translation>请在该处腾出空间，或将 TMPDIR 设为空间更大的文件夹。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; contains no state dict named &apos;{key}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 中没有名为 &apos;{key}&apos; 的状态字典。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; contains no tensors of a model.{run}</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 不含模型的张量。{run}</translation>
    </message>
    <message>
        <source>Open the file that contains the weights, or save the state_dict with torch.save.</source>
        <extracomment>sentences</extracomment>
        <translation>请打开包含权重的文件，或用 torch.save 保存 state_dict。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; contains no tensors that can be read: {next}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 中没有可读取的张量：{next}。</translation>
    </message>
    <message>
        <source>the size of a storage is not an integer</source>
        <extracomment>sentences</extracomment>
        <translation>有存储的大小不是整数</translation>
    </message>
    <message>
        <source>the {what} of a tensor is not a tuple</source>
        <extracomment>sentences</extracomment>
        <translation>有张量的 {what} 不是元组</translation>
    </message>
    <message>
        <source>the {what} of a tensor contains something that is not an integer</source>
        <extracomment>sentences</extracomment>
        <translation>有张量的 {what} 中有不是整数的内容</translation>
    </message>
    <message>
        <source>the {what} of a tensor contains {value}</source>
        <extracomment>sentences</extracomment>
        <translation>有张量的 {what} 为 {value}</translation>
    </message>
    <message>
        <source>its pickle refers to something that is not a storage</source>
        <extracomment>sentences</extracomment>
        <translation>其 pickle 引用了不是存储的内容</translation>
    </message>
    <message>
        <source>storage &apos;{key}&apos; is declared with {nbytes} and with {nbytes2} bytes</source>
        <extracomment>sentences</extracomment>
        <translation>存储 &apos;{key}&apos; 的大小既为 {nbytes} 又为 {nbytes2} 字节</translation>
    </message>
    <message>
        <source>its pickle stores an object under the invalid number {index}</source>
        <extracomment>sentences</extracomment>
        <translation>其 pickle 将一个对象记为编号 {index}</translation>
    </message>
    <message>
        <source>its pickle names code by something that is not text</source>
        <extracomment>sentences</extracomment>
        <translation>其 pickle 用不是文本的内容指定代码</translation>
    </message>
    <message>
        <source>its pickle calls something that is not a function</source>
        <extracomment>sentences</extracomment>
        <translation>其 pickle 调用了不是函数的内容</translation>
    </message>
    <message>
        <source>its pickle calls a function with something that is not a tuple</source>
        <extracomment>sentences</extracomment>
        <translation>其 pickle 用不是元组的内容调用函数</translation>
    </message>
    <message>
        <source>its pickle appends to something that is not a list</source>
        <extracomment>sentences</extracomment>
        <translation>其 pickle 向不是列表的内容追加元素</translation>
    </message>
    <message>
        <source>its pickle sets an item of something that is not a dict</source>
        <extracomment>sentences</extracomment>
        <translation>其 pickle 为不是字典的内容设置条目</translation>
    </message>
    <message>
        <source>its pickle refers to an object that it does not contain</source>
        <extracomment>sentences</extracomment>
        <translation>其 pickle 引用了它不含有的对象</translation>
    </message>
    <message>
        <source>contains &apos;{name}&apos; of {size} bytes (stored in {stored}), which is more than Pruneapp reads</source>
        <extracomment>sentences</extracomment>
        <translation>含有 {size} 字节的 &apos;{name}&apos;（存储为 {stored}），超出 Pruneapp 的读取上限</translation>
    </message>
    <message>
        <source>it contains a second pickle, &apos;{others}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>它含有第二个 pickle &apos;{others}&apos;</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; contains masks next to its weights, which cannot be used on a cluster yet.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 的权重旁带有掩码，目前还不能在集群上使用。</translation>
    </message>
    <message>
        <source>The statistics &apos;{path}&apos; do not exist.</source>
        <extracomment>sentences</extracomment>
        <translation>统计 &apos;{path}&apos; 不在该处。</translation>
    </message>
    <message>
        <source>Free some space on the disk, then try again.</source>
        <extracomment>sentences</extracomment>
        <translation>请在磁盘上腾出空间，然后重试。</translation>
    </message>
    <message>
        <source>Choose a structured method and dim 0, or turn off bias and norm.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择结构化方法和维度 0，或不包括偏置和归一化。</translation>
    </message>
    <message>
        <source>Select other weights.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择其他权重。</translation>
    </message>
    <message>
        <source>The masks would not change: {UNCHANGED}.</source>
        <extracomment>sentences</extracomment>
        <translation>没有任何变化：{UNCHANGED}。</translation>
    </message>
    <message>
        <source>&apos;{invalid}&apos; has no mask of zeros and ones next to it in &apos;{name}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>在 &apos;{name}&apos; 中，&apos;{invalid}&apos; 旁没有由零和一组成的掩码。</translation>
    </message>
    <message>
        <source>The mask &apos;{name}&apos; in &apos;{path}&apos; contains values other than 0 and 1.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 中的掩码 &apos;{name}&apos; 含有 0 和 1 以外的值。</translation>
    </message>
    <message>
        <source>Put the file of this name next to the recipe.</source>
        <extracomment>sentences</extracomment>
        <translation>请将该名称的文件放在配方旁。</translation>
    </message>
    <message>
        <source>The list of {noun}s contains &apos;{piece}&apos;, but the first index of a range must not be larger than the last.</source>
        <extracomment>sentences</extracomment>
        <translation>{noun}列表中含有 &apos;{piece}&apos;，但范围应从较小的索引到较大的索引，两端都包括在内。</translation>
    </message>
    <message>
        <source>Put the folder of values next to the recipe.</source>
        <extracomment>sentences</extracomment>
        <translation>请将修复值的文件夹放在配方旁。</translation>
    </message>
    <message>
        <source>Specify that model, which was pruned, with --unpruned.</source>
        <extracomment>sentences</extracomment>
        <translation>请用 --unpruned 指定被剪枝的那个模型。</translation>
    </message>
    <message>
        <source>Specify the model that was pruned.</source>
        <extracomment>sentences</extracomment>
        <translation>请指定被剪枝的那个模型。</translation>
    </message>
    <message>
        <source>Specify the statistics file that the repair was made with.</source>
        <extracomment>sentences</extracomment>
        <translation>请指定此修复所用的统计文件。</translation>
    </message>
    <message>
        <source>Specify a folder with images ({join}).</source>
        <extracomment>sentences</extracomment>
        <translation>请指定包含图像（{join}）的文件夹。</translation>
    </message>
    <message>
        <source>The model stores weights in a different form than the file ({first_names}), so a sequential repair, which runs two states at once, is not possible.</source>
        <extracomment>sentences</extracomment>
        <translation>模型中权重的形式与文件不同（{first_names}），因此无法在其旁运行其他状态，而顺序修复需要这样做。</translation>
    </message>
    <message>
        <source>Specify a script, or measure without recovery.</source>
        <extracomment>sentences</extracomment>
        <translation>请指定脚本，或不带恢复训练测量。</translation>
    </message>
    <message>
        <source>The loaded model does not contain the weights of &apos;{name}&apos;: {what}.</source>
        <extracomment>sentences</extracomment>
        <translation>加载的模型不包含 &apos;{name}&apos; 的权重：{what}。</translation>
    </message>
    <message>
        <source>Make sure that load(path) reads the weights from the path that it is given.</source>
        <extracomment>sentences</extracomment>
        <translation>请确保 load(path) 从给定的路径读取权重。</translation>
    </message>
    <message>
        <source>It is unknown whether a higher or a lower &apos;{name}&apos; is better.</source>
        <extracomment>sentences</extracomment>
        <translation>无法得知 &apos;{name}&apos; 是越高越好还是越低越好。</translation>
    </message>
    <message>
        <source>The model stores weights in a different form than the file, so the new values could not be saved.</source>
        <extracomment>sentences</extracomment>
        <translation>模型中权重的形式与文件不同，因此无法保存新值。</translation>
    </message>
    <message>
        <source>{n} rounds</source>
        <extracomment>sentences</extracomment>
        <translation>{n} 轮</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; does not define load(path), and &apos;{name2}&apos; is not a model folder that transformers could load.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 没有定义 load(path)，而 &apos;{name2}&apos; 也不是 transformers 能加载的模型文件夹。</translation>
    </message>
    <message>
        <source>Specify the executable file, or the folder of its environment.</source>
        <extracomment>sentences</extracomment>
        <translation>请指定可执行文件，或其环境的文件夹。</translation>
    </message>
    <message>
        <source>No Python was found for &apos;{name}&apos;: there is no .venv next to it, and no conda environment is active.</source>
        <extracomment>sentences</extracomment>
        <translation>未找到用于 &apos;{name}&apos; 的 Python：其旁没有 .venv，也没有激活的 conda 环境。</translation>
    </message>
    <message>
        <source>&apos;{target}&apos; contains {first_names}. These files would remain next to the new ones and could be loaded with them or instead of them.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{target}&apos; 中含有 {first_names}，它们会留在新文件旁，并被误当作新文件的一部分，或取代新文件被读取。</translation>
    </message>
    <message>
        <source>&apos;{target}&apos; contains the opened model. Its files would remain next to the new ones and could be loaded instead of them: {first_names}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{target}&apos; 包含打开的模型，其文件会留在新文件旁并被误当作新文件：{first_names}。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos;, which belongs to the model, cannot be read: {words_of}.</source>
        <extracomment>sentences</extracomment>
        <translation>无法读取属于此模型的 &apos;{path}&apos;：{words_of}。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is the opened model, and in an object store no backup of the original can be kept.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 是打开的模型，而存储无法在导出旁保留原文件。</translation>
    </message>
    <message>
        <source>Specify a folder: &apos;{without}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>请指定文件夹：&apos;{without}&apos;。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; cannot be written: the folder &apos;{parent}&apos; does not exist.</source>
        <extracomment>sentences</extracomment>
        <translation>无法写入 &apos;{path}&apos;：文件夹 &apos;{parent}&apos; 不存在。</translation>
    </message>
    <message>
        <source>Export as safetensors, which contains the weights without the graph.</source>
        <extracomment>sentences</extracomment>
        <translation>请导出为 safetensors，它包含权重但不含计算图。</translation>
    </message>
    <message>
        <source>Specify a folder, or merge the files first with llama-gguf-split --merge.</source>
        <extracomment>sentences</extracomment>
        <translation>请指定文件夹，或先用 llama-gguf-split --merge 合并文件。</translation>
    </message>
    <message>
        <source>The file has too many tensors for safetensors: the header would be {len} bytes long, at most {MAX_HEADER_BYTES} are allowed.</source>
        <extracomment>sentences</extracomment>
        <translation>safetensors 无法容纳这么多张量：其文件头将长达 {len} 字节，而最多允许 {MAX_HEADER_BYTES} 字节。</translation>
    </message>
    <message>
        <source>safetensors cannot contain a tensor named &apos;{METADATA}&apos;: the format reserves this name.</source>
        <extracomment>sentences</extracomment>
        <translation>safetensors 无法包含名为 &apos;{METADATA}&apos; 的张量：该格式保留了此名称。</translation>
    </message>
    <message>
        <source>This history contains a repair, which torch.nn.utils.prune cannot reproduce.</source>
        <extracomment>sentences</extracomment>
        <translation>此历史包含修复，torch.nn.utils.prune 无法重现它。</translation>
    </message>
    <message>
        <source>Save a recipe and apply it with &apos;pruneapp run&apos; instead.</source>
        <extracomment>sentences</extracomment>
        <translation>请改为保存配方，并用 &apos;pruneapp run&apos; 应用它。</translation>
    </message>
    <message>
        <source>Export without the script.</source>
        <extracomment>sentences</extracomment>
        <translation>请不带脚本导出。</translation>
    </message>
    <message>
        <source>Save a recipe and apply it with `pruneapp run` instead.</source>
        <extracomment>sentences</extracomment>
        <translation>请改为保存配方，并用 `pruneapp run` 应用它。</translation>
    </message>
    <message>
        <source>Restore it, then open the model again.</source>
        <extracomment>sentences</extracomment>
        <translation>请将其放回原处，然后重新打开模型。</translation>
    </message>
    <message>
        <source>Specify the exported file first and the original after --against, or give the recipe with --recipe: torch formats have no metadata, and a recipe of many megabytes is not written into it.</source>
        <extracomment>sentences</extracomment>
        <translation>请先指定导出的文件，并在 --against 之后指定原文件，或用 --recipe 给出配方：torch 格式没有元数据，而数 MB 的配方不会写入其中。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is not an ONNX model, so it contains no graph.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 不是 ONNX 模型，因此不含计算图。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is not a program of torch.export, so it contains no graph.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 不是 torch.export 的程序，因此不含计算图。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; contains several programs, which cannot be shrunk.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 包含多个程序，无法缩减。</translation>
    </message>
    <message>
        <source>Export each into a separate file.</source>
        <extracomment>sentences</extracomment>
        <translation>请将每个程序导出到单独的文件。</translation>
    </message>
    <message>
        <source>Older states of the history cannot be moved to disk and remain in memory: {why_not}.</source>
        <extracomment>sentences</extracomment>
        <translation>历史中较早的状态无法移到磁盘，仍保留在内存中：{why_not}。</translation>
    </message>
    <message>
        <source>Another file is being opened.</source>
        <extracomment>sentences</extracomment>
        <translation>正在打开另一个文件。</translation>
    </message>
    <message>
        <source>Wait, or press Esc to keep this file open.</source>
        <extracomment>sentences</extracomment>
        <translation>请等待，或按 Esc 留在此文件。</translation>
    </message>
    <message>
        <source>Specify one that is installed, or its path; it runs in &apos;{folder}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>请输入已安装的程序或其路径；它在 &apos;{folder}&apos; 中运行。</translation>
    </message>
    <message>
        <source>The original file is being replaced by an export.</source>
        <extracomment>sentences</extracomment>
        <translation>正在用导出结果替换原始文件。</translation>
    </message>
    <message>
        <source>Iterative pruning is running.</source>
        <extracomment>sentences</extracomment>
        <translation>正在迭代剪枝。</translation>
    </message>
    <message>
        <source>A recovery is running.</source>
        <extracomment>sentences</extracomment>
        <translation>正在恢复训练。</translation>
    </message>
    <message>
        <source>A repair is running.</source>
        <extracomment>sentences</extracomment>
        <translation>正在修复。</translation>
    </message>
    <message>
        <source>it contains {text}, which is not JSON</source>
        <extracomment>sentences</extracomment>
        <translation>它含有 {text}，这不是 JSON</translation>
    </message>
    <message>
        <source>it contains half of a surrogate pair at {start}</source>
        <extracomment>sentences</extracomment>
        <translation>在 {start} 处含有不成对的代理字符</translation>
    </message>
    <message>
        <source>it contains half of a surrogate pair</source>
        <extracomment>sentences</extracomment>
        <translation>含有不成对的代理字符</translation>
    </message>
    <message>
        <source>it contains a number with thousands of digits</source>
        <extracomment>sentences</extracomment>
        <translation>含有数千位的数</translation>
    </message>
    <message>
        <source>it contains an integer that does not fit in 64 bits</source>
        <extracomment>sentences</extracomment>
        <translation>含有超出 64 位的整数</translation>
    </message>
    <message>
        <source>Groups of &apos;{name}&apos; along dimension {dim} contain weights of several outputs, which cannot be exchanged.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 沿维度 {dim} 的组含有多个输出的权重，这些权重无法交换。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; contains no importance scores for &apos;{name}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 中没有 &apos;{name}&apos; 的重要性分数。</translation>
    </message>
    <message>
        <source>It must contain a tensor of the same name and shape for every selected one.</source>
        <extracomment>sentences</extracomment>
        <translation>对于每个选中的张量，该文件必须包含一个名称和形状都相同的张量。</translation>
    </message>
    <message>
        <source>&apos;parameters&apos; must contain at least one (module, name) pair (got none).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;parameters&apos; 必须至少包含一个 (module, name) 对（未收到任何对）。</translation>
    </message>
    <message>
        <source>The step of a schedule needs exactly one rule (got {len}).</source>
        <extracomment>sentences</extracomment>
        <translation>计划的步骤必须恰有一条规则（收到 {len} 条）。</translation>
    </message>
    <message>
        <source>Remove the other rules, or make an entry of each.</source>
        <extracomment>sentences</extracomment>
        <translation>请移除其他规则，或为每条规则建立一个条目。</translation>
    </message>
    <message>
        <source>&apos;final&apos; must be at most the {size} weights that the step touches (got {final}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;final&apos; 最多为此步骤涉及的 {size} 个权重（收到 {final}）。</translation>
    </message>
    <message>
        <source>Lower &apos;final&apos;, or use a fraction such as 0.9.</source>
        <extracomment>sentences</extracomment>
        <translation>请降低 &apos;final&apos;，或使用比例，例如 0.9。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has no mask in &apos;{name2}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 在 &apos;{name2}&apos; 中没有掩码。</translation>
    </message>
    <message>
        <source>Remove the tensor from the entry.</source>
        <extracomment>sentences</extracomment>
        <translation>请将该张量从条目中移除。</translation>
    </message>
    <message>
        <source>{n} problem</source>
        <extracomment>sentences</extracomment>
        <translation>{n} 个问题</translation>
    </message>
    <message>
        <source>{n} problems</source>
        <extracomment>sentences</extracomment>
        <translation>{n} 个问题</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; contains no layer of type &apos;{kind}&apos; that can be pruned.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 中没有可剪枝的 &apos;{kind}&apos; 类型的层。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; contains no tensors that are selected by default.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 中没有默认选中的张量。</translation>
    </message>
    <message>
        <source>Add a &apos;pattern&apos; to the rule.</source>
        <extracomment>sentences</extracomment>
        <translation>请为该规则添加 &apos;pattern&apos;。</translation>
    </message>
    <message>
        <source>&apos;{where}&apos; is not a recipe: it lacks &quot;format&quot;: &quot;{FORMAT}&quot;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos; 不是配方：缺少 &quot;format&quot;: &quot;{FORMAT}&quot;。</translation>
    </message>
    <message>
        <source>Choose a file that Pruneapp saved as a recipe.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择由 Pruneapp 保存为配方的文件。</translation>
    </message>
    <message>
        <source>&apos;{where}&apos; is a recipe of version {version}, and this Pruneapp reads up to {VERSION}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos; 是版本 {version} 的配方，而此 Pruneapp 最高只能读取版本 {VERSION}。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; has no Gram matrices, which a repair needs.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 中没有格拉姆矩阵，而修复需要它们。</translation>
    </message>
    <message>
        <source>Collect the statistics with Gram matrices.</source>
        <extracomment>sentences</extracomment>
        <translation>请收集含格拉姆矩阵的统计。</translation>
    </message>
    <message>
        <source>The statistics do not fit &apos;{name}&apos;: it has the shape {list}, and they have {many} of {columns} inputs.</source>
        <extracomment>sentences</extracomment>
        <translation>统计与 &apos;{name}&apos; 不符：其形状为 {list}，而统计为 {many}，输入数为 {columns}。</translation>
    </message>
    <message>
        <source>Collect statistics of this model.</source>
        <extracomment>sentences</extracomment>
        <translation>请收集此模型的统计。</translation>
    </message>
    <message>
        <source>&apos;iterations&apos; must be at least 1 (got {iterations}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;iterations&apos; 必须至少为 1（收到 {iterations}）。</translation>
    </message>
    <message>
        <source>&apos;damping&apos; must be a positive number (got {damping}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;damping&apos; 必须为正数（收到 {damping}）。</translation>
    </message>
    <message>
        <source>Nothing is pruned in these layers, so there is nothing to repair.</source>
        <extracomment>sentences</extracomment>
        <translation>这些层中没有已剪枝的内容，因此无需修复。</translation>
    </message>
    <message>
        <source>Nothing is known about the inputs of the pruned layers.</source>
        <extracomment>sentences</extracomment>
        <translation>没有关于被剪枝层的输入的信息。</translation>
    </message>
    <message>
        <source>Collect statistics of this model, with Gram matrices.</source>
        <extracomment>sentences</extracomment>
        <translation>请收集此模型含格拉姆矩阵的统计。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has &apos;{name2}&apos; in the shape {list} and type {label}; it must be floats of the shape {list2}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 中 &apos;{name2}&apos; 的形状为 {list}，类型为 {label}；它必须为形状 {list2} 的浮点数。</translation>
    </message>
    <message>
        <source>The statistics do not fit &apos;{name}&apos;: {error}.</source>
        <extracomment>sentences</extracomment>
        <translation>统计与 &apos;{name}&apos; 不符：{error}。</translation>
    </message>
    <message>
        <source>The text has {len} characters; a list of {noun}s may have at most {MOST_LETTERS}.</source>
        <extracomment>sentences</extracomment>
        <translation>文本有 {len} 个字符，而{noun}列表最多为 {MOST_LETTERS} 个字符。</translation>
    </message>
    <message>
        <source>Correct the list. The selection is unchanged.</source>
        <extracomment>sentences</extracomment>
        <translation>请更正列表。选择保持不变。</translation>
    </message>
    <message>
        <source>The list of {noun}s is empty.</source>
        <extracomment>sentences</extracomment>
        <translation>{noun}列表为空。</translation>
    </message>
    <message>
        <source>Give indices such as 0-3, 7, 12.</source>
        <extracomment>sentences</extracomment>
        <translation>请给出索引，例如 0-3, 7, 12。</translation>
    </message>
    <message>
        <source>The list of {noun}s contains &apos;{piece}&apos;, which is neither an index such as 7 nor a range such as 0-3.</source>
        <extracomment>sentences</extracomment>
        <translation>{noun}列表中含有 &apos;{piece}&apos;，它既不是索引（例如 7），也不是范围（例如 0-3）。</translation>
    </message>
    <message>
        <source>The list of {noun}s contains &apos;{piece}&apos;, but there are {counted}, numbered from 0{value}.</source>
        <extracomment>sentences</extracomment>
        <translation>{noun}列表中含有 &apos;{piece}&apos;，但总数为 {counted}，编号从 0{value}。</translation>
    </message>
    <message>
        <source>{n} group</source>
        <extracomment>sentences</extracomment>
        <translation>{n} 组</translation>
    </message>
    <message>
        <source>{n} groups</source>
        <extracomment>sentences</extracomment>
        <translation>{n} 组</translation>
    </message>
    <message>
        <source>&apos;{where}&apos; is not a valid session: {what}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos; 不是有效的会话：{what}。</translation>
    </message>
    <message>
        <source>Restore a backup of it if you have one; the checkpoint is unchanged.</source>
        <extracomment>sentences</extracomment>
        <translation>如有备份，请恢复备份；检查点没有变化。</translation>
    </message>
    <message>
        <source>a state of its history follows one that is made later</source>
        <extracomment>sentences</extracomment>
        <translation>其历史中有状态接在之后才产生的状态后面</translation>
    </message>
    <message>
        <source>it has no state {position}</source>
        <extracomment>sentences</extracomment>
        <translation>没有状态 {position}</translation>
    </message>
    <message>
        <source>state {position} is not on the branch that ends at {tip}</source>
        <extracomment>sentences</extracomment>
        <translation>状态 {position} 不在以 {tip} 结束的分支上</translation>
    </message>
    <message>
        <source>its version is {str}</source>
        <extracomment>sentences</extracomment>
        <translation>其版本为 {str}</translation>
    </message>
    <message>
        <source>Update Pruneapp to open it.</source>
        <extracomment>sentences</extracomment>
        <translation>请更新 Pruneapp 后再打开。</translation>
    </message>
    <message>
        <source>of mask {number}, {error}</source>
        <extracomment>sentences</extracomment>
        <translation>掩码 {number} 中：{error}</translation>
    </message>
    <message>
        <source>its history cannot be read{at} ({what})</source>
        <extracomment>sentences</extracomment>
        <translation>无法读取其历史{at}（{what}）</translation>
    </message>
    <message>
        <source>its header is invalid</source>
        <extracomment>sentences</extracomment>
        <translation>其开头不符合该格式</translation>
    </message>
    <message>
        <source>Check the disk, then open it again.</source>
        <extracomment>sentences</extracomment>
        <translation>请检查磁盘，然后重新打开。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; refers to &apos;{path}&apos;, which no longer exists.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 引用了 &apos;{path}&apos;，但后者已不存在。</translation>
    </message>
    <message>
        <source>Locate it.</source>
        <extracomment>sentences</extracomment>
        <translation>请定位该文件。</translation>
    </message>
    <message>
        <source>{n} file</source>
        <extracomment>sentences</extracomment>
        <translation>{n} 个文件</translation>
    </message>
    <message>
        <source>{n} files</source>
        <extracomment>sentences</extracomment>
        <translation>{n} 个文件</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is not the file that &apos;{name2}&apos; was made with: {changes}{fits}</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 不是创建 &apos;{name2}&apos; 时所用的文件：{changes}{fits}</translation>
    </message>
    <message>
        <source>Choose the checkpoint that it was made with.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择创建时所用的检查点。</translation>
    </message>
    <message>
        <source>it has no state {exported}</source>
        <extracomment>sentences</extracomment>
        <translation>没有状态 {exported}</translation>
    </message>
    <message>
        <source>there is no mask {number}</source>
        <extracomment>sentences</extracomment>
        <translation>没有掩码 {number}</translation>
    </message>
    <message>
        <source>mask {number} has {known_size} elements, and its tensor {size}</source>
        <extracomment>sentences</extracomment>
        <translation>掩码 {number} 有 {known_size} 个元素，而其张量有 {size} 个</translation>
    </message>
    <message>
        <source>This version of Pruneapp does not support &apos;{name}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>此版本的 Pruneapp 不支持 &apos;{name}&apos;。</translation>
    </message>
    <message>
        <source>mask {number} cannot be unpacked from mask {base}</source>
        <extracomment>sentences</extracomment>
        <translation>无法由掩码 {base} 还原掩码 {number}</translation>
    </message>
    <message>
        <source>state {place} names a tensor twice</source>
        <extracomment>sentences</extracomment>
        <translation>状态 {place} 中有张量出现两次</translation>
    </message>
    <message>
        <source>mask {number} has {size} elements</source>
        <extracomment>sentences</extracomment>
        <translation>掩码 {number} 有 {size} 个元素</translation>
    </message>
    <message>
        <source>in state {place}, pruned weights of &apos;{name}&apos; are protected</source>
        <extracomment>sentences</extracomment>
        <translation>在状态 {place} 中，&apos;{name}&apos; 的已剪枝权重受保护</translation>
    </message>
    <message>
        <source>state {place} changes a tensor without a name</source>
        <extracomment>sentences</extracomment>
        <translation>状态 {place} 更改了没有名称的张量</translation>
    </message>
    <message>
        <source>state {place} does not follow the one before it</source>
        <extracomment>sentences</extracomment>
        <translation>状态 {place} 没有接在前一个状态之后</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; was changed by another window since you opened it.</source>
        <extracomment>sentences</extracomment>
        <translation>自您打开以来，&apos;{name}&apos; 已被另一个窗口更改。</translation>
    </message>
    <message>
        <source>Save the session in another file, or replace it.</source>
        <extracomment>sentences</extracomment>
        <translation>请将会话保存到其他文件，或替换该文件。</translation>
    </message>
    <message>
        <source>&apos;{where}&apos; is not a session of Pruneapp.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos; 不是 Pruneapp 的会话。</translation>
    </message>
    <message>
        <source>Open a {SUFFIX} file.</source>
        <extracomment>sentences</extracomment>
        <translation>请打开 {SUFFIX} 文件。</translation>
    </message>
    <message>
        <source>{len} of its {edits} states follow another</source>
        <extracomment>sentences</extracomment>
        <translation>其 {edits} 个状态中有 {len} 个接在另一个状态之后</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is missing</source>
        <extracomment>sentences</extracomment>
        <translation>缺少 &apos;{name}&apos;</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has {numel} bytes, {MOST_JSON} are the most</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 有 {numel} 字节，最多为 {MOST_JSON} 字节</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is the checkpoint itself, which a session never replaces.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 是检查点本身，会话绝不会替换它。</translation>
    </message>
    <message>
        <source>mask {number} is missing</source>
        <extracomment>sentences</extracomment>
        <translation>缺少掩码 {number}</translation>
    </message>
    <message>
        <source>The outputs of &apos;{shrunk}&apos; differ from those with zeros by {how}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{shrunk}&apos; 的输出与置零时的输出不同，差异：{how}。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; refers to its own code in auto_map, and code of a folder is never run.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 在 auto_map 中指定了自己的代码，而文件夹中的代码绝不会运行。</translation>
    </message>
    <message>
        <source>Only folders whose class is in transformers can be checked.</source>
        <extracomment>sentences</extracomment>
        <translation>只有类在 transformers 中的文件夹才能检查。</translation>
    </message>
    <message>
        <source>&apos;{shrunk}&apos; does not fit {by}: {answer}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{shrunk}&apos; 与 {by} 不符：{answer}。</translation>
    </message>
    <message>
        <source>&apos;{shrunk}&apos; does not fit {by}: {join}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{shrunk}&apos; 与 {by} 不符：{join}。</translation>
    </message>
    <message>
        <source>The outputs of &apos;{shrunk}&apos; have the shape {after}, but with zeros {before}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{shrunk}&apos; 的输出形状为 {after}，而置零时为 {before}。</translation>
    </message>
    <message>
        <source>The configuration does not say how many layers there are, so the first of them cannot be checked by themselves.</source>
        <extracomment>sentences</extracomment>
        <translation>配置没有说明有多少层，因此无法只检查前几层。</translation>
    </message>
    <message>
        <source>Check all layers.</source>
        <extracomment>sentences</extracomment>
        <translation>请检查所有层。</translation>
    </message>
    <message>
        <source>Remove the same layers from both.</source>
        <extracomment>sentences</extracomment>
        <translation>请在两者中移除相同的层。</translation>
    </message>
    <message>
        <source>Remove {every} consecutive layers, or several such runs.</source>
        <extracomment>sentences</extracomment>
        <translation>请移除连续的 {every} 层，或多段这样的连续层。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; in config.json has {counted}, fewer than there are layers.</source>
        <extracomment>sentences</extracomment>
        <translation>config.json 中的 &apos;{name}&apos; 有 {counted}，少于层数。</translation>
    </message>
    <message>
        <source>Correct the configuration.</source>
        <extracomment>sentences</extracomment>
        <translation>请更正配置。</translation>
    </message>
    <message>
        <source>{n} entry</source>
        <extracomment>sentences</extracomment>
        <translation>{n} 个条目</translation>
    </message>
    <message>
        <source>{n} entries</source>
        <extracomment>sentences</extracomment>
        <translation>{n} 个条目</translation>
    </message>
    <message>
        <source>{label} would be {sizes} and not {after}, which is a bug in Pruneapp. Nothing was written.</source>
        <extracomment>sentences</extracomment>
        <translation>{label} 将为 {sizes} 而不是 {after}，这是 Pruneapp 的缺陷。未写入任何内容。</translation>
    </message>
    <message>
        <source>Please report it.</source>
        <extracomment>sentences</extracomment>
        <translation>请报告此问题。</translation>
    </message>
    <message>
        <source>Save the model with this tensor inside it.</source>
        <extracomment>sentences</extracomment>
        <translation>请将此张量存入模型文件内，再保存模型。</translation>
    </message>
    <message>
        <source>The shapes of the smaller graph do not fit each other, which is a bug in Pruneapp: {splitlines}</source>
        <extracomment>sentences</extracomment>
        <translation>缩减后的计算图的形状彼此不符，这是 Pruneapp 的缺陷：{splitlines}</translation>
    </message>
    <message>
        <source>Remove units of fewer groups, and report this.</source>
        <extracomment>sentences</extracomment>
        <translation>请移除较少组的单元，并报告此问题。</translation>
    </message>
    <message>
        <source>{label} cannot be {wanted}{rule}; the nearest are {join}.</source>
        <extracomment>sentences</extracomment>
        <translation>{label} 不能为 {wanted}{rule}；最接近的是 {join}。</translation>
    </message>
    <message>
        <source>Choose one of these, or write the model as &apos;{other}&apos;, which takes any number.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择其中一个，或将模型写为 &apos;{other}&apos;，它接受任意数量。</translation>
    </message>
    <message>
        <source>Choose one of these.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择其中一个。</translation>
    </message>
    <message>
        <source>Layer {min} of a {model_type} is unlike the others and cannot be removed.</source>
        <extracomment>sentences</extracomment>
        <translation>{model_type} 的第 {min} 层与其他层不同，不能移除。</translation>
    </message>
    <message>
        <source>A model of type &apos;{model_type}&apos; cannot be written as &apos;{wanted}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>类型为 &apos;{model_type}&apos; 的模型无法写为 &apos;{wanted}&apos;。</translation>
    </message>
    <message>
        <source>No argument of the model&apos;s class sets these widths of {lower}.</source>
        <extracomment>sentences</extracomment>
        <translation>模型的类没有任何参数能设置 {lower} 的这些宽度。</translation>
    </message>
    <message>
        <source>Let each block have its own width.</source>
        <extracomment>sentences</extracomment>
        <translation>请让每个块使用各自的宽度。</translation>
    </message>
    <message>
        <source>&apos;{place}&apos; has {count} layers, numbered from 0, and no layer {min}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{place}&apos; 有 {count} 层，编号从 0 开始，没有第 {min} 层。</translation>
    </message>
    <message>
        <source>Name layers of 0 to {value}.</source>
        <extracomment>sentences</extracomment>
        <translation>请指定 0 到 {value} 的层。</translation>
    </message>
    <message>
        <source>No layer of &apos;{place}&apos; would be left.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{place}&apos; 将不剩任何层。</translation>
    </message>
    <message>
        <source>Keep one of them.</source>
        <extracomment>sentences</extracomment>
        <translation>请至少保留一层。</translation>
    </message>
    <message>
        <source>There are no experts.</source>
        <extracomment>sentences</extracomment>
        <translation>没有专家。</translation>
    </message>
    <message>
        <source>There is no vocabulary.</source>
        <extracomment>sentences</extracomment>
        <translation>没有词表。</translation>
    </message>
    <message>
        <source>A model of type &apos;{wanted}&apos; has no biases, but this model does ({name}).</source>
        <extracomment>sentences</extracomment>
        <translation>类型为 &apos;{wanted}&apos; 的模型没有偏置，而此模型有（{name}）。</translation>
    </message>
    <message>
        <source>{n} unit</source>
        <extracomment>sentences</extracomment>
        <translation>{n} 个单元</translation>
    </message>
    <message>
        <source>{n} units</source>
        <extracomment>sentences</extracomment>
        <translation>{n} 个单元</translation>
    </message>
    <message>
        <source>&apos;{folder}&apos;, which the check needs, cannot be written: {words_of}.</source>
        <extracomment>sentences</extracomment>
        <translation>无法写入检查所需的 &apos;{folder}&apos;：{words_of}。</translation>
    </message>
    <message>
        <source>Free disk space there, or choose --check shapes.</source>
        <extracomment>sentences</extracomment>
        <translation>请在该处释放磁盘空间，或选择 --check shapes。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is of version {version}, and this Pruneapp reads version 1.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 的版本为 {version}，而此 Pruneapp 读取版本 1。</translation>
    </message>
    <message>
        <source>Update Pruneapp.</source>
        <extracomment>sentences</extracomment>
        <translation>请更新 Pruneapp。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; contradicts itself at &apos;{place}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 在 &apos;{place}&apos; 处自相矛盾。</translation>
    </message>
    <message>
        <source>{what}, which is a bug in Pruneapp. Nothing was written.</source>
        <extracomment>sentences</extracomment>
        <translation>{what}，这是 Pruneapp 的缺陷。未写入任何内容。</translation>
    </message>
    <message>
        <source>There is nothing to remove: no unit is dead in every layer.</source>
        <extracomment>sentences</extracomment>
        <translation>没有可移除的内容：没有在每一层中都失效的单元。</translation>
    </message>
    <message>
        <source>Prune units first, or choose what to remove.</source>
        <extracomment>sentences</extracomment>
        <translation>请先剪枝单元，或选择要移除的内容。</translation>
    </message>
    <message>
        <source>Choose --check shapes, which reads back and compares what was written.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择 --check shapes，它会回读并比较已写入的内容。</translation>
    </message>
    <message>
        <source>Nothing in {first_names} is a token of &apos;{where}&apos;, so no row of the embedding would be left.</source>
        <extracomment>sentences</extracomment>
        <translation>{first_names} 中没有 &apos;{where}&apos; 的词元，因此嵌入将不剩任何行。</translation>
    </message>
    <message>
        <source>Choose texts that the model is used with.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择与此模型一起使用的文本。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; cannot be read: {words}.</source>
        <extracomment>sentences</extracomment>
        <translation>无法读取 &apos;{path}&apos;：{words}。</translation>
    </message>
    <message>
        <source>Check the name and your permissions.</source>
        <extracomment>sentences</extracomment>
        <translation>请检查名称和您的权限。</translation>
    </message>
    <message>
        <source>Write one id or one range on each line.</source>
        <extracomment>sentences</extracomment>
        <translation>请在每行写一个 ID 或一个范围。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos;, line {number}: the tokenizer has ids up to {value}, got {int}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 第 {number} 行：分词器的 ID 最大为 {value}，收到 {int}。</translation>
    </message>
    <message>
        <source>Remove the line, or choose the list that belongs to this model.</source>
        <extracomment>sentences</extracomment>
        <translation>请移除该行，或选择属于此模型的列表。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is not a regular file, so it cannot be read as text.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 不是普通文件，因此无法作为文本读取。</translation>
    </message>
    <message>
        <source>Choose another file.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择其他文件。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; must be UTF-8 text, but is not at byte {value}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 必须为 UTF-8 文本，但在字节 {value} 处不是。</translation>
    </message>
    <message>
        <source>Convert it to UTF-8.</source>
        <extracomment>sentences</extracomment>
        <translation>请将其转换为 UTF-8。</translation>
    </message>
    <message>
        <source>Finding the tokens of a text needs the package tokenizers, which is not installed.</source>
        <extracomment>sentences</extracomment>
        <translation>查找文本的词元需要软件包 tokenizers，但尚未安装。</translation>
    </message>
    <message>
        <source>The library tokenizers cannot use &apos;{where}&apos;: {error}.</source>
        <extracomment>sentences</extracomment>
        <translation>tokenizers 库无法使用 &apos;{where}&apos;：{error}。</translation>
    </message>
    <message>
        <source>Save the tokenizer again with transformers.</source>
        <extracomment>sentences</extracomment>
        <translation>请用 transformers 重新保存分词器。</translation>
    </message>
    <message>
        <source>The smaller {TOKENIZER} would tokenize &apos;{path}&apos; differently, at line {value}: &apos;{parts}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>缩减后的 {TOKENIZER} 会将 &apos;{path}&apos; 第 {value} 行切分为不同的词元：&apos;{parts}&apos;。</translation>
    </message>
    <message>
        <source>Keep the whole vocabulary.</source>
        <extracomment>sentences</extracomment>
        <translation>请保留整个词表。</translation>
    </message>
    <message>
        <source>&apos;{where}&apos;, at {place}: it must be an id of a token, or a list of them, got {value}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos; 的 {place} 处：必须为词元的 ID 或 ID 的列表，收到 {value}。</translation>
    </message>
    <message>
        <source>&apos;{where}&apos;, at {place}: it names the token {number}, which is not among the {len} kept tokens.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos; 的 {place} 处：指定了词元 {number}，而它不在保留的 {len} 个词元中。</translation>
    </message>
    <message>
        <source>Keep this token too.</source>
        <extracomment>sentences</extracomment>
        <translation>请同时保留此词元。</translation>
    </message>
    <message>
        <source>{name}() does not call the model with a tensor, so multiply-adds cannot be counted.</source>
        <extracomment>sentences</extracomment>
        <translation>{name}() 没有用张量调用模型，因此无法统计乘加运算。</translation>
    </message>
    <message>
        <source>Call the model that load returned as model(inputs), or define calibrate(model) that does.</source>
        <extracomment>sentences</extracomment>
        <translation>请以 model(inputs) 的形式调用 load 返回的模型，或定义一个这样调用它的 calibrate(model)。</translation>
    </message>
    <message>
        <source>The model returned an object of type {name} without a tensor in it.</source>
        <extracomment>sentences</extracomment>
        <translation>模型返回了类型为 {name} 的对象，其中没有张量。</translation>
    </message>
    <message>
        <source>Agreement with the unpruned model needs a model that returns a tensor.</source>
        <extracomment>sentences</extracomment>
        <translation>要测量与未剪枝模型的一致性，模型必须返回张量。</translation>
    </message>
    <message>
        <source>calibrate() ran other inputs than with the unpruned model (call {call}).</source>
        <extracomment>sentences</extracomment>
        <translation>calibrate() 使用的输入与运行未剪枝模型时不同（第 {call} 次调用）。</translation>
    </message>
    <message>
        <source>calibrate() never called the model.</source>
        <extracomment>sentences</extracomment>
        <translation>calibrate() 从未调用模型。</translation>
    </message>
    <message>
        <source>Run some inputs through the model in it.</source>
        <extracomment>sentences</extracomment>
        <translation>请在其中用一些输入运行模型。</translation>
    </message>
    <message>
        <source>&apos;{key}&apos; of {function}() is {kind}, not a number.</source>
        <extracomment>sentences</extracomment>
        <translation>{function}() 的 &apos;{key}&apos; 不是数，而是：{kind}。</translation>
    </message>
    <message>
        <source>Return a number, (correct, total), or a list of one number per sample.</source>
        <extracomment>sentences</extracomment>
        <translation>请返回一个数、(correct, total)，或每个样本一个数的列表。</translation>
    </message>
    <message>
        <source>torch {version} does not show which inputs each weight is multiplied by.</source>
        <extracomment>sentences</extracomment>
        <translation>torch {version} 不显示每个权重与哪些输入相乘。</translation>
    </message>
    <message>
        <source>Choose a Python with torch 1.13 or newer.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择装有 torch 1.13 或更高版本的 Python。</translation>
    </message>
    <message>
        <source>{name}() takes no argument.</source>
        <extracomment>sentences</extracomment>
        <translation>{name}() 不接受参数。</translation>
    </message>
    <message>
        <source>Define it as {name}({first}).</source>
        <extracomment>sentences</extracomment>
        <translation>请将其定义为 {name}({first})。</translation>
    </message>
    <message>
        <source>{name}() has a parameter &apos;{unknown}&apos;, which Pruneapp does not provide.</source>
        <extracomment>sentences</extracomment>
        <translation>{name}() 有参数 &apos;{unknown}&apos;，Pruneapp 不提供该参数。</translation>
    </message>
    <message>
        <source>It provides {join}; give any other parameter a default.</source>
        <extracomment>sentences</extracomment>
        <translation>它提供 {join}；请为其他参数设置默认值。</translation>
    </message>
    <message>
        <source>{function}() returned None.</source>
        <extracomment>sentences</extracomment>
        <translation>{function}() 返回了 None。</translation>
    </message>
    <message>
        <source>End it with &apos;return&apos; and a number, or a dict of them.</source>
        <extracomment>sentences</extracomment>
        <translation>请在函数末尾用 &apos;return&apos; 返回一个数，或以数为值的字典。</translation>
    </message>
    <message>
        <source>{function}() returned an empty dict.</source>
        <extracomment>sentences</extracomment>
        <translation>{function}() 返回了空字典。</translation>
    </message>
    <message>
        <source>Return at least one number.</source>
        <extracomment>sentences</extracomment>
        <translation>请至少返回一个数。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; was changed after it was shown.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 在显示之后被更改。</translation>
    </message>
    <message>
        <source>The unpruned model was not run before.</source>
        <extracomment>sentences</extracomment>
        <translation>之前没有运行未剪枝模型。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has no function &apos;{name2}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 没有函数 &apos;{name2}&apos;。</translation>
    </message>
    <message>
        <source>&apos;{key}&apos; of {function}() is ({first}, {second}), not (correct, total).</source>
        <extracomment>sentences</extracomment>
        <translation>{function}() 的 &apos;{key}&apos; 是 ({first}, {second})，不是 (correct, total)。</translation>
    </message>
    <message>
        <source>Return how many were right and how many there were, or a list of values.</source>
        <extracomment>sentences</extracomment>
        <translation>请返回正确的数量和总数，或值的列表。</translation>
    </message>
    <message>
        <source>{name} of the installed {library} has other tensors, among them &apos;{wrong}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>已安装的 {library} 中，{name} 的张量与此文件的不同，例如 &apos;{wrong}&apos;。</translation>
    </message>
    <message>
        <source>Write an evaluation script with load(path) for the model.</source>
        <extracomment>sentences</extracomment>
        <translation>请为该模型编写带有 load(path) 的评估脚本。</translation>
    </message>
    <message>
        <source>There is no image in &apos;{folder}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{folder}&apos; 中没有图像。</translation>
    </message>
    <message>
        <source>The model is {name} of {library}, which cannot be imported ({error}).</source>
        <extracomment>sentences</extracomment>
        <translation>该模型是 {library} 的 {name}，该库无法导入（{error}）。</translation>
    </message>
    <message>
        <source>Choose a Python with {library}, or write an evaluation script.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择装有 {library} 的 Python，或编写评估脚本。</translation>
    </message>
    <message>
        <source>The image &apos;{file}&apos; cannot be read: {error}.</source>
        <extracomment>sentences</extracomment>
        <translation>无法读取图像 &apos;{file}&apos;：{error}。</translation>
    </message>
    <message>
        <source>transformers {version} has no class {value}.</source>
        <extracomment>sentences</extracomment>
        <translation>transformers {version} 没有类 {value}。</translation>
    </message>
    <message>
        <source>Choose the interpreter of an environment whose transformers has it.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择 transformers 包含该类的环境的解释器。</translation>
    </message>
    <message>
        <source>The outputs of {what} are {how}, so nothing can be compared.</source>
        <extracomment>sentences</extracomment>
        <translation>输出{how}（{what}），因此无法比较。</translation>
    </message>
    <message>
        <source>{name} routes in a way that the check cannot follow.</source>
        <extracomment>sentences</extracomment>
        <translation>检查无法跟踪 {name} 的路由方式。</translation>
    </message>
    <message>
        <source>The {what} cannot be used: {error}.</source>
        <extracomment>sentences</extracomment>
        <translation>无法使用 {what}：{error}。</translation>
    </message>
    <message>
        <source>transformers cannot be imported: {words_of}.</source>
        <extracomment>sentences</extracomment>
        <translation>无法导入 transformers：{words_of}。</translation>
    </message>
    <message>
        <source>Choose the interpreter of an environment that has transformers.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择装有 transformers 的环境的解释器。</translation>
    </message>
    <message>
        <source>transformers {version} cannot import {name}: {words_of}.</source>
        <extracomment>sentences</extracomment>
        <translation>transformers {version} 无法导入 {name}：{words_of}。</translation>
    </message>
    <message>
        <source>its configuration is refused ({words_of})</source>
        <extracomment>sentences</extracomment>
        <translation>其配置被拒绝（{words_of}）</translation>
    </message>
    <message>
        <source>it cannot be built ({words_of})</source>
        <extracomment>sentences</extracomment>
        <translation>无法构建（{words_of}）</translation>
    </message>
    <message>
        <source>it cannot be run ({words_of})</source>
        <extracomment>sentences</extracomment>
        <translation>无法运行（{words_of}）</translation>
    </message>
    <message>
        <source>{name} has no list of layers &apos;{stack}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>{name} 没有层列表 &apos;{stack}&apos;。</translation>
    </message>
    <message>
        <source>{name} has no router in layer {number}.</source>
        <extracomment>sentences</extracomment>
        <translation>{name} 的第 {number} 层没有路由器。</translation>
    </message>
    <message>
        <source>The model does not fit into the memory in {request}.</source>
        <extracomment>sentences</extracomment>
        <translation>模型以 {request} 精度无法放入内存。</translation>
    </message>
    <message>
        <source>Check its first layers only, or use a larger machine.</source>
        <extracomment>sentences</extracomment>
        <translation>请只检查其前几层，或使用更大的机器。</translation>
    </message>
    <message>
        <source>{name} takes {main}, which the check cannot make.</source>
        <extracomment>sentences</extracomment>
        <translation>{name} 需要 {main}，检查无法生成它。</translation>
    </message>
    <message>
        <source>Write an evaluation script with load(path) for it.</source>
        <extracomment>sentences</extracomment>
        <translation>请为它编写带有 load(path) 的评估脚本。</translation>
    </message>
    <message>
        <source>The model takes {main_input_name}, not token IDs.</source>
        <extracomment>sentences</extracomment>
        <translation>模型的输入是 {main_input_name}，而不是词元 ID。</translation>
    </message>
    <message>
        <source>Write an evaluation script that runs inputs of yours.</source>
        <extracomment>sentences</extracomment>
        <translation>请编写评估脚本，用您自己的输入运行模型。</translation>
    </message>
    <message>
        <source>The model returns no logits for each token.</source>
        <extracomment>sentences</extracomment>
        <translation>模型没有为每个词元返回 logits。</translation>
    </message>
    <message>
        <source>{kind} layout</source>
        <extracomment>sentences</extracomment>
        <translation>{kind} 布局</translation>
    </message>
    <message>
        <source>another checkpoint</source>
        <extracomment>sentences</extracomment>
        <translation>检查点</translation>
    </message>
    <message>
        <source>another state of the checkpoint</source>
        <extracomment>sentences</extracomment>
        <translation>检查点的状态</translation>
    </message>
    <message>
        <source>another script</source>
        <extracomment>sentences</extracomment>
        <translation>脚本</translation>
    </message>
    <message>
        <source>another Python interpreter</source>
        <extracomment>sentences</extracomment>
        <translation>Python 解释器</translation>
    </message>
    <message>
        <source>another method</source>
        <extracomment>sentences</extracomment>
        <translation>方法</translation>
    </message>
    <message>
        <source>another setting of the method</source>
        <extracomment>sentences</extracomment>
        <translation>方法的设置</translation>
    </message>
    <message>
        <source>another seed</source>
        <extracomment>sentences</extracomment>
        <translation>种子</translation>
    </message>
    <message>
        <source>Free some space or choose another disk.</source>
        <extracomment>sentences</extracomment>
        <translation>请释放一些空间或选择其他磁盘。</translation>
    </message>
    <message>
        <source>there is not enough disk space: {needed} {unit} are needed, {free_units} {unit2} are free</source>
        <extracomment>sentences</extracomment>
        <translation>磁盘空间不足：需要 {needed} {unit}，可用 {free_units} {unit2}</translation>
    </message>
    <message>
        <source>it no longer exists</source>
        <extracomment>sentences</extracomment>
        <translation>它已不存在</translation>
    </message>
    <message>
        <source>Unpack it first, then open the unpacked file.</source>
        <extracomment>sentences</extracomment>
        <translation>请先解包，再打开其中的内容。</translation>
    </message>
    <message>
        <source>Unpack it if it contains a checkpoint; else load it with an old torch and save it again.</source>
        <extracomment>sentences</extracomment>
        <translation>若其中有检查点，请解包；否则用旧版 torch 加载并重新保存。</translation>
    </message>
    <message>
        <source>torch.export stored it in a separate pickle</source>
        <extracomment>sentences</extracomment>
        <translation>torch.export 把它写入了单独的 pickle</translation>
    </message>
    <message>
        <source>it is a numpy array whose numbers the file does not contain</source>
        <extracomment>sentences</extracomment>
        <translation>它是 numpy 数组，但文件中没有其数值</translation>
    </message>
    <message>
        <source>it is a numpy array of a type that Pruneapp does not support</source>
        <extracomment>sentences</extracomment>
        <translation>它是 numpy 数组，其类型 Pruneapp 不认识</translation>
    </message>
    <message>
        <source>it has properties of torch that Pruneapp does not support</source>
        <extracomment>sentences</extracomment>
        <translation>torch 对它的某项说明 Pruneapp 不认识</translation>
    </message>
    <message>
        <source>it is a nested tensor of a kind that Pruneapp does not support</source>
        <extracomment>sentences</extracomment>
        <translation>它是嵌套张量，其种类 Pruneapp 不认识</translation>
    </message>
    <message>
        <source>it is a tensor of shape {list} on the meta device: the file contains no numbers of it</source>
        <extracomment>sentences</extracomment>
        <translation>它是 meta 设备上形状为 {list} 的张量：文件中没有它的数值</translation>
    </message>
    <message>
        <source>it is a tensor on the meta device: the file contains no numbers of it</source>
        <extracomment>sentences</extracomment>
        <translation>它是 meta 设备上的张量：文件中没有它的数值</translation>
    </message>
    <message>
        <source>it is inside an object of {inside}, which Pruneapp does not support</source>
        <extracomment>sentences</extracomment>
        <translation>它位于类型为 {inside} 的对象中，Pruneapp 不认识该类型</translation>
    </message>
    <message>
        <source>it is a DTensor of shape {list} of which the file contains a partial result</source>
        <extracomment>sentences</extracomment>
        <translation>它是形状为 {list} 的 DTensor，文件中只有其部分结果</translation>
    </message>
    <message>
        <source>it is a DTensor of shape {list} of which the file contains one shard, of shape {list2}</source>
        <extracomment>sentences</extracomment>
        <translation>它是形状为 {list} 的 DTensor，文件中只有其一个形状为 {list2} 的分片</translation>
    </message>
    <message>
        <source>Checking the existing files</source>
        <extracomment>sentences</extracomment>
        <translation>正在检查已有的内容</translation>
    </message>
    <message>
        <source>Manual edits</source>
        <extracomment>sentences</extracomment>
        <translation>手动编辑</translation>
    </message>
    <message>
        <source>Masks in the file</source>
        <extracomment>sentences</extracomment>
        <translation>文件中的掩码</translation>
    </message>
    <message>
        <source>Nothing to prune{why}.</source>
        <extracomment>sentences</extracomment>
        <translation>没有可剪枝的权重{why}。</translation>
    </message>
    <message>
        <source>Nothing to restore{why}.</source>
        <extracomment>sentences</extracomment>
        <translation>没有可恢复的权重{why}。</translation>
    </message>
    <message>
        <source>Nothing to protect{why}.</source>
        <extracomment>sentences</extracomment>
        <translation>没有可保护的权重{why}。</translation>
    </message>
    <message>
        <source>Nothing to unprotect{why}.</source>
        <extracomment>sentences</extracomment>
        <translation>没有可取消保护的权重{why}。</translation>
    </message>
    <message>
        <source>all selected weights are already pruned</source>
        <extracomment>sentences</extracomment>
        <translation>所选权重已全部剪枝</translation>
    </message>
    <message>
        <source>all selected weights are protected</source>
        <extracomment>sentences</extracomment>
        <translation>所选权重均受保护</translation>
    </message>
    <message>
        <source>all selected weights are pruned or protected</source>
        <extracomment>sentences</extracomment>
        <translation>所选权重均已剪枝或受保护</translation>
    </message>
    <message>
        <source>all kept weights of the selection are already protected</source>
        <extracomment>sentences</extracomment>
        <translation>所选权重中保留的部分均已受保护</translation>
    </message>
    <message>
        <source>all selected weights are pruned, and only kept weights can be protected</source>
        <extracomment>sentences</extracomment>
        <translation>所选权重均已剪枝，只有保留的权重可以受保护</translation>
    </message>
    <message>
        <source>none of the selected weights is protected</source>
        <extracomment>sentences</extracomment>
        <translation>所选权重均未受保护</translation>
    </message>
    <message>
        <source>the zeros were made permanent, which only undo reverts</source>
        <extracomment>sentences</extracomment>
        <translation>这些零已设为永久，只有撤销才能恢复</translation>
    </message>
    <message>
        <source>none of the selected weights is pruned</source>
        <extracomment>sentences</extracomment>
        <translation>所选权重均未剪枝</translation>
    </message>
    <message>
        <source>No dependent tensors are known for these tensors.</source>
        <extracomment>sentences</extracomment>
        <translation>这些张量没有已知的依赖张量。</translation>
    </message>
    <message>
        <source>ended with exit status {status}</source>
        <extracomment>sentences</extracomment>
        <translation>自行结束，退出状态为 {status}</translation>
    </message>
    <message>
        <source>another device</source>
        <extracomment>sentences</extracomment>
        <translation>设备</translation>
    </message>
    <message>
        <source>repeatable; the sampling error is unknown</source>
        <extracomment>sentences</extracomment>
        <translation>可重复；抽样误差未知</translation>
    </message>
    <message>
        <source>Training did not improve the error on the held-out samples, so nothing is changed.</source>
        <extracomment>sentences</extracomment>
        <translation>在留出的样本上没有任何结果好于起点，因此未作更改。</translation>
    </message>
    <message>
        <source>another repair</source>
        <extracomment>sentences</extracomment>
        <translation>修复</translation>
    </message>
    <message>
        <source>{quoted_names} {are} excluded: the export asks for confirmation first.</source>
        <extracomment>sentences</extracomment>
        <translation>{quoted_names} 会被略过：导出时会先询问。</translation>
    </message>
    <message>
        <source>Uncheck {these}, or exclude {quoted_names} with --omit NAME.</source>
        <extracomment>sentences</extracomment>
        <translation>请取消勾选{these}，或用 --omit NAME 略过 {quoted_names}。</translation>
    </message>
    <message>
        <source>Exclude {them} with --omit NAME{elsewhere}.</source>
        <extracomment>sentences</extracomment>
        <translation>请用 --omit NAME 略过{elsewhere}。</translation>
    </message>
    <message>
        <source>{quoted_names} {were} excluded as requested: {why}.</source>
        <extracomment>sentences</extracomment>
        <translation>按要求略过 {quoted_names}：{why}。</translation>
    </message>
    <message>
        <source>The export contains only the values, not these properties: {sentence}.</source>
        <extracomment>sentences</extracomment>
        <translation>其中只有数值，没有文件中的附加说明：{sentence}。</translation>
    </message>
    <message>
        <source>a string</source>
        <extracomment>sentences</extracomment>
        <translation>字符串</translation>
    </message>
    <message>
        <source>an integer</source>
        <extracomment>sentences</extracomment>
        <translation>整数</translation>
    </message>
    <message>
        <source>a number</source>
        <extracomment>sentences</extracomment>
        <translation>数值</translation>
    </message>
    <message>
        <source>true or false</source>
        <extracomment>sentences</extracomment>
        <translation>true 或 false</translation>
    </message>
    <message>
        <source>an array</source>
        <extracomment>sentences</extracomment>
        <translation>数组</translation>
    </message>
    <message>
        <source>an object</source>
        <extracomment>sentences</extracomment>
        <translation>对象</translation>
    </message>
    <message>
        <source>an array of {len}</source>
        <extracomment>sentences</extracomment>
        <translation>长度为 {len} 的数组</translation>
    </message>
    <message>
        <source>The shrunk model matches the pruned model in {by}{part}: all outputs are equal.</source>
        <extracomment>sentences</extracomment>
        <translation>缩减后的模型在 {by}{part} 中与剪枝后的模型一致：所有输出相同。</translation>
    </message>
    <message>
        <source>the shape of &apos;{name}&apos; is {list} and should be {list2}</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 的形状为 {list}，应为 {list2}</translation>
    </message>
    <message>
        <source>a numpy array</source>
        <extracomment>sentences</extracomment>
        <translation>numpy 数组</translation>
    </message>
    <message>
        <source>a numpy number</source>
        <extracomment>sentences</extracomment>
        <translation>numpy 数值</translation>
    </message>
    <message>
        <source>a conjugate view</source>
        <extracomment>sentences</extracomment>
        <translation>共轭视图</translation>
    </message>
    <message>
        <source>a negated view</source>
        <extracomment>sentences</extracomment>
        <translation>取负视图</translation>
    </message>
    <message>
        <source>a DTensor</source>
        <extracomment>sentences</extracomment>
        <translation>DTensor</translation>
    </message>
    <message>
        <source>{types} or null</source>
        <extracomment>sentences</extracomment>
        <translation>{types}或 null</translation>
    </message>
    <message>
        <source>an object of type {kind}</source>
        <extracomment>sentences</extracomment>
        <translation>类型为 {kind} 的对象</translation>
    </message>
    <message>
        <source>the folder with zeros</source>
        <extracomment>sentences</extracomment>
        <translation>含零的文件夹</translation>
    </message>
    <message>
        <source>nothing but zeros</source>
        <extracomment>sentences</extracomment>
        <translation>全为零</translation>
    </message>
    <message>
        <source>not finite</source>
        <extracomment>sentences</extracomment>
        <translation>不是有限数</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has no weights</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 没有权重</translation>
    </message>
    <message>
        <source>The model of the tokenizer &apos;{where}&apos; must be BPE, Unigram or WordPiece to be shrunk, got {decode}.</source>
        <extracomment>sentences</extracomment>
        <translation>要缩减分词器 &apos;{where}&apos;，其模型必须为 BPE、Unigram 或 WordPiece，收到 {decode}。</translation>
    </message>
    <message>
        <source>it is not JSON: {removesuffix} at {at}</source>
        <extracomment>sentences</extracomment>
        <translation>不是 JSON：{removesuffix}，位于{at}</translation>
    </message>
    <message>
        <source>Enter a count up to {left}{fits}, or a fraction such as 0.2.</source>
        <extracomment>sentences</extracomment>
        <translation>请输入不超过 {left} 的数量{fits}，或比例（例如 0.2）。</translation>
    </message>
    <message>
        <source>Only a model that transformers loads has a class to check against, and this is not one (got &apos;--check {how}&apos;).</source>
        <extracomment>sentences</extracomment>
        <translation>只有 transformers 能加载的模型才有可供检查的类，而此模型不是（收到 &apos;--check {how}&apos;）。</translation>
    </message>
    <message>
        <source>&apos;{where}&apos; skips merges at random (a dropout of {tree}), so the tokens of a text may vary.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos; 会随机跳过合并（dropout 为 {tree}），因此文本的词元不确定。</translation>
    </message>
    <message>
        <source>Set &apos;dropout&apos; to null in it.</source>
        <extracomment>sentences</extracomment>
        <translation>请将其中的 &apos;dropout&apos; 设为 null。</translation>
    </message>
    <message>
        <source>&apos;{where}&apos; uses the id {missing}, which none of its tokens has.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos; 使用了 ID {missing}，但其中没有词元使用该 ID。</translation>
    </message>
    <message>
        <source>&apos;{where}&apos; has {len} pieces; at most {MAX_ID} are allowed.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos; 有 {len} 个词元片段；最多为 {MAX_ID} 个。</translation>
    </message>
    <message>
        <source>The added token &apos;{content}&apos; of &apos;{where}&apos; has the id {number}, but the library that reads it assigns {given}: the ids of added tokens must follow those of the model without gaps.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos; 的附加词元 &apos;{content}&apos; 的 ID 为 {number}，但读取它的库会分配 {given}：附加词元的 ID 必须紧接模型的 ID，不能有间隔。</translation>
    </message>
    <message>
        <source>Keep the whole vocabulary, or save the tokenizer again with transformers.</source>
        <extracomment>sentences</extracomment>
        <translation>请保留整个词表，或用 transformers 重新保存分词器。</translation>
    </message>
    <message>
        <source>&apos;{where}&apos; has a post-processor of the unknown type &apos;{kind}&apos;, which may use ids of tokens.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos; 有未知类型 &apos;{kind}&apos; 的后处理器，它可能使用词元的 ID。</translation>
    </message>
    <message>
        <source>&apos;{where}&apos; gives the id {number} to both &apos;{first}&apos; and &apos;{token}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos; 将 ID {number} 同时分配给了 &apos;{first}&apos; 和 &apos;{token}&apos;。</translation>
    </message>
    <message>
        <source>&apos;{where}&apos;, at model.merges[{number}]: a merge must be two tokens with a space between them, got &apos;{merges}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos; 的 model.merges[{number}] 处：合并必须为以空格分隔的两个词元，收到 &apos;{merges}&apos;。</translation>
    </message>
    <message>
        <source>Save the tokenizer with transformers as a fast tokenizer.</source>
        <extracomment>sentences</extracomment>
        <translation>请用 transformers 将分词器保存为快速分词器。</translation>
    </message>
    <message>
        <source>&apos;{where}&apos; has tokens up to the id {last_id}, but the embedding has only {counted}: they do not belong together.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos; 的词元 ID 最大为 {last_id}，而嵌入只有 {counted}：两者不匹配。</translation>
    </message>
    <message>
        <source>Keep the whole vocabulary, or check that the folder is complete.</source>
        <extracomment>sentences</extracomment>
        <translation>请保留整个词表，或检查该文件夹是否完整。</translation>
    </message>
    <message>
        <source>expected an id, got &apos;{number}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>应为 ID，收到 &apos;{number}&apos;</translation>
    </message>
    <message>
        <source>expected an id up to {MAX_ID}, got {number}</source>
        <extracomment>sentences</extracomment>
        <translation>ID 最大应为 {MAX_ID}，收到 {number}</translation>
    </message>
    <message>
        <source>{n} row</source>
        <extracomment>sentences
----------
steps</extracomment>
        <translation>{n} 行</translation>
    </message>
    <message>
        <source>{n} rows</source>
        <extracomment>sentences
----------
steps</extracomment>
        <translation>{n} 行</translation>
    </message>
    <message>
        <source>Ranking units by {by} needs statistics of activations.</source>
        <extracomment>sentences</extracomment>
        <translation>按 {by} 对单元排序需要激活统计。</translation>
    </message>
    <message>
        <source>Ranking units by {words} uses no statistics of activations.</source>
        <extracomment>sentences</extracomment>
        <translation>按 {words} 对单元排序不使用激活统计。</translation>
    </message>
    <message>
        <source>Leave them out, or rank by wanda or flap.</source>
        <extracomment>sentences</extracomment>
        <translation>请不要指定激活统计，或按 wanda 或 flap 排序。</translation>
    </message>
    <message>
        <source>Remove more, or choose a smaller multiple.</source>
        <extracomment>sentences</extracomment>
        <translation>请移除更多，或选择较小的倍数。</translation>
    </message>
    <message>
        <source>&apos;{by}&apos; has no scores for &apos;{place}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{by}&apos; 中没有 &apos;{place}&apos; 的分数。</translation>
    </message>
    <message>
        <source>It needs a vector of {count} numbers with that name.</source>
        <extracomment>sentences</extracomment>
        <translation>需要一个以此为名称、含 {count} 个数的向量。</translation>
    </message>
    <message>
        <source>&apos;{place}&apos; in &apos;{by}&apos; must have {count} real numbers (got the shape {list}, {label}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{by}&apos; 中的 &apos;{place}&apos; 必须含有 {count} 个实数（收到的形状为 {list}，类型为 {label}）。</translation>
    </message>
    <message>
        <source>Write one score per unit.</source>
        <extracomment>sentences</extracomment>
        <translation>请为每个单元写一个分数。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; was not shrunk from &apos;{path2}&apos;: {what}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 不是由 &apos;{path2}&apos; 缩减得到的：{what}。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is not a valid statistics file: {what}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 不是有效的统计文件：{what}。</translation>
    </message>
    <message>
        <source>Collect the statistics again.</source>
        <extracomment>sentences</extracomment>
        <translation>请重新收集统计。</translation>
    </message>
    <message>
        <source>Ranking weights by their inputs needs statistics of activations.</source>
        <extracomment>sentences</extracomment>
        <translation>按输入对权重排序需要激活统计。</translation>
    </message>
    <message>
        <source>Choose a statistics file; `pruneapp statistics` makes one.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择统计文件；可用 `pruneapp statistics` 生成。</translation>
    </message>
    <message>
        <source>Load the statistics file in the form, or name it with --statistics.</source>
        <extracomment>sentences</extracomment>
        <translation>请在表单中加载统计文件，或用 --statistics 指定。</translation>
    </message>
    <message>
        <source>Collect them with `pruneapp statistics`.</source>
        <extracomment>sentences</extracomment>
        <translation>请用 `pruneapp statistics` 收集。</translation>
    </message>
    <message>
        <source>The statistics &apos;{name}&apos; are of a &apos;{name2}&apos; with {have}, but it has the shape {list}.</source>
        <extracomment>sentences</extracomment>
        <translation>统计 &apos;{name}&apos; 中的 &apos;{name2}&apos; 有 {have}，而该权重的形状为 {list}。</translation>
    </message>
    <message>
        <source>Choose statistics that were collected with this model.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择用此模型收集的统计。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has negative sums of squares or counts</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 含有负的平方和或计数</translation>
    </message>
    <message>
        <source>&apos;{name_of_gram}&apos; does not have {columns} x {columns2} numbers</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name_of_gram}&apos; 的数值不是 {columns} x {columns2} 个</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; lacks its counts, or its sums are no matrix</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 缺少计数，或其和不是矩阵</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has {numel} numbers instead of {words}</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 有 {numel} 个数值，应为 {words}</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is of type {label}</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 的类型为 {label}</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is not a statistics file.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 不是统计文件。</translation>
    </message>
    <message>
        <source>Collect statistics with `pruneapp statistics`, or convert an imatrix of llama.cpp with `pruneapp statistics FILE --from IMATRIX`.</source>
        <extracomment>sentences</extracomment>
        <translation>请用 `pruneapp statistics` 收集统计，或用 `pruneapp statistics FILE --from IMATRIX` 转换 llama.cpp 的 imatrix。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is not a valid statistics file: in its metadata, {what}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 不是有效的统计文件：其元数据中存在问题：{what}。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is not a valid imatrix: {what}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 不是有效的 imatrix：{what}。</translation>
    </message>
    <message>
        <source>Download or make it again.</source>
        <extracomment>sentences</extracomment>
        <translation>请重新下载或生成。</translation>
    </message>
    <message>
        <source>Choose a file that llama-imatrix wrote.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择由 llama-imatrix 写入的文件。</translation>
    </message>
    <message>
        <source>it has a value of the unknown type {number}</source>
        <extracomment>sentences</extracomment>
        <translation>含有未知类型 {number} 的值</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is not an imatrix of llama.cpp.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 不是 llama.cpp 的 imatrix。</translation>
    </message>
    <message>
        <source>Choose a .gguf or .dat file that llama-imatrix wrote.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择由 llama-imatrix 写入的 .gguf 或 .dat 文件。</translation>
    </message>
    <message>
        <source>None of the names in &apos;{path}&apos; (such as &apos;{show}&apos;) is known to belong to a weight of &apos;{path2}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 中的名称（例如 &apos;{show}&apos;）都不是 &apos;{path2}&apos; 的权重的已知名称。</translation>
    </message>
    <message>
        <source>An imatrix fits language models whose tensors are named as in Hugging Face.</source>
        <extracomment>sentences</extracomment>
        <translation>imatrix 适用于采用 Hugging Face 名称的语言模型。</translation>
    </message>
    <message>
        <source>&apos;{show}&apos; lacks its sums of squares or its counts</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos; 缺少平方和或计数</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; has {size} inputs of &apos;{show}&apos;, but &apos;{show2}&apos; has the shape {list}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 中 &apos;{show}&apos; 有 {size} 个输入，而 &apos;{show2}&apos; 的形状为 {list}。</translation>
    </message>
    <message>
        <source>Choose an imatrix that was made for a model of this shape.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择为此形状的模型生成的 imatrix。</translation>
    </message>
    <message>
        <source>&apos;{show}&apos; has negative sums of squares or counts</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos; 含有负的平方和或计数</translation>
    </message>
    <message>
        <source>a name in it has {size} bytes</source>
        <extracomment>sentences</extracomment>
        <translation>其中有名称为 {size} 字节</translation>
    </message>
    <message>
        <source>it has a name with control characters: {text}</source>
        <extracomment>sentences</extracomment>
        <translation>其中有名称含控制字符：{text}</translation>
    </message>
    <message>
        <source>it has &apos;{show}&apos; twice</source>
        <extracomment>sentences</extracomment>
        <translation>其中 &apos;{show}&apos; 出现两次</translation>
    </message>
    <message>
        <source>&apos;{show}&apos; has {size} values of {calls} calls</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos; 有 {size} 个值，来自 {calls} 次调用</translation>
    </message>
    <message>
        <source>other bytes follow its last entry</source>
        <extracomment>sentences</extracomment>
        <translation>最后一个条目之后还有其他字节</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; has &apos;{show}&apos;, but &apos;{path2}&apos; has no weight that it could belong to: the file was made for another model.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 中有 &apos;{show}&apos;，但 &apos;{path2}&apos; 中没有与之对应的权重：该文件是为另一个模型生成的。</translation>
    </message>
    <message>
        <source>Choose the imatrix of this model.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择此模型的 imatrix。</translation>
    </message>
    <message>
        <source>&apos;{show}&apos; has {numel} counts of {parts}</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos; 有 {numel} 个计数，应有 {parts} 个</translation>
    </message>
    <message>
        <source>&apos;{show}&apos; has sums of another length than its squares</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos; 的和与平方和长度不同</translation>
    </message>
    <message>
        <source>a name in it is not UTF-8 text</source>
        <extracomment>sentences</extracomment>
        <translation>其中有名称不是 UTF-8 文本</translation>
    </message>
    <message>
        <source>&apos;{show}&apos; is not float32</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos; 不是 float32</translation>
    </message>
    <message>
        <source>A vector of {size} elements, wrapped into lines of {wrap}.</source>
        <extracomment>sentences</extracomment>
        <translation>{size} 个元素的向量，按每行 {wrap} 个换行。</translation>
    </message>
    <message>
        <source>It has {len} dimensions, and no dimension {dim}.</source>
        <extracomment>sentences</extracomment>
        <translation>它有 {len} 个维度，没有维度 {dim}。</translation>
    </message>
    <message>
        <source>Groups need a tensor of two or more dimensions.</source>
        <extracomment>sentences</extracomment>
        <translation>分组需要二维或更高维的张量。</translation>
    </message>
    <message>
        <source>Dimension {dim} has {length} elements, fewer than a group of {size}.</source>
        <extracomment>sentences</extracomment>
        <translation>维度 {dim} 有 {length} 个元素，少于一组的 {size} 个。</translation>
    </message>
    <message>
        <source>protected weights</source>
        <extracomment>sentences</extracomment>
        <translation>有受保护的权重</translation>
    </message>
    <message>
        <source>weights were protected or restored</source>
        <extracomment>sentences</extracomment>
        <translation>有权重被保护或恢复</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has the shapes {shape} and {shape2}</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 的形状为 {shape} 和 {shape2}</translation>
    </message>
    <message>
        <source>This is shard {number} of {count}. For the whole model, open its folder or its index.</source>
        <extracomment>sentences</extracomment>
        <translation>这是 {count} 个分片中的第 {number} 个。要打开整个模型，请打开其文件夹或索引。</translation>
    </message>
    <message>
        <source>integers are not pruned: they are counters, indices or quantized</source>
        <extracomment>sentences</extracomment>
        <translation>整数不剪枝：它们用于计数、索引或是量化值</translation>
    </message>
    <message>
        <source>this type of scales has no 0</source>
        <extracomment>sentences</extracomment>
        <translation>此缩放类型没有 0</translation>
    </message>
    <message>
        <source>packed 6-bit floats are not pruned</source>
        <extracomment>sentences</extracomment>
        <translation>打包的 6 位浮点数不剪枝</translation>
    </message>
    <message>
        <source>packed 4-bit floats are not pruned</source>
        <extracomment>sentences</extracomment>
        <translation>打包的 4 位浮点数不剪枝</translation>
    </message>
    <message>
        <source>complex numbers are not pruned</source>
        <extracomment>sentences</extracomment>
        <translation>复数不剪枝</translation>
    </message>
    <message>
        <source>booleans are not pruned</source>
        <extracomment>sentences</extracomment>
        <translation>布尔值不剪枝</translation>
    </message>
    <message>
        <source>tensor &apos;{show}&apos; lacks dtype, shape or data_offsets</source>
        <extracomment>sentences</extracomment>
        <translation>张量 &apos;{show}&apos; 缺少 dtype、shape 或 data_offsets</translation>
    </message>
    <message>
        <source>overlaps the one before it</source>
        <extracomment>sentences</extracomment>
        <translation>与前一个重叠</translation>
    </message>
    <message>
        <source>leaves a hole before it</source>
        <extracomment>sentences</extracomment>
        <translation>与前一个之间留有空隙</translation>
    </message>
    <message>
        <source>tensor &apos;{show}&apos; {what} (byte {begin}, not {end})</source>
        <extracomment>sentences</extracomment>
        <translation>张量 &apos;{show}&apos; {what}（字节 {begin}，而非 {end}）</translation>
    </message>
    <message>
        <source>its header does not begin with &apos;{{&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>其文件头不以 &apos;{{&apos; 开头</translation>
    </message>
    <message>
        <source>in its header, {what}</source>
        <extracomment>sentences</extracomment>
        <translation>在其文件头中：{what}</translation>
    </message>
    <message>
        <source>&apos;{METADATA}&apos; is not an object</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{METADATA}&apos; 不是对象</translation>
    </message>
    <message>
        <source>&apos;{show}&apos; in &apos;{METADATA}&apos; is not text</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{METADATA}&apos; 中的 &apos;{show}&apos; 不是文本</translation>
    </message>
    <message>
        <source>tensor &apos;{show}&apos; has the unknown dtype {str}</source>
        <extracomment>sentences</extracomment>
        <translation>张量 &apos;{show}&apos; 的 dtype {str} 未知</translation>
    </message>
    <message>
        <source>the data_offsets of tensor &apos;{show}&apos; must be two whole numbers, the smaller first (got {str})</source>
        <extracomment>sentences</extracomment>
        <translation>张量 &apos;{show}&apos; 的 data_offsets 必须是两个整数，较小的在前（收到 {str}）</translation>
    </message>
    <message>
        <source>the shape of tensor &apos;{show}&apos; is not a list</source>
        <extracomment>sentences</extracomment>
        <translation>张量 &apos;{show}&apos; 的形状不是列表</translation>
    </message>
    <message>
        <source>tensor &apos;{show}&apos; has {len} dimensions; at most {MAX_RANK} are allowed</source>
        <extracomment>sentences</extracomment>
        <translation>张量 &apos;{show}&apos; 有 {len} 个维度；最多为 {MAX_RANK} 个</translation>
    </message>
    <message>
        <source>the shape of tensor &apos;{show}&apos; must be whole numbers up to 2^63 - 1 (got {str})</source>
        <extracomment>sentences</extracomment>
        <translation>张量 &apos;{show}&apos; 的形状必须是不超过 2^63 - 1 的整数（收到 {str}）</translation>
    </message>
    <message>
        <source>tensor &apos;{show}&apos; has more than 2^63 elements</source>
        <extracomment>sentences</extracomment>
        <translation>张量 &apos;{show}&apos; 的元素超过 2^63 个</translation>
    </message>
    <message>
        <source>tensor &apos;{show}&apos; does not end at a whole byte</source>
        <extracomment>sentences</extracomment>
        <translation>张量 &apos;{show}&apos; 没有在整字节处结束</translation>
    </message>
    <message>
        <source>tensor &apos;{show}&apos; needs {value} bytes but has {value2}</source>
        <extracomment>sentences</extracomment>
        <translation>张量 &apos;{show}&apos; 需要 {value} 字节，但只有 {value2} 字节</translation>
    </message>
    <message>
        <source>its weight_map must be an object with at least one tensor</source>
        <extracomment>sentences</extracomment>
        <translation>其 weight_map 必须是至少含一个张量的对象</translation>
    </message>
    <message>
        <source>the file of tensor &apos;{show}&apos; is not text</source>
        <extracomment>sentences</extracomment>
        <translation>张量 &apos;{show}&apos; 的文件不是文本</translation>
    </message>
    <message>
        <source>&apos;{other}&apos; and &apos;{file}&apos; differ only in upper and lower case, or spelling</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{other}&apos; 与 &apos;{file}&apos; 仅大小写或拼写不同</translation>
    </message>
    <message>
        <source>it contains text</source>
        <extracomment>sentences</extracomment>
        <translation>它含有文本</translation>
    </message>
    <message>
        <source>its header would have {size} bytes; at most {MAX_HEADER_BYTES} are allowed</source>
        <extracomment>sentences</extracomment>
        <translation>其文件头将有 {size} 字节，最多为 {MAX_HEADER_BYTES} 字节</translation>
    </message>
    <message>
        <source>at least {missing} missing</source>
        <extracomment>sentences</extracomment>
        <translation>至少 {missing}</translation>
    </message>
    <message>
        <source>{counted} of {value} {verb} missing</source>
        <extracomment>sentences</extracomment>
        <translation>{value} 字节中缺少 {counted}</translation>
    </message>
    <message>
        <source>{what} its last tensor</source>
        <extracomment>sentences</extracomment>
        <translation>最后一个张量之后还有 {what}</translation>
    </message>
    <message>
        <source>The header of this file has fields for {counted} that the format does not define; they are ignored.</source>
        <extracomment>sentences</extracomment>
        <translation>此文件头中 {counted} 的某些字段不属于该格式，已忽略。</translation>
    </message>
    <message>
        <source>it lists itself as a shard</source>
        <extracomment>sentences</extracomment>
        <translation>它把自己列为分片</translation>
    </message>
    <message>
        <source>{list} in the shards but not in the index; other programs may ignore this.</source>
        <extracomment>sentences</extracomment>
        <translation>{list} 在分片中但不在索引中；其他程序可能会略过。</translation>
    </message>
    <message>
        <source>The index contains a wrong total size: {total_size} bytes instead of {total}. Exports contain the correct number.</source>
        <extracomment>sentences</extracomment>
        <translation>索引声明张量有 {total_size} 字节；实际有 {total}。导出包含正确的数字。</translation>
    </message>
    <message>
        <source>Tensor {shown} is</source>
        <extracomment>sentences</extracomment>
        <translation>张量 {shown}</translation>
    </message>
    <message>
        <source>Tensors {shown} are</source>
        <extracomment>sentences</extracomment>
        <translation>张量 {shown}</translation>
    </message>
    <message>
        <source>the file system does not support files of {nbytes} bytes</source>
        <extracomment>sentences</extracomment>
        <translation>文件系统不支持 {nbytes} 字节的文件</translation>
    </message>
    <message>
        <source>Choose another disk (FAT32 is limited to 4 GB).</source>
        <extracomment>sentences</extracomment>
        <translation>请选择其他磁盘（FAT32 的上限为 4 GB）。</translation>
    </message>
    <message>
        <source>the disk is full ({nbytes} bytes are needed)</source>
        <extracomment>sentences</extracomment>
        <translation>磁盘已满（需要 {nbytes} 字节）</translation>
    </message>
    <message>
        <source>the disk is full or your quota is used up ({nbytes} bytes are needed)</source>
        <extracomment>sentences</extracomment>
        <translation>磁盘已满或您的配额已用完（需要 {nbytes} 字节）</translation>
    </message>
    <message>
        <source>Choose a folder that you may write to.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择您有写入权限的文件夹。</translation>
    </message>
    <message>
        <source>&apos;{folder}&apos; does not accept new files: choose another folder.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{folder}&apos; 不接受新文件：请选择其他文件夹。</translation>
    </message>
    <message>
        <source>Check the disk or the network drive.</source>
        <extracomment>sentences</extracomment>
        <translation>请检查磁盘或网络驱动器。</translation>
    </message>
    <message>
        <source>a folder</source>
        <extracomment>sentences</extracomment>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>a pipe</source>
        <extracomment>sentences</extracomment>
        <translation>管道</translation>
    </message>
    <message>
        <source>a socket</source>
        <extracomment>sentences</extracomment>
        <translation>套接字</translation>
    </message>
    <message>
        <source>a device</source>
        <extracomment>sentences</extracomment>
        <translation>设备</translation>
    </message>
    <message>
        <source>something else</source>
        <extracomment>sentences</extracomment>
        <translation>其他类型</translation>
    </message>
    <message>
        <source>Ask for permission to read it, or copy it to a folder of your own.</source>
        <extracomment>sentences</extracomment>
        <translation>请申请读取权限，或将其复制到您自己的文件夹。</translation>
    </message>
    <message>
        <source>Check the name and the folder.</source>
        <extracomment>sentences</extracomment>
        <translation>请检查名称和文件夹。</translation>
    </message>
    <message>
        <source>was written by another program</source>
        <extracomment>sentences</extracomment>
        <translation>已由其他程序写入</translation>
    </message>
    <message>
        <source>was changed or removed</source>
        <extracomment>sentences</extracomment>
        <translation>已更改或移除</translation>
    </message>
    <message>
        <source>Check the connection to the store, then export again.</source>
        <extracomment>sentences</extracomment>
        <translation>请检查与存储的连接，然后重新导出。</translation>
    </message>
    <message>
        <source>Choose a place that you may write to, or check your credentials.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择您有写入权限的位置，或检查您的凭据。</translation>
    </message>
    <message>
        <source>Check the name of the bucket.</source>
        <extracomment>sentences</extracomment>
        <translation>请检查存储桶的名称。</translation>
    </message>
    <message>
        <source>Download it again, from the link to the file itself.</source>
        <extracomment>sentences</extracomment>
        <translation>请从文件本身的链接重新下载。</translation>
    </message>
    <message>
        <source>Open the model that it was made from, prune it, and convert that again.</source>
        <extracomment>sentences</extracomment>
        <translation>请打开生成它的模型，剪枝后再转换一次。</translation>
    </message>
    <message>
        <source>Save its tensors in Python: safetensors.numpy.save_file({tensors}, &apos;model.safetensors&apos;), then open that file.</source>
        <extracomment>sentences</extracomment>
        <translation>请在 Python 中保存其张量：safetensors.numpy.save_file({tensors}, &apos;model.safetensors&apos;)，然后打开该文件。</translation>
    </message>
    <message>
        <source>is a pointer of git-lfs, not the weights themselves</source>
        <extracomment>sentences</extracomment>
        <translation>是 git-lfs 的指针，不是权重本身</translation>
    </message>
    <message>
        <source>Run `git lfs pull` in its folder, then open it again.</source>
        <extracomment>sentences</extracomment>
        <translation>请在其文件夹中运行 `git lfs pull`，然后再次打开。</translation>
    </message>
    <message>
        <source>is compressed with gzip</source>
        <extracomment>sentences</extracomment>
        <translation>已用 gzip 压缩</translation>
    </message>
    <message>
        <source>is a 7-Zip archive</source>
        <extracomment>sentences</extracomment>
        <translation>是 7-Zip 归档</translation>
    </message>
    <message>
        <source>is a RAR archive</source>
        <extracomment>sentences</extracomment>
        <translation>是 RAR 归档</translation>
    </message>
    <message>
        <source>is compressed with zstd</source>
        <extracomment>sentences</extracomment>
        <translation>已用 zstd 压缩</translation>
    </message>
    <message>
        <source>is compressed with xz</source>
        <extracomment>sentences</extracomment>
        <translation>已用 xz 压缩</translation>
    </message>
    <message>
        <source>is compressed with bzip2</source>
        <extracomment>sentences</extracomment>
        <translation>已用 bzip2 压缩</translation>
    </message>
    <message>
        <source>is a tar archive, as written by torch before version 0.1.10 or used to pack downloads</source>
        <extracomment>sentences</extracomment>
        <translation>是 tar 归档，torch 0.1.10 之前的版本或下载打包会写出这种文件</translation>
    </message>
    <message>
        <source>is an HDF5 file, as Keras writes them</source>
        <extracomment>sentences</extracomment>
        <translation>是 Keras 写入的 HDF5 文件</translation>
    </message>
    <message>
        <source>is a TensorFlow Lite model</source>
        <extracomment>sentences</extracomment>
        <translation>是 TensorFlow Lite 模型</translation>
    </message>
    <message>
        <source>is an Arrow file: a table of data, not a model</source>
        <extracomment>sentences</extracomment>
        <translation>是 Arrow 文件：数据表，不是模型</translation>
    </message>
    <message>
        <source>is a Parquet file: a table of data, not a model</source>
        <extracomment>sentences</extracomment>
        <translation>是 Parquet 文件：数据表，不是模型</translation>
    </message>
    <message>
        <source>is a PDF document</source>
        <extracomment>sentences</extracomment>
        <translation>是 PDF 文档</translation>
    </message>
    <message>
        <source>is a picture</source>
        <extracomment>sentences</extracomment>
        <translation>是图片</translation>
    </message>
    <message>
        <source>is an SQLite database</source>
        <extracomment>sentences</extracomment>
        <translation>是 SQLite 数据库</translation>
    </message>
    <message>
        <source>is a script, which Pruneapp does not run</source>
        <extracomment>sentences</extracomment>
        <translation>是脚本，Pruneapp 不会运行它</translation>
    </message>
    <message>
        <source>is a Flax checkpoint</source>
        <extracomment>sentences</extracomment>
        <translation>是 Flax 检查点</translation>
    </message>
    <message>
        <source>is a PaddlePaddle checkpoint</source>
        <extracomment>sentences</extracomment>
        <translation>是 PaddlePaddle 检查点</translation>
    </message>
    <message>
        <source>is a Core ML model</source>
        <extracomment>sentences</extracomment>
        <translation>是 Core ML 模型</translation>
    </message>
    <message>
        <source>is a TensorRT engine</source>
        <extracomment>sentences</extracomment>
        <translation>是 TensorRT 引擎</translation>
    </message>
    <message>
        <source>Open the model that it was built from.</source>
        <extracomment>sentences</extracomment>
        <translation>请打开构建它所用的模型。</translation>
    </message>
    <message>
        <source>is a TensorFlow graph</source>
        <extracomment>sentences</extracomment>
        <translation>是 TensorFlow 计算图</translation>
    </message>
    <message>
        <source>is a GGML model</source>
        <extracomment>sentences</extracomment>
        <translation>是 GGML 模型</translation>
    </message>
    <message>
        <source>is a web page, not a checkpoint</source>
        <extracomment>sentences</extracomment>
        <translation>是网页，不是检查点</translation>
    </message>
    <message>
        <source>has other data in front of a zip archive</source>
        <extracomment>sentences</extracomment>
        <translation>在 zip 归档之前还有其他内容</translation>
    </message>
    <message>
        <source>Get the file again.</source>
        <extracomment>sentences</extracomment>
        <translation>请重新获取该文件。</translation>
    </message>
    <message>
        <source>Copy the whole folder, including hidden files.</source>
        <extracomment>sentences</extracomment>
        <translation>请复制整个文件夹；隐藏文件常被遗漏。</translation>
    </message>
    <message>
        <source>a checkpoint of DeepSpeed</source>
        <extracomment>sentences</extracomment>
        <translation>DeepSpeed 的检查点</translation>
    </message>
    <message>
        <source>a checkpoint of Megatron, split into ranks</source>
        <extracomment>sentences</extracomment>
        <translation>按 rank 切分的 Megatron 检查点</translation>
    </message>
    <message>
        <source>Convert it to Hugging Face&apos;s layout with the tools of Megatron.</source>
        <extracomment>sentences</extracomment>
        <translation>请用 Megatron 的工具将其转换为 Hugging Face 的布局。</translation>
    </message>
    <message>
        <source>a checkpoint of Meta&apos;s, split into ranks</source>
        <extracomment>sentences</extracomment>
        <translation>按 rank 切分的 Meta 检查点</translation>
    </message>
    <message>
        <source>Convert it with convert_llama_weights_to_hf.py of transformers.</source>
        <extracomment>sentences</extracomment>
        <translation>请用 transformers 的 convert_llama_weights_to_hf.py 转换。</translation>
    </message>
    <message>
        <source>a TensorFlow model</source>
        <extracomment>sentences</extracomment>
        <translation>TensorFlow 模型</translation>
    </message>
    <message>
        <source>Save its weights as safetensors with TensorFlow, then open that.</source>
        <extracomment>sentences</extracomment>
        <translation>请用 TensorFlow 将其权重保存为 safetensors，再打开该文件。</translation>
    </message>
    <message>
        <source>{len} tensors are</source>
        <extracomment>sentences</extracomment>
        <translation>有 {len} 个张量的</translation>
    </message>
    <message>
        <source>One tensor is</source>
        <extracomment>sentences</extracomment>
        <translation>有一个张量的</translation>
    </message>
    <message>
        <source>{some} named NAME_orig, without a 0/1 mask NAME_mask of the same shape: opened unchanged, not as pruned.</source>
        <extracomment>sentences</extracomment>
        <translation>{some}名称为 NAME_orig，但没有形状相同的 0/1 掩码 NAME_mask：按原样打开，不作为已剪枝处理。</translation>
    </message>
    <message>
        <source>{len} tensors NAME are</source>
        <extracomment>sentences</extracomment>
        <translation>有 {len} 个张量 NAME</translation>
    </message>
    <message>
        <source>One tensor NAME is</source>
        <extracomment>sentences</extracomment>
        <translation>有一个张量 NAME</translation>
    </message>
    <message>
        <source>{some} next to NAME_orig and NAME_mask of the same pruned tensor: all are opened unchanged, none as pruned. Open a file without outdated ones.</source>
        <extracomment>sentences</extracomment>
        <translation>{some}位于 NAME_orig 和 NAME_mask 旁边，后两者表示同一个已剪枝的张量：全部按原样打开，都不视为已剪枝。请打开不含过时张量的文件。</translation>
    </message>
    <message>
        <source>several of its elements share the same memory</source>
        <extracomment>sentences</extracomment>
        <translation>其中多个元素共用同一内存</translation>
    </message>
    <message>
        <source>it shares memory with &apos;{other}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>它与 &apos;{other}&apos; 共享内存</translation>
    </message>
    <message>
        <source>running statistics are measured, not learned</source>
        <extracomment>sentences</extracomment>
        <translation>移动统计量是测得的，不是学到的</translation>
    </message>
    <message>
        <source>it counts batches</source>
        <extracomment>sentences</extracomment>
        <translation>它用于计批次数</translation>
    </message>
    <message>
        <source>these frequencies are computed, not learned</source>
        <extracomment>sentences</extracomment>
        <translation>这些频率是计算得到的，不是学到的</translation>
    </message>
    <message>
        <source>it numbers positions</source>
        <extracomment>sentences</extracomment>
        <translation>它为位置编号</translation>
    </message>
    <message>
        <source>anchor boxes are chosen, not learned</source>
        <extracomment>sentences</extracomment>
        <translation>锚框是选定的，不是学到的</translation>
    </message>
    <message>
        <source>computes the weight of the layer from it</source>
        <extracomment>sentences</extracomment>
        <translation>由它计算该层的权重</translation>
    </message>
    <message>
        <source>it is empty</source>
        <extracomment>sentences</extracomment>
        <translation>它是空的</translation>
    </message>
    <message>
        <source>a single number is not pruned</source>
        <extracomment>sentences</extracomment>
        <translation>单个数不剪枝</translation>
    </message>
    <message>
        <source>weight normalization {RECOMPUTED}</source>
        <extracomment>sentences</extracomment>
        <translation>权重归一化{RECOMPUTED}</translation>
    </message>
    <message>
        <source>spectral normalization {RECOMPUTED}</source>
        <extracomment>sentences</extracomment>
        <translation>谱归一化{RECOMPUTED}</translation>
    </message>
    <message>
        <source>a parametrization {RECOMPUTED}</source>
        <extracomment>sentences</extracomment>
        <translation>参数化{RECOMPUTED}</translation>
    </message>
    <message>
        <source>{what} the end of its zip archive</source>
        <extracomment>sentences</extracomment>
        <translation>其 zip 归档结尾之后还有 {what}</translation>
    </message>
    <message>
        <source>its zip archive has more than one directory</source>
        <extracomment>sentences</extracomment>
        <translation>其 zip 归档有多个目录</translation>
    </message>
    <message>
        <source>its zip archive contradicts itself about its size</source>
        <extracomment>sentences</extracomment>
        <translation>其 zip 归档的大小信息自相矛盾</translation>
    </message>
    <message>
        <source>is one part of a zip archive in several parts</source>
        <extracomment>sentences</extracomment>
        <translation>是多卷 zip 归档中的一卷</translation>
    </message>
    <message>
        <source>is a zip archive of {count} members with a directory of {size} bytes (at most {MAX_MEMBERS} and {MAX_DIRECTORY} are read)</source>
        <extracomment>sentences</extracomment>
        <translation>是含 {count} 个成员、目录为 {size} 字节的 zip 归档（最多读取 {MAX_MEMBERS} 和 {MAX_DIRECTORY}）</translation>
    </message>
    <message>
        <source>its zip directory is longer than its members</source>
        <extracomment>sentences</extracomment>
        <translation>其 zip 目录比其成员还长</translation>
    </message>
    <message>
        <source>its zip archive has overlapping members (&apos;{name}&apos;)</source>
        <extracomment>sentences</extracomment>
        <translation>其 zip 归档有重叠的成员（&apos;{name}&apos;）</translation>
    </message>
    <message>
        <source>a member of its zip archive overlaps the directory</source>
        <extracomment>sentences</extracomment>
        <translation>其 zip 归档的某个成员与目录重叠</translation>
    </message>
    <message>
        <source>there is other data in front of its zip archive</source>
        <extracomment>sentences</extracomment>
        <translation>其 zip 归档之前还有内容</translation>
    </message>
    <message>
        <source>is a Keras model, which Pruneapp does not read</source>
        <extracomment>sentences</extracomment>
        <translation>是 Keras 模型，Pruneapp 不读取它</translation>
    </message>
    <message>
        <source>its zip directory ends in the middle</source>
        <extracomment>sentences</extracomment>
        <translation>其 zip 目录在中途结束</translation>
    </message>
    <message>
        <source>its zip directory contains something that is not an entry</source>
        <extracomment>sentences</extracomment>
        <translation>其 zip 目录含有不是条目的内容</translation>
    </message>
    <message>
        <source>the name of a member of its zip archive is not UTF-8</source>
        <extracomment>sentences</extracomment>
        <translation>其 zip 归档中某个成员的名称不是 UTF-8</translation>
    </message>
    <message>
        <source>is an encrypted zip archive</source>
        <extracomment>sentences</extracomment>
        <translation>是加密的 zip 归档</translation>
    </message>
    <message>
        <source>Decrypt it first.</source>
        <extracomment>sentences</extracomment>
        <translation>请先解密。</translation>
    </message>
    <message>
        <source>the zip archive contradicts itself about the size of &apos;{name}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>zip 归档中 &apos;{name}&apos; 的大小自相矛盾</translation>
    </message>
    <message>
        <source>the zip archive contradicts itself about &apos;{name}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>zip 归档中关于 &apos;{name}&apos; 的信息自相矛盾</translation>
    </message>
    <message>
        <source>It contains code ({names}), which was not run.</source>
        <extracomment>sentences</extracomment>
        <translation>它含有代码（{names}），没有运行。</translation>
    </message>
    <message>
        <source>{counted} of this file cannot be read: {first_names}. A torch file that keeps its container keeps {them}; other exports leave {them2} out only if you say so.</source>
        <extracomment>sentences</extracomment>
        <translation>无法读取此文件的 {counted}：{first_names}。保留容器的 torch 文件会保留它们；其他导出只在您确认后才略过它们。</translation>
    </message>
    <message>
        <source>This file is a TorchScript program; its code was not run. Its tensors are shown by the names of its attributes.</source>
        <extracomment>sentences</extracomment>
        <translation>此文件是 TorchScript 程序；其代码没有运行。其张量以属性名称显示。</translation>
    </message>
    <message>
        <source>This file contains code ({first_names}); it was not run.</source>
        <extracomment>sentences</extracomment>
        <translation>此文件含有代码（{first_names}）；没有运行。</translation>
    </message>
    <message>
        <source>it is quantized: integers with a scale, which are not pruned</source>
        <extracomment>sentences</extracomment>
        <translation>它已量化：带缩放的整数不剪枝</translation>
    </message>
    <message>
        <source>Pruneapp does not support the number format torch.{name}</source>
        <extracomment>sentences</extracomment>
        <translation>Pruneapp 不支持 torch.{name} 的数值格式</translation>
    </message>
    <message>
        <source>is a zip archive without the data.pkl that torch.save writes</source>
        <extracomment>sentences</extracomment>
        <translation>是 zip 归档，但没有 torch.save 会写入的 data.pkl</translation>
    </message>
    <message>
        <source>If a checkpoint is inside, unpack it first.</source>
        <extracomment>sentences</extracomment>
        <translation>若其中有检查点，请先解包。</translation>
    </message>
    <message>
        <source>the bytes of &apos;{name}&apos; are not those that were saved</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 的字节与保存时不同</translation>
    </message>
    <message>
        <source>storage &apos;{key}&apos; is missing</source>
        <extracomment>sentences</extracomment>
        <translation>缺少存储 &apos;{key}&apos;</translation>
    </message>
    <message>
        <source>storage &apos;{key}&apos; should have {nbytes} bytes and has {size}</source>
        <extracomment>sentences</extracomment>
        <translation>存储 &apos;{key}&apos; 应有 {nbytes} 字节，实际为 {size} 字节</translation>
    </message>
    <message>
        <source>Load it in Python and save it again: torch.save(torch.load(FILE), &apos;model.pt&apos;).</source>
        <extracomment>sentences</extracomment>
        <translation>请在 Python 中加载并重新保存：torch.save(torch.load(FILE), &apos;model.pt&apos;)。</translation>
    </message>
    <message>
        <source>was saved on a big-endian machine, whose numbers Pruneapp does not read</source>
        <extracomment>sentences</extracomment>
        <translation>是在大端序机器上保存的，Pruneapp 不读取其数值</translation>
    </message>
    <message>
        <source>Load and save it with torch on an x86 or ARM machine.</source>
        <extracomment>sentences</extracomment>
        <translation>请用 torch 加载，并在普通机器上重新保存。</translation>
    </message>
    <message>
        <source>Patterns are case-sensitive and match whole names; &apos;*&apos; matches every tensor.</source>
        <extracomment>sentences</extracomment>
        <translation>模式区分大小写并匹配完整名称；&apos;*&apos; 匹配所有张量。</translation>
    </message>
    <message>
        <source>, and {others} more like it</source>
        <extracomment>sentences</extracomment>
        <translation>，以及另外 {others} 个类似张量</translation>
    </message>
    <message>
        <source>The model has no {LABELS}.</source>
        <extracomment>sentences</extracomment>
        <translation>该模型没有{LABELS}。</translation>
    </message>
    <message>
        <source>no weight is selected</source>
        <extracomment>sentences</extracomment>
        <translation>没有选中权重</translation>
    </message>
    <message>
        <source>A pruned channel still outputs its bias: the same constant for every input.</source>
        <extracomment>sentences</extracomment>
        <translation>被剪枝的通道仍会输出其偏置：对任何输入都是同一常数。</translation>
    </message>
    <message>
        <source>A pruned filter still outputs a constant if its norm layer has a bias (beta). With weight and bias of the norm at 0, its output is exactly 0.</source>
        <extracomment>sentences</extracomment>
        <translation>若归一化层有偏置 (beta)，被剪枝的滤波器仍会输出常数。归一化的权重和偏置都为 0 时，其输出恰为 0。</translation>
    </message>
    <message>
        <source>, as in &apos;{other}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>，如 &apos;{other}&apos;</translation>
    </message>
    <message>
        <source>Dim {dim} of &apos;{name}&apos; is that of the {units}{like}. Only a shrunk export removes {units2} from all tensors.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 的维度 {dim} 是{units}的维度{like}。只有缩减导出会从所有张量中移除{units2}。</translation>
    </message>
    <message>
        <source>all that is pruned here is pruned there</source>
        <extracomment>sentences</extracomment>
        <translation>此处被剪枝的在另一侧也都被剪枝</translation>
    </message>
    <message>
        <source>all that is pruned there is pruned here</source>
        <extracomment>sentences</extracomment>
        <translation>另一侧被剪枝的在此处也都被剪枝</translation>
    </message>
    <message>
        <source>nothing that is pruned here is pruned there</source>
        <extracomment>sentences</extracomment>
        <translation>此处被剪枝的在另一侧都没有被剪枝</translation>
    </message>
    <message>
        <source>{shown} and {value} more</source>
        <extracomment>sentences</extracomment>
        <translation>{shown} 以及另外 {value} 个</translation>
    </message>
    <message>
        <source>No {things} are allowed here.</source>
        <extracomment>sentences</extracomment>
        <translation>此处不允许任何{things}。</translation>
    </message>
    <message>
        <source>Did you mean {join}?</source>
        <extracomment>sentences</extracomment>
        <translation>您是指 {join} 吗？</translation>
    </message>
    <message>
        <source>{question}Allowed {things}: {join}.</source>
        <extracomment>sentences</extracomment>
        <translation>{question}允许的{things}：{join}。</translation>
    </message>
    <message>
        <source>continue the scan ({measured} of {wanted} evaluations are done)</source>
        <extracomment>sentences</extracomment>
        <translation>继续扫描（已完成 {wanted} 次评估中的 {measured} 次）</translation>
    </message>
    <message>
        <source>scan larger amounts</source>
        <extracomment>sentences</extracomment>
        <translation>扫描更大的剪枝量</translation>
    </message>
    <message>
        <source>collecting Gram matrices, run {number}</source>
        <extracomment>sentences</extracomment>
        <translation>正在收集格拉姆矩阵，第 {number} 轮</translation>
    </message>
    <message>
        <source>inputs of {group}</source>
        <extracomment>sentences</extracomment>
        <translation>{group} 的输入</translation>
    </message>
    <message>
        <source>Gram matrices</source>
        <extracomment>sentences</extracomment>
        <translation>格拉姆矩阵</translation>
    </message>
    <message>
        <source>collecting {what}, run {runs} of {len}</source>
        <extracomment>sentences</extracomment>
        <translation>正在收集{what}，第 {runs} 轮，共 {len} 轮</translation>
    </message>
    <message>
        <source>counting multiply-adds</source>
        <extracomment>sentences</extracomment>
        <translation>正在统计乘加运算</translation>
    </message>
    <message>
        <source>collecting statistics</source>
        <extracomment>sentences</extracomment>
        <translation>正在收集统计量</translation>
    </message>
    <message>
        <source>was ended</source>
        <extracomment>sentences</extracomment>
        <translation>被终止</translation>
    </message>
    <message>
        <source>crashed with a segmentation fault</source>
        <extracomment>sentences</extracomment>
        <translation>因段错误崩溃</translation>
    </message>
    <message>
        <source>Some compiled code that it uses is defective; the log shows where it crashed.</source>
        <extracomment>sentences</extracomment>
        <translation>它所用的某些编译代码有缺陷；日志显示了崩溃的位置。</translation>
    </message>
    <message>
        <source>was killed by the system, most likely because the memory was full</source>
        <extracomment>sentences</extracomment>
        <translation>被系统终止，很可能是因为内存已满</translation>
    </message>
    <message>
        <source>Use fewer samples, smaller batches, or a larger machine.</source>
        <extracomment>sentences</extracomment>
        <translation>请使用更少的样本、更小的批次或更大的机器。</translation>
    </message>
    <message>
        <source>was ended by the signal {name}</source>
        <extracomment>sentences</extracomment>
        <translation>被信号 {name} 终止</translation>
    </message>
    <message>
        <source>The log shows where it ended.</source>
        <extracomment>sentences</extracomment>
        <translation>日志显示了结束的位置。</translation>
    </message>
    <message>
        <source>ended because the script closed the pipe through which it answers</source>
        <extracomment>sentences</extracomment>
        <translation>已结束，因为脚本关闭了它用来应答的管道</translation>
    </message>
    <message>
        <source>Close only those files that the script opened.</source>
        <extracomment>sentences</extracomment>
        <translation>请只关闭脚本自己打开的文件。</translation>
    </message>
    <message>
        <source>A script must not end the process.</source>
        <extracomment>sentences</extracomment>
        <translation>脚本不得结束进程。</translation>
    </message>
    <message>
        <source>The pruned model may be broken, or the evaluation divides by zero.</source>
        <extracomment>sentences</extracomment>
        <translation>被剪枝的模型可能已失效，或评估中除以了零。</translation>
    </message>
    <message>
        <source>for the unpruned model</source>
        <extracomment>sentences</extracomment>
        <translation>（未剪枝模型）</translation>
    </message>
    <message>
        <source>Correct the evaluation: it may divide by zero, or have no samples.</source>
        <extracomment>sentences</extracomment>
        <translation>请更正评估：它可能除以了零，或没有样本。</translation>
    </message>
    <message>
        <source>largest spread of three runs of the unpruned model</source>
        <extracomment>sentences</extracomment>
        <translation>未剪枝模型三次运行的最大差异</translation>
    </message>
    <message>
        <source>as chosen</source>
        <extracomment>sentences</extracomment>
        <translation>按您的选择</translation>
    </message>
    <message>
        <source>made by uv according to the header of the script</source>
        <extracomment>sentences</extracomment>
        <translation>由 uv 按脚本的文件头创建</translation>
    </message>
    <message>
        <source>The script lists what it needs in a header (PEP 723), but uv, which would install it, was not found.</source>
        <extracomment>sentences</extracomment>
        <translation>脚本在文件头 (PEP 723) 中列出了所需内容，但没有找到用于安装的 uv。</translation>
    </message>
    <message>
        <source>in the active {words} environment &apos;{prefix}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>位于活动的 {words} 环境 &apos;{prefix}&apos;</translation>
    </message>
    <message>
        <source>the one that runs Pruneapp</source>
        <extracomment>sentences</extracomment>
        <translation>运行 Pruneapp 的解释器</translation>
    </message>
    <message>
        <source>The model was not called in the process of the script, so it is not known whether the metrics belong to it.</source>
        <extracomment>sentences</extracomment>
        <translation>脚本的进程中没有调用该模型，因此无法确定指标是否属于它。</translation>
    </message>
    <message>
        <source>reading weights</source>
        <extracomment>sentences</extracomment>
        <translation>正在读取权重</translation>
    </message>
    <message>
        <source>loading the model</source>
        <extracomment>sentences</extracomment>
        <translation>正在加载模型</translation>
    </message>
    <message>
        <source>handing over the weights</source>
        <extracomment>sentences</extracomment>
        <translation>正在移交权重</translation>
    </message>
    <message>
        <source>running {name}</source>
        <extracomment>sentences</extracomment>
        <translation>正在运行 {name}</translation>
    </message>
    <message>
        <source>The command &apos;{name}&apos; {how}</source>
        <extracomment>sentences</extracomment>
        <translation>命令 &apos;{name}&apos; {how}</translation>
    </message>
    <message>
        <source>starting Python</source>
        <extracomment>sentences</extracomment>
        <translation>正在启动 Python</translation>
    </message>
    <message>
        <source>reading the script</source>
        <extracomment>sentences</extracomment>
        <translation>正在读取脚本</translation>
    </message>
    <message>
        <source>{label}: does not answer</source>
        <extracomment>sentences</extracomment>
        <translation>{label}：没有应答</translation>
    </message>
    <message>
        <source>, or export as {name}, which keeps what was opened{unless}</source>
        <extracomment>sentences</extracomment>
        <translation>，或导出为 {name}，它保留打开的内容{unless}</translation>
    </message>
    <message>
        <source>Kept unchanged: {no_tensors}.</source>
        <extracomment>sentences</extracomment>
        <translation>原样保留：{no_tensors}。</translation>
    </message>
    <message>
        <source>Kept unchanged: {outside}.</source>
        <extracomment>sentences</extracomment>
        <translation>原样保留：{outside}。</translation>
    </message>
    <message>
        <source>not contiguous</source>
        <extracomment>sentences</extracomment>
        <translation>不连续</translation>
    </message>
    <message>
        <source>Written as plain, contiguous tensors: {sentence}.</source>
        <extracomment>sentences</extracomment>
        <translation>写为普通的连续张量：{sentence}。</translation>
    </message>
    <message>
        <source>Not copied from &apos;{name}&apos;: {first_names}. Configuration, tokenizer, and what {MODULES} refers to are copied; code never is.</source>
        <extracomment>sentences</extracomment>
        <translation>未从 &apos;{name}&apos; 复制：{first_names}。配置、分词器以及 {MODULES} 引用的内容会被复制；代码从不复制。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; of the opened model was copied unchanged, because it cannot be read ({what}); a dtype in it is the old one.</source>
        <extracomment>sentences</extracomment>
        <translation>打开的模型的 &apos;{name}&apos; 按原样复制，因为无法读取它（{what}）；其中的 dtype 是旧的。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos;: dtype changed from {dtype} to {dtype2}, so that transformers loads the weights as they were written.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos;：dtype 由 {dtype} 改为 {dtype2}，使 transformers 按写入的类型加载权重。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; exists already and is not replaced.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 已存在，不会被替换。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is a link; &apos;{resolved}&apos; was written.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 是链接；已写入 &apos;{resolved}&apos;。</translation>
    </message>
    <message>
        <source>it names no file</source>
        <extracomment>sentences</extracomment>
        <translation>它没有指明文件</translation>
    </message>
    <message>
        <source>it contains one of &lt; &gt; : &quot; | ? * \, which Windows does not allow</source>
        <extracomment>sentences</extracomment>
        <translation>它含有 &lt; &gt; : &quot; | ? * \ 之一，Windows 不允许</translation>
    </message>
    <message>
        <source>&apos;{device}&apos; is a device on Windows</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{device}&apos; 在 Windows 上是设备</translation>
    </message>
    <message>
        <source>it ends in a dot or a space, which Windows drops</source>
        <extracomment>sentences</extracomment>
        <translation>它以点或空格结尾，Windows 会去掉</translation>
    </message>
    <message>
        <source>differ from those of the opened model; they are not replaced.</source>
        <extracomment>sentences</extracomment>
        <translation>与打开的模型中的不同；不会被替换。</translation>
    </message>
    <message>
        <source>differs from that of the opened model; it is not replaced.</source>
        <extracomment>sentences</extracomment>
        <translation>与打开的模型中的不同；不会被替换。</translation>
    </message>
    <message>
        <source>{first_names} {verb} in &apos;{name}&apos; already and {left}</source>
        <extracomment>sentences</extracomment>
        <translation>{first_names} 已在 &apos;{name}&apos; 中，并且{left}</translation>
    </message>
    <message>
        <source>Copied from &apos;{home}&apos;: {first_names}.</source>
        <extracomment>sentences</extracomment>
        <translation>从 &apos;{home}&apos; 复制：{first_names}。</translation>
    </message>
    <message>
        <source>The original is kept as {names}.</source>
        <extracomment>sentences</extracomment>
        <translation>原文件保留为 {names}。</translation>
    </message>
    <message>
        <source>and {value} more</source>
        <extracomment>sentences</extracomment>
        <translation>以及另外 {value} 个</translation>
    </message>
    <message>
        <source>Written as plain integers: &apos;{names}&apos;{more}. The scales and zero points of quantized tensors are not in this file.</source>
        <extracomment>sentences</extracomment>
        <translation>以普通整数写出：&apos;{names}&apos;{more}。此文件不含量化张量的缩放和零点。</translation>
    </message>
    <message>
        <source>not two-dimensional, such as convolutions and biases</source>
        <extracomment>sentences</extracomment>
        <translation>个不是二维，如卷积和偏置</translation>
    </message>
    <message>
        <source>embeddings, which torch cannot look up in CSR</source>
        <extracomment>sentences</extracomment>
        <translation>个是嵌入，torch 无法在其中查找 CSR 的行</translation>
    </message>
    <message>
        <source>{label}, which torch cannot turn from CSR to dense</source>
        <extracomment>sentences</extracomment>
        <translation>个为 {label}，torch 无法将其从 CSR 转为稠密</translation>
    </message>
    <message>
        <source>too large for indices of 32 bits</source>
        <extracomment>sentences</extracomment>
        <translation>个对 32 位索引而言过大</translation>
    </message>
    <message>
        <source>no smaller as CSR</source>
        <extracomment>sentences</extracomment>
        <translation>个用 CSR 并不更小</translation>
    </message>
    <message>
        <source>Nothing is pruned, so every tensor is written dense.</source>
        <extracomment>sentences</extracomment>
        <translation>没有剪枝，因此所有张量都写为稠密。</translation>
    </message>
    <message>
        <source>Not one of the {pruned} pruned tensors becomes CSR, so the file is as large as a dense one ({reasons}).</source>
        <extracomment>sentences</extracomment>
        <translation>{pruned} 个被剪枝的张量都没有转为 CSR，因此文件与稠密文件一样大（{reasons}）。</translation>
    </message>
    <message>
        <source>Of {counted} {sparse} {are} smaller as CSR: {after} bytes instead of {before}.{rest}</source>
        <extracomment>sentences</extracomment>
        <translation>在 {counted}中，{sparse} 个用 CSR 更小：{after} 字节，原为 {before} 字节。{rest}</translation>
    </message>
    <message>
        <source>Nothing is pruned, so there is no mask in the file.</source>
        <extracomment>sentences</extracomment>
        <translation>没有剪枝，因此文件中没有掩码。</translation>
    </message>
    <message>
        <source>safetensors has no type {label}, which &apos;{name}&apos; has.</source>
        <extracomment>sentences</extracomment>
        <translation>safetensors 没有类型 {label}，而 &apos;{name}&apos; 为该类型。</translation>
    </message>
    <message>
        <source>safetensors reserves the name &apos;{METADATA}&apos;, which a tensor has.</source>
        <extracomment>sentences</extracomment>
        <translation>safetensors 保留了名称 &apos;{METADATA}&apos;，而有张量使用它。</translation>
    </message>
    <message>
        <source>A plain state dict was written, because {reason}.</source>
        <extracomment>sentences</extracomment>
        <translation>写为普通状态字典，因为{reason}。</translation>
    </message>
    <message>
        <source>several files were put together</source>
        <extracomment>sentences</extracomment>
        <translation>多个文件被合并</translation>
    </message>
    <message>
        <source>pairs of NAME_orig and NAME_mask became NAME</source>
        <extracomment>sentences</extracomment>
        <translation>成对的 NAME_orig 和 NAME_mask 变为 NAME</translation>
    </message>
    <message>
        <source>All values were {dtype} or narrower: nothing was rounded.</source>
        <extracomment>sentences</extracomment>
        <translation>所有数值都是 {dtype} 或更窄：没有舍入。</translation>
    </message>
    <message>
        <source>Rounded to {dtype}.</source>
        <extracomment>sentences</extracomment>
        <translation>已舍入为 {dtype}。</translation>
    </message>
    <message>
        <source>{most} {were} too large and became infinite, in &apos;{name}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 中有 {most} 个值过大，变为无穷。</translation>
    </message>
    <message>
        <source>So did {rest} in {others}.</source>
        <extracomment>sentences</extracomment>
        <translation>{others}中的 {rest} 个值也是如此。</translation>
    </message>
    <message>
        <source>{vanished} {were} too small and became 0.</source>
        <extracomment>sentences</extracomment>
        <translation>有 {vanished} 个值过小，变为 0。</translation>
    </message>
    <message>
        <source>&apos;{names}&apos; alone needs more than {limit}: its file is larger.</source>
        <extracomment>sentences</extracomment>
        <translation>仅 &apos;{names}&apos; 就需要超过 {limit}：其文件更大。</translation>
    </message>
    <message>
        <source>&apos;{names}&apos; and {value} more need more than {limit}, each alone: their files are larger.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{names}&apos; 和另外 {value} 个各自都需要超过 {limit}：它们的文件更大。</translation>
    </message>
    <message>
        <source>No {label} is removed: {error}</source>
        <extracomment>sentences</extracomment>
        <translation>不移除{label}：{error}</translation>
    </message>
    <message>
        <source>The configuration does not say what is needed: {error}.</source>
        <extracomment>sentences</extracomment>
        <translation>配置没有说明所需内容：{error}。</translation>
    </message>
    <message>
        <source>The configuration must contain {needs}, but does not.</source>
        <extracomment>sentences</extracomment>
        <translation>配置必须包含 {needs}，但没有。</translation>
    </message>
    <message>
        <source>The layers beyond that number would not fit a model with fewer.</source>
        <extracomment>sentences</extracomment>
        <translation>超出该数量的层不适合层数更少的模型。</translation>
    </message>
    <message>
        <source>The model computes with the index of each layer; removing layers requires {layers_need}.</source>
        <extracomment>sentences</extracomment>
        <translation>该模型用每层的编号计算；移除层需要 {layers_need}。</translation>
    </message>
    <message>
        <source>&apos;{value}&apos; refers to the model&apos;s own code (auto_map), so its class is not one of transformers and nothing is known about it.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{value}&apos; 指定了模型自己的代码 (auto_map)，因此其类不属于 transformers，对其一无所知。</translation>
    </message>
    <message>
        <source>names no model type</source>
        <extracomment>sentences</extracomment>
        <translation>没有指明模型类型</translation>
    </message>
    <message>
        <source>is of type &apos;{model_type}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>类型为 &apos;{model_type}&apos;</translation>
    </message>
    <message>
        <source>No channels of &apos;{path}&apos; can be removed on their own: see its graph.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 中没有可以单独去掉的通道：请看其计算图。</translation>
    </message>
    <message>
        <source>&apos;{value}&apos; names no model type, and the tensors belong to no known block. An ONNX file of the model contains the graph, and can be shrunk.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{value}&apos; 未注明模型类型，且张量不属于任何已知的块。该模型的 ONNX 文件包含计算图，可以缩减。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is too large for a configuration.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 对配置而言过大。</translation>
    </message>
    <message>
        <source>Use the full bundle of Pruneapp, or install Pruneapp with pip.</source>
        <extracomment>sentences</extracomment>
        <translation>请使用 Pruneapp 的完整包，或用 pip 安装 Pruneapp。</translation>
    </message>
    <message>
        <source>Run: pip install &apos;{value}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>请运行：pip install &apos;{value}&apos;</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is not a regular file, so it cannot be read as a {kind}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 不是常规文件，因此无法作为{kind}读取。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is too large for a {kind}: it has {st_size} bytes.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 对{kind}而言过大：有 {st_size} 字节。</translation>
    </message>
    <message>
        <source>Check your permissions.</source>
        <extracomment>sentences</extracomment>
        <translation>请检查您的权限。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is not a valid file name.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 不是有效的文件名。</translation>
    </message>
    <message>
        <source>character {pos}</source>
        <extracomment>sentences</extracomment>
        <translation>字符 {pos}</translation>
    </message>
    <message>
        <source>line {lineno}</source>
        <extracomment>sentences</extracomment>
        <translation>第 {lineno} 行</translation>
    </message>
    <message>
        <source>, column {colno}</source>
        <extracomment>sentences</extracomment>
        <translation>，第 {colno} 列</translation>
    </message>
    <message>
        <source>unknown key &apos;{match}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>未知的键 &apos;{match}&apos;</translation>
    </message>
    <message>
        <source>the key &apos;{match}&apos; is missing</source>
        <extracomment>sentences</extracomment>
        <translation>缺少键 &apos;{match}&apos;</translation>
    </message>
    <message>
        <source>Add &apos;{match}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>请添加 &apos;{match}&apos;。</translation>
    </message>
    <message>
        <source>{shown} is not an allowed value</source>
        <extracomment>sentences</extracomment>
        <translation>{shown} 不是允许的值</translation>
    </message>
    <message>
        <source>expected {types}{rule}, got {value}</source>
        <extracomment>sentences</extracomment>
        <translation>应为：{types}{rule}；实际为：{value}</translation>
    </message>
    <message>
        <source>&apos;{key}&apos; appears twice in it</source>
        <extracomment>sentences</extracomment>
        <translation>其中 &apos;{key}&apos; 出现两次</translation>
    </message>
    <message>
        <source>the number {text} in it is too large</source>
        <extracomment>sentences</extracomment>
        <translation>其中的数 {text} 过大</translation>
    </message>
    <message>
        <source>of &apos;{where}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>（&apos;{where}&apos;）</translation>
    </message>
    <message>
        <source>{percent} is {count}</source>
        <extracomment>sentences</extracomment>
        <translation>{percent} 即 {count}</translation>
    </message>
    <message>
        <source>got {count}</source>
        <extracomment>sentences</extracomment>
        <translation>收到 {count}</translation>
    </message>
    <message>
        <source>only {free} can be pruned</source>
        <extracomment>sentences</extracomment>
        <translation>只能剪枝 {free} 个</translation>
    </message>
    <message>
        <source>none can be pruned</source>
        <extracomment>sentences</extracomment>
        <translation>无法剪枝</translation>
    </message>
    <message>
        <source>Unprotect weights.</source>
        <extracomment>sentences</extracomment>
        <translation>请取消对权重的保护。</translation>
    </message>
    <message>
        <source>at most {percent}</source>
        <extracomment>sentences</extracomment>
        <translation>至多 {percent}</translation>
    </message>
    <message>
        <source>a count up to {free}</source>
        <extracomment>sentences</extracomment>
        <translation>至多 {free} 的数量</translation>
    </message>
    <message>
        <source>that tensor</source>
        <extracomment>sentences</extracomment>
        <translation>该张量</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is an importance matrix of llama.cpp, not a model.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 是 llama.cpp 的重要性矩阵，不是模型。</translation>
    </message>
    <message>
        <source>Convert it: pruneapp statistics MODEL --from FILE -o statistics.safetensors</source>
        <extracomment>sentences</extracomment>
        <translation>请转换：pruneapp statistics MODEL --from FILE -o statistics.safetensors</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is a GGUF file without tensors, such as one with a vocabulary only.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 是没有张量的 GGUF 文件，例如仅含词表的文件。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is a GGUF file that Pruneapp does not read: {what}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 是 Pruneapp 不读取的 GGUF 文件：{what}。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is not a valid {kind}: {what}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 不是有效的 {kind}：{what}。</translation>
    </message>
    <message>
        <source>its alignment is {text}</source>
        <extracomment>sentences</extracomment>
        <translation>其对齐值为 {text}</translation>
    </message>
    <message>
        <source>&apos;{show}&apos; has {n_dims} dimensions</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos; 有 {n_dims} 个维度</translation>
    </message>
    <message>
        <source>it has the key &apos;{show}&apos; twice</source>
        <extracomment>sentences</extracomment>
        <translation>键 &apos;{show}&apos; 出现两次</translation>
    </message>
    <message>
        <source>it has &apos;{name}&apos; twice</source>
        <extracomment>sentences</extracomment>
        <translation>其中 &apos;{name}&apos; 出现两次</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is not at a multiple of {alignment} bytes</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 的位置不是 {alignment} 字节的倍数</translation>
    </message>
    <message>
        <source>a row of &apos;{name}&apos; has {value} weights, which are not whole blocks of {block}</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 的一行有 {value} 个权重，不是 {block} 的整数块</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; overlaps &apos;{before}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 与 &apos;{before}&apos; 重叠</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is damaged: {what}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 已损坏：{what}。</translation>
    </message>
    <message>
        <source>Save arrays of plain numbers in Python, as numpy.savez(&apos;weights.npz&apos;, **arrays), then open that file.</source>
        <extracomment>sentences</extracomment>
        <translation>请在 Python 中保存普通数字数组，如 numpy.savez(&apos;weights.npz&apos;, **arrays)，然后打开该文件。</translation>
    </message>
    <message>
        <source>{n} array</source>
        <extracomment>sentences</extracomment>
        <translation>{n} 个数组</translation>
    </message>
    <message>
        <source>{n} arrays</source>
        <extracomment>sentences</extracomment>
        <translation>{n} 个数组</translation>
    </message>
    <message>
        <source>&apos;{show}&apos; does not begin like an array of numpy</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos; 的开头不像 numpy 数组</translation>
    </message>
    <message>
        <source>&apos;{show}&apos; has the unknown version {head} of its header</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos; 的文件头版本 {head} 未知</translation>
    </message>
    <message>
        <source>the header of &apos;{show}&apos; would have {length} bytes</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos; 的文件头将有 {length} 字节</translation>
    </message>
    <message>
        <source>the header of &apos;{show}&apos; is not that of an array</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos; 的文件头不是数组的文件头</translation>
    </message>
    <message>
        <source>&apos;{show}&apos; has a shape that no array can have</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos; 的形状是任何数组都不可能有的</translation>
    </message>
    <message>
        <source>{what} the elements of &apos;{show}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>{what} &apos;{show}&apos; 的元素</translation>
    </message>
    <message>
        <source>it has two members called &apos;{show}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>其中有两个名为 &apos;{show}&apos; 的成员</translation>
    </message>
    <message>
        <source>Download or copy the whole folder. If the index belongs to other files, remove the index, or open a shard by itself.</source>
        <extracomment>sentences</extracomment>
        <translation>请下载或复制整个文件夹。如果索引属于其他文件，请删除索引，或单独打开一个分片。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is a part of a distributed checkpoint.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 是分布式检查点的一部分。</translation>
    </message>
    <message>
        <source>Open its folder, &apos;{folder}&apos;, which needs the file &apos;{METADATA_FILE}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>请打开其文件夹 &apos;{folder}&apos;，其中需要有文件 &apos;{METADATA_FILE}&apos;。</translation>
    </message>
    <message>
        <source>its pickle refers to a storage</source>
        <extracomment>sentences</extracomment>
        <translation>其 pickle 引用了一个存储</translation>
    </message>
    <message>
        <source>the chunks of tensor &apos;{show}&apos; have {total} elements of {prod}</source>
        <extracomment>sentences</extracomment>
        <translation>张量 &apos;{show}&apos; 的块有 {total} 个元素，应为 {prod}</translation>
    </message>
    <message>
        <source>a zip archive in it refers to bytes behind its end</source>
        <extracomment>sentences</extracomment>
        <translation>其中的 zip 归档引用了末尾之后的字节</translation>
    </message>
    <message>
        <source>the part of tensor &apos;{show}&apos; has no data.pkl</source>
        <extracomment>sentences</extracomment>
        <translation>张量 &apos;{show}&apos; 的部分没有 data.pkl</translation>
    </message>
    <message>
        <source>a part of tensor &apos;{show}&apos; should be {name} of shape {list} and is {name2} of shape {list2}</source>
        <extracomment>sentences</extracomment>
        <translation>张量 &apos;{show}&apos; 的一部分应为形状 {list} 的 {name}，实际为形状 {list2} 的 {name2}</translation>
    </message>
    <message>
        <source>the storage of a part of tensor &apos;{show}&apos; is missing</source>
        <extracomment>sentences</extracomment>
        <translation>张量 &apos;{show}&apos; 的一部分缺少存储</translation>
    </message>
    <message>
        <source>has {size} bytes; at most {MAX_PICKLE} are read</source>
        <extracomment>sentences</extracomment>
        <translation>有 {size} 字节；最多读取 {MAX_PICKLE}</translation>
    </message>
    <message>
        <source>is not the metadata of a distributed checkpoint of torch</source>
        <extracomment>sentences</extracomment>
        <translation>不是 torch 分布式检查点的元数据</translation>
    </message>
    <message>
        <source>it does not say where a tensor is stored</source>
        <extracomment>sentences</extracomment>
        <translation>其中没有说明张量存储在何处</translation>
    </message>
    <message>
        <source>describes chunks that were transformed when they were written (compressed)</source>
        <extracomment>sentences</extracomment>
        <translation>描述的块在写入时经过了变换（压缩）</translation>
    </message>
    <message>
        <source>Save it again without extensions, or convert it with torch: python -m torch.distributed.checkpoint.format_utils dcp_to_torch FOLDER model.pt</source>
        <extracomment>sentences</extracomment>
        <translation>请不带扩展重新保存，或用 torch 转换：python -m torch.distributed.checkpoint.format_utils dcp_to_torch FOLDER model.pt</translation>
    </message>
    <message>
        <source>it describes no tensors, or not where they are stored</source>
        <extracomment>sentences</extracomment>
        <translation>其中没有描述张量，或没有说明其存储位置</translation>
    </message>
    <message>
        <source>it does not say which tensor is stored at a place</source>
        <extracomment>sentences</extracomment>
        <translation>其中没有说明某处存储的是哪个张量</translation>
    </message>
    <message>
        <source>the shape of tensor &apos;{show}&apos; is not well-formed</source>
        <extracomment>sentences</extracomment>
        <translation>张量 &apos;{show}&apos; 的形状格式不正确</translation>
    </message>
    <message>
        <source>tensor &apos;{show}&apos; is larger than any memory</source>
        <extracomment>sentences</extracomment>
        <translation>张量 &apos;{show}&apos; 超过任何内存</translation>
    </message>
    <message>
        <source>the chunks of tensor &apos;{show}&apos; are not well-formed</source>
        <extracomment>sentences</extracomment>
        <translation>张量 &apos;{show}&apos; 的块格式不正确</translation>
    </message>
    <message>
        <source>chunks of tensor &apos;{show}&apos; overlap</source>
        <extracomment>sentences</extracomment>
        <translation>张量 &apos;{show}&apos; 的块重叠</translation>
    </message>
    <message>
        <source>&apos;{show}&apos; is not the name of a file in its folder</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos; 不是其文件夹中的文件名</translation>
    </message>
    <message>
        <source>a chunk of tensor &apos;{show}&apos; is not inside it</source>
        <extracomment>sentences</extracomment>
        <translation>张量 &apos;{show}&apos; 的一个块不在其范围内</translation>
    </message>
    <message>
        <source>it does not say where a chunk of tensor &apos;{show}&apos; is stored</source>
        <extracomment>sentences</extracomment>
        <translation>其中没有说明张量 &apos;{show}&apos; 的一个块存储在何处</translation>
    </message>
    <message>
        <source>a chunk of tensor &apos;{show}&apos; has too few bytes</source>
        <extracomment>sentences</extracomment>
        <translation>张量 &apos;{show}&apos; 的一个块字节数不足</translation>
    </message>
    <message>
        <source>The pipeline &apos;{pipeline}&apos; has no component &apos;{key}&apos; with weights.</source>
        <extracomment>sentences</extracomment>
        <translation>流水线 &apos;{pipeline}&apos; 没有带权重的组件 &apos;{key}&apos;。</translation>
    </message>
    <message>
        <source>Choose one of: {first_names}.</source>
        <extracomment>sentences</extracomment>
        <translation>请从以下选择一个：{first_names}。</translation>
    </message>
    <message>
        <source>The cache &apos;{root}&apos; contains no snapshot.</source>
        <extracomment>sentences</extracomment>
        <translation>缓存 &apos;{root}&apos; 不含快照。</translation>
    </message>
    <message>
        <source>Download the model again.</source>
        <extracomment>sentences</extracomment>
        <translation>请重新下载模型。</translation>
    </message>
    <message>
        <source>The folder &apos;{path}&apos; is a cache of Hugging Face with {len} models.</source>
        <extracomment>sentences</extracomment>
        <translation>文件夹 &apos;{path}&apos; 是含有 {len} 个模型的 Hugging Face 缓存。</translation>
    </message>
    <message>
        <source>Open one of them: {first_names}.</source>
        <extracomment>sentences</extracomment>
        <translation>请打开其中之一：{first_names}。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is a part of a checkpoint of DeepSpeed.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 是 DeepSpeed 检查点的一部分。</translation>
    </message>
    <message>
        <source>a storage in its pickle does not begin with torch&apos;s magic number</source>
        <extracomment>sentences</extracomment>
        <translation>其 pickle 中的一个存储不以 torch 的魔数开头</translation>
    </message>
    <message>
        <source>is a pickle of Python that torch.save did not write, without arrays of numbers{code}</source>
        <extracomment>sentences</extracomment>
        <translation>是并非由 torch.save 写入的 Python pickle，不含数字数组{code}</translation>
    </message>
    <message>
        <source>Save the weights with torch.save or safetensors, where it was made.</source>
        <extracomment>sentences</extracomment>
        <translation>请在创建它的地方用 torch.save 或 safetensors 保存权重。</translation>
    </message>
    <message>
        <source>is a pickle with more than {MAX_PICKLE} bytes of text</source>
        <extracomment>sentences</extracomment>
        <translation>是文本超过 {MAX_PICKLE} 字节的 pickle</translation>
    </message>
    <message>
        <source>Load it with pickle in Python and save it again with protocol=4.</source>
        <extracomment>sentences</extracomment>
        <translation>请在 Python 中用 pickle 加载，并以 protocol=4 重新保存。</translation>
    </message>
    <message>
        <source>a text in its pickle has a negative length</source>
        <extracomment>sentences</extracomment>
        <translation>其 pickle 中的一段文本长度为负</translation>
    </message>
    <message>
        <source>is a pickle of tensors of protocol 2 or older, in which their numbers are text</source>
        <extracomment>sentences</extracomment>
        <translation>是协议 2 或更早的张量 pickle，其中数值以文本存储</translation>
    </message>
    <message>
        <source>Load it with pickle in Python and save it again with torch.save.</source>
        <extracomment>sentences</extracomment>
        <translation>请在 Python 中用 pickle 加载，并用 torch.save 重新保存。</translation>
    </message>
    <message>
        <source>was written by joblib, whose arrays are not in the pickle</source>
        <extracomment>sentences</extracomment>
        <translation>由 joblib 写入，其数组不在 pickle 中</translation>
    </message>
    <message>
        <source>Load it with joblib in Python, and save its arrays with numpy.savez.</source>
        <extracomment>sentences</extracomment>
        <translation>请在 Python 中用 joblib 加载，并用 numpy.savez 保存其数组。</translation>
    </message>
    <message>
        <source>the state of a tensor in its pickle is not well-formed</source>
        <extracomment>sentences</extracomment>
        <translation>其 pickle 中某个张量的状态格式不正确</translation>
    </message>
    <message>
        <source>a storage of its constants has the name of another</source>
        <extracomment>sentences</extracomment>
        <translation>其常量的一个存储与另一个同名</translation>
    </message>
    <message>
        <source>is a TorchScript program of torch 1.0 to 1.3, which Pruneapp does not read</source>
        <extracomment>sentences</extracomment>
        <translation>是 torch 1.0 至 1.3 的 TorchScript 程序，Pruneapp 不读取</translation>
    </message>
    <message>
        <source>Save it again in Python: torch.jit.load(FILE).save(&apos;model.pt&apos;).</source>
        <extracomment>sentences</extracomment>
        <translation>请在 Python 中重新保存：torch.jit.load(FILE).save(&apos;model.pt&apos;)。</translation>
    </message>
    <message>
        <source>storage &apos;{key}&apos; has two sizes</source>
        <extracomment>sentences</extracomment>
        <translation>存储 &apos;{key}&apos; 有两个大小</translation>
    </message>
    <message>
        <source>The repair belongs to another checkpoint: &apos;{name}&apos; has {how}.</source>
        <extracomment>sentences</extracomment>
        <translation>该修复属于另一个检查点：&apos;{name}&apos; 有 {how}。</translation>
    </message>
    <message>
        <source>Choose the checkpoint that was repaired, or remove the entry and repair this checkpoint.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择被修复的检查点，或删除该条目并修复此检查点。</translation>
    </message>
    <message>
        <source>A sequential repair runs two states of a model side by side, which is not possible with a session of onnxruntime.</source>
        <extracomment>sentences</extracomment>
        <translation>顺序修复会并行运行模型的两个状态，这在 onnxruntime 会话中无法实现。</translation>
    </message>
    <message>
        <source>The inputs of the model have no open size &apos;{value}&apos; (open: {known}).</source>
        <extracomment>sentences</extracomment>
        <translation>模型的输入没有未固定的大小 &apos;{value}&apos;（未固定：{known}）。</translation>
    </message>
    <message>
        <source>Give sizes as NAME=SIZE, such as batch=1.</source>
        <extracomment>sentences</extracomment>
        <translation>请以 NAME=SIZE 形式给出大小，例如 batch=1。</translation>
    </message>
    <message>
        <source>The size &apos;{name}&apos; must be an integer of at least 1 (got &apos;{number}&apos;).</source>
        <extracomment>sentences</extracomment>
        <translation>大小 &apos;{name}&apos; 必须是至少为 1 的整数（收到 &apos;{number}&apos;）。</translation>
    </message>
    <message>
        <source>A GGUF model of several files is written as several files.</source>
        <extracomment>sentences</extracomment>
        <translation>由多个文件组成的 GGUF 模型会写为多个文件。</translation>
    </message>
    <message>
        <source>An ONNX model has at most {MOST_BYTES} bytes, and this one would have {nbytes}.</source>
        <extracomment>sentences</extracomment>
        <translation>ONNX 模型最多有 {MOST_BYTES} 字节，而此模型将有 {nbytes}。</translation>
    </message>
    <message>
        <source>Save the original with external data, and open that.</source>
        <extracomment>sentences</extracomment>
        <translation>请将原模型保存为带外部数据的形式，然后打开它。</translation>
    </message>
    <message>
        <source>&apos;{show}&apos; of &apos;{model}&apos; is in &apos;{show2}&apos; and cannot be copied: {unreadable}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{model}&apos; 的 &apos;{show}&apos; 位于 &apos;{show2}&apos; 中，无法复制：{unreadable}。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; shares its numbers with another array in the pickle.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 与 pickle 中的另一个数组共享数值。</translation>
    </message>
    <message>
        <source>Prune at least {needed}, or choose a smaller multiple.</source>
        <extracomment>sentences</extracomment>
        <translation>请至少剪枝 {needed}，或选择更小的倍数。</translation>
    </message>
    <message>
        <source>Choose a smaller multiple.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择更小的倍数。</translation>
    </message>
    <message>
        <source>The step ranks weights by statistics of activations of the checkpoint.</source>
        <extracomment>sentences</extracomment>
        <translation>该步骤按检查点的激活统计对权重排序。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is not the file that its kept history was made with.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 不是其保留历史所对应的文件。</translation>
    </message>
    <message>
        <source>{n} more group</source>
        <extracomment>sentences</extracomment>
        <translation>另外 {n} 组</translation>
    </message>
    <message>
        <source>{n} more groups</source>
        <extracomment>sentences</extracomment>
        <translation>另外 {n} 组</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; already exists, and a shrunk model is never written over something else.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 已存在，缩减后的模型绝不会覆盖其他内容。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is the name of a file, and a shrunk model in a store is a folder.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 是文件名，而存储中缩减后的模型是文件夹。</translation>
    </message>
    <message>
        <source>&apos;{target}&apos; already exists, and the model needs a file of this name.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{target}&apos; 已存在，而模型需要此名称的文件。</translation>
    </message>
    <message>
        <source>Choose another name for the model.</source>
        <extracomment>sentences</extracomment>
        <translation>请为模型选择其他名称。</translation>
    </message>
    <message>
        <source>A shrunk {kind} contains its graph, but a file &apos;{name}&apos; cannot.</source>
        <extracomment>sentences</extracomment>
        <translation>裁剪后的 {kind} 包含其计算图，而名为 &apos;{name}&apos; 的文件无法包含。</translation>
    </message>
    <message>
        <source>Name it &apos;{stem}{suffix}&apos;, or name a folder.</source>
        <extracomment>sentences</extracomment>
        <translation>请命名为 &apos;{stem}{suffix}&apos;，或指定文件夹。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is the name of a file, but shrinking changes &apos;{CONFIG}&apos; as well as the weights, so that both are written into a folder.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 是文件名，但缩减会同时更改 &apos;{CONFIG}&apos; 和权重，因此两者写入一个文件夹。</translation>
    </message>
    <message>
        <source>Name it &apos;{stem}.safetensors&apos; or &apos;{stem2}.pt&apos;, or name a folder.</source>
        <extracomment>sentences</extracomment>
        <translation>请命名为 &apos;{stem}.safetensors&apos; 或 &apos;{stem2}.pt&apos;，或指定文件夹。</translation>
    </message>
    <message>
        <source>The statistics &apos;{name}&apos; belong to another checkpoint than &apos;{name2}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>统计 &apos;{name}&apos; 不属于检查点 &apos;{name2}&apos;。</translation>
    </message>
    <message>
        <source>Collect statistics of this checkpoint, or use these with --force-statistics on the command line.</source>
        <extracomment>sentences</extracomment>
        <translation>请收集此检查点的统计，或在命令行用 --force-statistics 使用它。</translation>
    </message>
    <message>
        <source>Run the same inputs in the same order each time; &apos;seed&apos; is the same for each state. Outputs whose shape depends on the weights need an evaluation script with evaluate.</source>
        <extracomment>sentences</extracomment>
        <translation>请每次以相同顺序运行相同输入；&apos;seed&apos; 对每个状态相同。形状取决于权重的输出需要带 evaluate 的评估脚本。</translation>
    </message>
    <message>
        <source>{what} computed by torch, which &apos;{executable}&apos; does not have.</source>
        <extracomment>sentences</extracomment>
        <translation>{what} 由 torch 计算，而 &apos;{executable}&apos; 没有 torch。</translation>
    </message>
    <message>
        <source>Install torch there or choose a Python that has it; for metrics alone, define evaluate.</source>
        <extracomment>sentences</extracomment>
        <translation>请在那里安装 torch，或选择已安装它的 Python；若只需指标，请定义 evaluate。</translation>
    </message>
    <message>
        <source>Return the model, or an InferenceSession of an ONNX model, from load(path).</source>
        <extracomment>sentences</extracomment>
        <translation>请从 load(path) 返回模型，或 ONNX 模型的 InferenceSession。</translation>
    </message>
    <message>
        <source>The session that load returned was made from &apos;{path_of}&apos;, not from the path that load was given (&apos;{path}&apos;).</source>
        <extracomment>sentences</extracomment>
        <translation>load 返回的会话由 &apos;{path_of}&apos; 创建，而不是由传给 load 的路径（&apos;{path}&apos;）创建。</translation>
    </message>
    <message>
        <source>Let load(path) make the session from path.</source>
        <extracomment>sentences</extracomment>
        <translation>请让 load(path) 由 path 创建会话。</translation>
    </message>
    <message>
        <source>Two states of an ONNX model cannot be run side by side.</source>
        <extracomment>sentences</extracomment>
        <translation>ONNX 模型的两个状态无法并行运行。</translation>
    </message>
    <message>
        <source>{name}() does not run the session, so multiply-adds cannot be counted.</source>
        <extracomment>sentences</extracomment>
        <translation>{name}() 没有运行会话，因此无法统计乘加运算。</translation>
    </message>
    <message>
        <source>Call session.run in it, or define calibrate(session) that does.</source>
        <extracomment>sentences</extracomment>
        <translation>请在其中调用 session.run，或定义调用它的 calibrate(session)。</translation>
    </message>
    <message>
        <source>No input of a Conv, Gemm or MatMul with a weight was recorded.</source>
        <extracomment>sentences</extracomment>
        <translation>没有记录到带权重的 Conv、Gemm 或 MatMul 的输入。</translation>
    </message>
    <message>
        <source>Call session.run(…) of the session that load returned, in the same thread.</source>
        <extracomment>sentences</extracomment>
        <translation>请在同一线程中调用 load 返回的会话的 session.run(…)。</translation>
    </message>
    <message>
        <source>The dimension &apos;{name}&apos; is dynamic.</source>
        <extracomment>sentences</extracomment>
        <translation>模型未固定大小 &apos;{name}&apos;。</translation>
    </message>
    <message>
        <source>Give it: --size {name}=1.</source>
        <extracomment>sentences</extracomment>
        <translation>请给出：--size {name}=1。</translation>
    </message>
    <message>
        <source>The input &apos;{name}&apos; is a {type}.</source>
        <extracomment>sentences</extracomment>
        <translation>输入 &apos;{name}&apos; 的类型是 {type}。</translation>
    </message>
    <message>
        <source>&apos;{executable}&apos; cannot import onnxruntime, which runs ONNX models ({error}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{executable}&apos; 无法导入运行 ONNX 模型的 onnxruntime（{error}）。</translation>
    </message>
    <message>
        <source>Install it there (pip install onnxruntime), or choose a Python that has it.</source>
        <extracomment>sentences</extracomment>
        <translation>请在那里安装（pip install onnxruntime），或选择已安装它的 Python。</translation>
    </message>
    <message>
        <source>onnxruntime cannot run the model on seeded inputs of these shapes: {shapes} ({splitlines}).</source>
        <extracomment>sentences</extracomment>
        <translation>onnxruntime 无法在这些形状的种子输入上运行模型：{shapes}（{splitlines}）。</translation>
    </message>
    <message>
        <source>Give other sizes (--size NAME=SIZE on the command line), or write an evaluation script.</source>
        <extracomment>sentences</extracomment>
        <translation>请给出其他大小（命令行上的 --size NAME=SIZE），或编写评估脚本。</translation>
    </message>
    <message>
        <source>&apos;{text}&apos; contains no text.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{text}&apos; 不包含文本。</translation>
    </message>
    <message>
        <source>Specify a file with some pages of text.</source>
        <extracomment>sentences</extracomment>
        <translation>请指定一个包含若干页文本的文件。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is not a model folder with a config.json.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 不是包含 config.json 的模型文件夹。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; requires custom code: transformers {version} has no class {names}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 需要自己的代码：transformers {version} 没有类 {names}。</translation>
    </message>
    <message>
        <source>{pattern} is violated by {where} ({groups}): {why}</source>
        <extracomment>sentences</extracomment>
        <translation>{pattern} 在 {where} 中不成立（{groups}）：{why}</translation>
    </message>
    <message>
        <source>The folder contains &apos;{file}&apos; and shards with an index. &apos;{file2}&apos; was opened, as transformers does; to open the shards, open &apos;{index}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>文件夹包含 &apos;{file}&apos; 和带索引的分片。与 transformers 一样，已打开 &apos;{file2}&apos;；要打开分片，请打开 &apos;{index}&apos;。</translation>
    </message>
    <message>
        <source>{list} listed in &apos;{name}&apos; but {verb} in no shard. All tensors that the shards contain were opened. If the model needs more, download the whole folder again.</source>
        <extracomment>sentences</extracomment>
        <translation>{list} 列在 &apos;{name}&apos; 中，但不在任何分片中。分片包含的所有张量均已打开。如果模型需要更多，请重新下载整个文件夹。</translation>
    </message>
    <message>
        <source>{list} in another shard than &apos;{name}&apos; lists. Nothing is missing; exports contain a correct index.</source>
        <extracomment>sentences</extracomment>
        <translation>{list} 所在的分片与 &apos;{name}&apos; 所列不同。没有缺失；导出包含正确的索引。</translation>
    </message>
    <message>
        <source>a distributed checkpoint of torch without its file &apos;{METADATA_FILE}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>缺少文件 &apos;{METADATA_FILE}&apos; 的 torch 分布式检查点</translation>
    </message>
    <message>
        <source>a checkpoint of Megatron</source>
        <extracomment>sentences</extracomment>
        <translation>Megatron 的检查点</translation>
    </message>
    <message>
        <source>Open &apos;{whole}&apos;, which has all weights.</source>
        <extracomment>sentences</extracomment>
        <translation>请打开包含全部权重的 &apos;{whole}&apos;。</translation>
    </message>
    <message>
        <source>its layer is quantized ({quantizer})</source>
        <extracomment>sentences</extracomment>
        <translation>其层已量化（{quantizer}）</translation>
    </message>
    <message>
        <source>its layer is quantized</source>
        <extracomment>sentences</extracomment>
        <translation>其层已量化</translation>
    </message>
    <message>
        <source>it is a numpy array without bytes</source>
        <extracomment>sentences</extracomment>
        <translation>它是没有字节的 numpy 数组</translation>
    </message>
    <message>
        <source>To prune a float of a quantized layer nevertheless, give its exact name.</source>
        <extracomment>sentences</extracomment>
        <translation>若仍要剪枝量化层的浮点张量，请给出其确切名称。</translation>
    </message>
    <message>
        <source>other data</source>
        <extracomment>sentences</extracomment>
        <translation>其他数据</translation>
    </message>
    <message>
        <source>The tensors keep the names and the order of rows of llama.cpp: transformers loads them only after a conversion.</source>
        <extracomment>sentences</extracomment>
        <translation>张量保留 llama.cpp 的名称和行顺序：transformers 只有在转换后才能加载。</translation>
    </message>
    <message>
        <source>that was chosen</source>
        <extracomment>sentences</extracomment>
        <translation>这是所选的</translation>
    </message>
    <message>
        <source>it stores tied weights twice</source>
        <extracomment>sentences</extracomment>
        <translation>它将绑定的权重存储了两次</translation>
    </message>
    <message>
        <source>loading the file would run code ({names})</source>
        <extracomment>sentences</extracomment>
        <translation>加载该文件会运行代码（{names}）</translation>
    </message>
    <message>
        <source>Unprotect weights, or uncheck {tensors}.</source>
        <extracomment>sentences</extracomment>
        <translation>请取消对权重的保护，或取消勾选{tensors}。</translation>
    </message>
    <message>
        <source>the amount</source>
        <extracomment>sentences</extracomment>
        <translation>剪枝量</translation>
    </message>
    <message>
        <source>the amount, with what is pruned already,</source>
        <extracomment>sentences</extracomment>
        <translation>连同已剪枝部分的剪枝量</translation>
    </message>
    <message>
        <source>{percent} of all</source>
        <extracomment>sentences</extracomment>
        <translation>全部的 {percent}</translation>
    </message>
    <message>
        <source>the total</source>
        <extracomment>sentences</extracomment>
        <translation>总量</translation>
    </message>
    <message>
        <source>in each of {count} tensors</source>
        <extracomment>sentences</extracomment>
        <translation>{count} 个张量中的每一个</translation>
    </message>
    <message>
        <source>of &apos;{names}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>（&apos;{names}&apos;）</translation>
    </message>
    <message>
        <source>n:m, such as 2:4: n weights kept of every m, with n from 1 to m - 1 and m up to {MOST}</source>
        <extracomment>sentences</extracomment>
        <translation>n:m，例如 2:4：每 m 个权重保留 n 个，n 从 1 到 m - 1，m 不超过 {MOST}</translation>
    </message>
    <message>
        <source>rows x columns, each from 1 to {MOST}, such as 4x4</source>
        <extracomment>sentences</extracomment>
        <translation>行数 x 列数，各从 1 到 {MOST}，例如 4x4</translation>
    </message>
    <message>
        <source>a share from 0.0 to 1.0, or from 0% to 100%</source>
        <extracomment>sentences</extracomment>
        <translation>0.0 到 1.0 或 0% 到 100% 的比例</translation>
    </message>
    <message>
        <source>from {value} to 2^63 - 1</source>
        <extracomment>sentences</extracomment>
        <translation>从 {value} 到 2^63 - 1</translation>
    </message>
    <message>
        <source>from {low} to {high}</source>
        <extracomment>sentences</extracomment>
        <translation>从 {low} 到 {high}</translation>
    </message>
    <message>
        <source>{low} or more</source>
        <extracomment>sentences</extracomment>
        <translation>不小于 {low}</translation>
    </message>
    <message>
        <source>{high} or less</source>
        <extracomment>sentences</extracomment>
        <translation>不大于 {high}</translation>
    </message>
    <message>
        <source>any number</source>
        <extracomment>sentences</extracomment>
        <translation>任意数</translation>
    </message>
    <message>
        <source>a number, {bounds}</source>
        <extracomment>sentences</extracomment>
        <translation>数（{bounds}）</translation>
    </message>
    <message>
        <source>an integer, {bounds}</source>
        <extracomment>sentences</extracomment>
        <translation>整数（{bounds}）</translation>
    </message>
    <message>
        <source>a number, inf, -inf, &apos;fro&apos; or &apos;nuc&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>数、inf、-inf、&apos;fro&apos; 或 &apos;nuc&apos;</translation>
    </message>
    <message>
        <source>an integer of 0 or more (a count), or a fraction from 0.0 to 1.0</source>
        <extracomment>sentences</extracomment>
        <translation>0 或更大的整数（数量），或 0.0 到 1.0 的比例</translation>
    </message>
    <message>
        <source>a size with its unit, such as 5 GB, 500 MB or 4 GiB, or &apos;{nothing}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>带单位的大小，例如 5 GB、500 MB 或 4 GiB，或 &apos;{nothing}&apos;</translation>
    </message>
    <message>
        <source>yes or no</source>
        <extracomment>sentences</extracomment>
        <translation>yes 或 no</translation>
    </message>
    <message>
        <source>&apos;{SHA256}&apos; and the SHA-256 of a file in 64 hexadecimal digits</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{SHA256}&apos; 和文件的 64 位十六进制 SHA-256</translation>
    </message>
    <message>
        <source>&apos;{where}&apos; has no entries, so it leaves the checkpoint unchanged.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos; 没有条目，因此检查点保持不变。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has masks for {counted}, which the recipe ignores: it starts unpruned. To continue from them, put {{&quot;name&quot;: &quot;file_masks&quot;}} first.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 带有 {counted}的掩码，但配方不采用它们：它从未剪枝的状态开始。要从这些掩码继续，请将 {{&quot;name&quot;: &quot;file_masks&quot;}} 放在最前面。</translation>
    </message>
    <message>
        <source>they are {shape}, and the layer has {columns} inputs</source>
        <extracomment>sentences</extracomment>
        <translation>其形状为 {shape}，而该层有 {columns} 个输入</translation>
    </message>
    <message>
        <source>there are {size} sums, and {columns} inputs</source>
        <extracomment>sentences</extracomment>
        <translation>有 {size} 个和，却有 {columns} 个输入</translation>
    </message>
    <message>
        <source>they are not finite, or less than 0 on the diagonal</source>
        <extracomment>sentences</extracomment>
        <translation>其数值不是有限值，或对角线上的值小于 0</translation>
    </message>
    <message>
        <source>they are not finite</source>
        <extracomment>sentences</extracomment>
        <translation>其数值不是有限值</translation>
    </message>
    <message>
        <source>along dim {dim}</source>
        <extracomment>sentences</extracomment>
        <translation>沿维度 {dim}</translation>
    </message>
    <message>
        <source>{n} step</source>
        <extracomment>sentences
----------
steps</extracomment>
        <translation>{n} 步</translation>
    </message>
    <message>
        <source>{n} steps</source>
        <extracomment>sentences
----------
steps</extracomment>
        <translation>{n} 步</translation>
    </message>
    <message>
        <source>Nothing is pruned, so there is nothing to recover.</source>
        <extracomment>sentences</extracomment>
        <translation>没有任何剪枝，因此无需恢复训练。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; does not define train(model).</source>
        <extracomment>sentences</extracomment>
        <translation>“{name}”没有定义 train(model)。</translation>
    </message>
    <message>
        <source>Define train(model), and let it train the model for an epoch.</source>
        <extracomment>sentences</extracomment>
        <translation>请定义 train(model)，让它训练模型一个周期。</translation>
    </message>
    <message>
        <source>&apos;lr&apos; must be more than 0 and at most 1 (got {lr}).</source>
        <extracomment>sentences</extracomment>
        <translation>“lr”必须大于 0 且不超过 1（收到 {lr}）。</translation>
    </message>
    <message>
        <source>An ONNX model is run by onnxruntime, which cannot train it.</source>
        <extracomment>sentences</extracomment>
        <translation>ONNX 模型由 onnxruntime 运行，无法训练。</translation>
    </message>
    <message>
        <source>Recover the PyTorch model that it was exported from.</source>
        <extracomment>sentences</extracomment>
        <translation>请对导出它的 PyTorch 模型进行恢复训练。</translation>
    </message>
    <message>
        <source>Let load(path) keep the names and shapes of the file.</source>
        <extracomment>sentences</extracomment>
        <translation>请让 load(path) 保留文件中的名称和形状。</translation>
    </message>
    <message>
        <source>The model has no weights that could be trained.</source>
        <extracomment>sentences</extracomment>
        <translation>模型没有可训练的权重。</translation>
    </message>
    <message>
        <source>The folder for the checkpoints of the training, &apos;{folder}&apos;, cannot be used: {words_of}.</source>
        <extracomment>sentences</extracomment>
        <translation>训练检查点的文件夹“{folder}”无法使用：{words_of}。</translation>
    </message>
    <message>
        <source>Make it writable.</source>
        <extracomment>sentences</extracomment>
        <translation>请使其可写。</translation>
    </message>
    <message>
        <source>The folder for complete rounds, &apos;{folder}&apos;, cannot be used: {words_of}.</source>
        <extracomment>sentences</extracomment>
        <translation>无法使用已完成轮次的文件夹 &apos;{folder}&apos;：{words_of}。</translation>
    </message>
    <message>
        <source>{n} held-out sample</source>
        <extracomment>sentences</extracomment>
        <translation>{n} 个留出样本</translation>
    </message>
    <message>
        <source>{n} sample</source>
        <extracomment>sentences</extracomment>
        <translation>{n} 个样本</translation>
    </message>
    <message>
        <source>{n} samples</source>
        <extracomment>sentences</extracomment>
        <translation>{n} 个样本</translation>
    </message>
    <message>
        <source>A command line measures the model, but cannot recover it.</source>
        <extracomment>sentences</extracomment>
        <translation>命令行可以测量模型，但不能对其恢复训练。</translation>
    </message>
    <message>
        <source>&apos;{where}&apos; is a frontier with {join}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos; 是一个前沿，其条件不同：{join}。</translation>
    </message>
    <message>
        <source>Choose another name for this frontier, or delete that file.</source>
        <extracomment>sentences</extracomment>
        <translation>请为此前沿选择另一个名称，或删除该文件。</translation>
    </message>
    <message>
        <source>The frontier has no metric &apos;{name}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>该前沿没有指标 &apos;{name}&apos;。</translation>
    </message>
    <message>
        <source>Enter them as 50%, 70%, 90%.</source>
        <extracomment>sentences</extracomment>
        <translation>请输入如 50%, 70%, 90%。</translation>
    </message>
    <message>
        <source>A frontier needs exactly one rule (got {len}).</source>
        <extracomment>sentences</extracomment>
        <translation>前沿需要恰好一条规则（现有 {len} 条）。</translation>
    </message>
    <message>
        <source>Remove the other rules.</source>
        <extracomment>sentences</extracomment>
        <translation>请删除其他规则。</translation>
    </message>
    <message>
        <source>&apos;{where}&apos; has another value of &apos;{name}&apos; before the step than the script returns now: the data or the packages have changed.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos; 中该步骤之前的 &apos;{name}&apos; 与脚本现在返回的值不同：数据或软件包已改变。</translation>
    </message>
    <message>
        <source>Choose a file that `pruneapp frontier` wrote.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择由 `pruneapp frontier` 写入的文件。</translation>
    </message>
    <message>
        <source>{n} held-out samples</source>
        <extracomment>sentences</extracomment>
        <translation>{n} 个留出样本</translation>
    </message>
    <message>
        <source>A recovery needs at least 2 samples (got {samples}).</source>
        <extracomment>sentences</extracomment>
        <translation>恢复训练至少需要 2 个样本（收到 {samples} 个）。</translation>
    </message>
    <message>
        <source>Training changed {counted} of &apos;{name}&apos; that are pruned, so its result is not used.</source>
        <extracomment>sentences</extracomment>
        <translation>训练改变了“{name}”中已剪枝的 {counted}，因此不使用其结果。</translation>
    </message>
    <message>
        <source>Train the parameters of the model that was given, with an optimizer of torch.</source>
        <extracomment>sentences</extracomment>
        <translation>请使用 torch 的优化器训练所给模型的参数。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is part of the model.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 是模型的一部分。</translation>
    </message>
    <message>
        <source>The file contains more than the weights. In load(path), use torch.load(path){keys}.</source>
        <extracomment>sentences</extracomment>
        <translation>文件中不仅有权重。请在 load(path) 中使用 torch.load(path){keys}。</translation>
    </message>
    <message>
        <source>All names in the file begin with &apos;{prefix}&apos;. In load(path), remove it: key.removeprefix(&apos;{prefix2}&apos;).</source>
        <extracomment>sentences</extracomment>
        <translation>文件中的所有名称都以 &apos;{prefix}&apos; 开头。请在 load(path) 中将其移除：key.removeprefix(&apos;{prefix2}&apos;)。</translation>
    </message>
    <message>
        <source>Export as {instead}.</source>
        <extracomment>sentences</extracomment>
        <translation>请导出为 {instead}。</translation>
    </message>
    <message>
        <source>The points must be fractions above 0, up to 1 (got {value}).</source>
        <extracomment>sentences</extracomment>
        <translation>各点必须是大于 0 且不大于 1 的比例（收到 {value}）。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has the shape {before} in the loaded model and {after} in the shrunk file &apos;{name2}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 在加载的模型中的形状为 {before}，在缩小后的文件 &apos;{name2}&apos; 中为 {after}。</translation>
    </message>
    <message>
        <source>&apos;amounts&apos; must be fractions of each tensor, such as 0.5 or 50%: above 0, up to 100% (got {got}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;amounts&apos; 必须是每个张量的比例，例如 0.5 或 50%：大于 0，最大 100%（收到 {got}）。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is damaged: other bytes follow its compressed content.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 已损坏：压缩内容之后还有其他字节。</translation>
    </message>
    <message>
        <source>It comes from several files.</source>
        <extracomment>sentences</extracomment>
        <translation>它来自多个文件。</translation>
    </message>
    <message>
        <source>The comparison script cannot run &apos;{name}&apos;, which contains its graph, without an evaluation script.</source>
        <extracomment>sentences</extracomment>
        <translation>没有评估脚本，比较脚本无法运行包含计算图的 &apos;{name}&apos;。</translation>
    </message>
    <message>
        <source>Evaluate a state with a script, and export again.</source>
        <extracomment>sentences</extracomment>
        <translation>请用脚本评估一个状态，然后重新导出。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is neither an ONNX model nor a program of torch.export, so it contains no graph.</source>
        <extracomment>sentences</extracomment>
        <translation>“{path}”既不是 ONNX 模型，也不是 torch.export 程序，因此不包含计算图。</translation>
    </message>
    <message>
        <source>Open an ONNX model or a .pt2 file.</source>
        <extracomment>sentences</extracomment>
        <translation>请打开 ONNX 模型或 .pt2 文件。</translation>
    </message>
    <message>
        <source>Cancel it in the list of jobs, not by Esc.</source>
        <extracomment>sentences</extracomment>
        <translation>请在任务列表中取消，不要按 Esc。</translation>
    </message>
    <message>
        <source>The history changed after {number} of {len} steps; the remaining steps were not applied.</source>
        <extracomment>sentences</extracomment>
        <translation>历史在 {len} 个步骤中的第 {number} 个之后发生了变化；其余步骤没有应用。</translation>
    </message>
    <message>
        <source>Only a language model in a folder of transformers can generate text here.</source>
        <extracomment>sentences</extracomment>
        <translation>只有 transformers 文件夹中的语言模型才能在此生成文本。</translation>
    </message>
    <message>
        <source>Open the folder that contains its config.json and its tokenizer.</source>
        <extracomment>sentences</extracomment>
        <translation>请打开包含其 config.json 和分词器的文件夹。</translation>
    </message>
    <message>
        <source>A command line evaluates this file, so its model cannot be traced.</source>
        <extracomment>sentences</extracomment>
        <translation>此文件由命令行评估，因此无法追踪其模型。</translation>
    </message>
    <message>
        <source>Choose an evaluation script instead.</source>
        <extracomment>sentences</extracomment>
        <translation>请改为选择评估脚本。</translation>
    </message>
    <message>
        <source>Choose a text file or a script for the evaluation.</source>
        <extracomment>sentences</extracomment>
        <translation>请为评估选择一个文本文件或脚本。</translation>
    </message>
    <message>
        <source>There is no file &apos;{path}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>没有文件“{path}”。</translation>
    </message>
    <message>
        <source>No state of &apos;{name}&apos; was evaluated.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 没有已评估的状态。</translation>
    </message>
    <message>
        <source>Open it, evaluate its states, and save it.</source>
        <extracomment>sentences</extracomment>
        <translation>请打开它,评估其状态并保存。</translation>
    </message>
    <message>
        <source>The tolerance must be a number of at least 0, or a percentage (got &apos;{stop}&apos;).</source>
        <extracomment>sentences</extracomment>
        <translation>容差必须是不小于 0 的数或百分比（收到 &apos;{stop}&apos;）。</translation>
    </message>
    <message>
        <source>0.01 is in the unit of the metric, 1% is relative to the unpruned model.</source>
        <extracomment>sentences</extracomment>
        <translation>0.01 以指标为单位，1% 相对于未剪枝模型。</translation>
    </message>
    <message>
        <source>Wait for it to finish, or cancel it.</source>
        <extracomment>sentences</extracomment>
        <translation>请等待其完成，或取消它。</translation>
    </message>
    <message>
        <source>A frontier is being measured.</source>
        <extracomment>sentences</extracomment>
        <translation>正在测量一个前沿。</translation>
    </message>
    <message>
        <source>The inputs ran through no weight of this file, so the statistics are empty.</source>
        <extracomment>sentences</extracomment>
        <translation>输入未经过此文件的任何权重，因此统计量为空。</translation>
    </message>
    <message>
        <source>Check that the script loads this model and runs inputs through it.</source>
        <extracomment>sentences</extracomment>
        <translation>请检查脚本是否加载此模型并运行输入。</translation>
    </message>
    <message>
        <source>A step of a schedule cannot have a &apos;target_sparsity&apos;: &apos;final&apos; is the target.</source>
        <extracomment>sentences</extracomment>
        <translation>计划的步骤不能有 &apos;target_sparsity&apos;：目标是 &apos;final&apos;。</translation>
    </message>
    <message>
        <source>Remove &apos;target_sparsity&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>请移除 &apos;target_sparsity&apos;。</translation>
    </message>
    <message>
        <source>The schedule recovers the model or measures it after each round, by a script.</source>
        <extracomment>sentences</extracomment>
        <translation>该计划在每轮之后用脚本对模型恢复训练或测量。</translation>
    </message>
    <message>
        <source>Use `pruneapp run RECIPE FILE --script SCRIPT -o OUT`, or Iterative pruning in the window.</source>
        <extracomment>sentences</extracomment>
        <translation>请使用 `pruneapp run RECIPE FILE --script SCRIPT -o OUT`，或窗口中的迭代剪枝。</translation>
    </message>
    <message>
        <source>&apos;stop&apos; must be a number such as 0.01, or a percentage such as 1% (got &apos;{stop}&apos;).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;stop&apos; 必须是 0.01 这样的数，或 1% 这样的百分比（收到 &apos;{stop}&apos;）。</translation>
    </message>
    <message>
        <source>the SHA-256 of the original of &apos;{name}&apos; is missing</source>
        <extracomment>sentences</extracomment>
        <translation>缺少“{name}”原值的 SHA-256</translation>
    </message>
    <message>
        <source>No layer was changed, because new values would not reduce the errors (for example, if whole rows are pruned).</source>
        <extracomment>sentences</extracomment>
        <translation>没有层被更改，因为新的值不会减小误差（例如整行被剪枝时）。</translation>
    </message>
    <message>
        <source>&apos;{where}&apos; was saved by a newer Pruneapp: it has version {version}, and this one reads up to version {newest_known}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos; 由较新的 Pruneapp 保存：其版本为 {version}，而此 Pruneapp 最高只能读取版本 {newest_known}。</translation>
    </message>
    <message>
        <source>it has a note of state {state}, which does not exist</source>
        <extracomment>sentences</extracomment>
        <translation>它有状态 {state} 的备注，而该状态不存在</translation>
    </message>
    <message>
        <source>Keep the dtype, or convert the model before it is exported with its graph.</source>
        <extracomment>sentences</extracomment>
        <translation>请保留 dtype，或在导出带计算图的模型之前先转换它。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is the name of a program of torch.export, and the opened file contains no graph.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 是 torch.export 程序的名称，而打开的文件不包含计算图。</translation>
    </message>
    <message>
        <source>load returned a session of onnxruntime, which cannot be traced.</source>
        <extracomment>sentences</extracomment>
        <translation>load 返回了 onnxruntime 的会话，无法追踪。</translation>
    </message>
    <message>
        <source>Open the ONNX file: its connections are read from it.</source>
        <extracomment>sentences</extracomment>
        <translation>请打开 ONNX 文件：其连接从文件中读取。</translation>
    </message>
    <message>
        <source>https://github.com/pruneapp/pruneapp/blob/main/docs/measure.md describes what a script has to define.</source>
        <extracomment>sentences</extracomment>
        <translation>https://github.com/pruneapp/pruneapp/blob/main/docs/measure.md 说明脚本必须定义什么。</translation>
    </message>
    <message>
        <source>A model of the class {name} generates no text.</source>
        <extracomment>sentences</extracomment>
        <translation>{name} 类的模型不能生成文本。</translation>
    </message>
    <message>
        <source>Open the folder of a language model with a head, such as a class …ForCausalLM.</source>
        <extracomment>sentences</extracomment>
        <translation>请打开带有输出头的语言模型的文件夹，例如 …ForCausalLM 类。</translation>
    </message>
    <message>
        <source>Shorten it.</source>
        <extracomment>sentences</extracomment>
        <translation>请缩短它。</translation>
    </message>
    <message>
        <source>Enter some text.</source>
        <extracomment>sentences</extracomment>
        <translation>请输入一些文本。</translation>
    </message>
    <message>
        <source>The model was called without a tensor in its arguments, so recovery cannot repeat the call.</source>
        <extracomment>sentences</extracomment>
        <translation>调用模型时参数中没有张量，因此恢复训练无法重复该调用。</translation>
    </message>
    <message>
        <source>The model was called with an object of type {name}, so recovery cannot repeat the call.</source>
        <extracomment>sentences</extracomment>
        <translation>调用模型时传入了 {name} 类型的对象，因此恢复训练无法重复该调用。</translation>
    </message>
    <message>
        <source>Two models that load returned share their weights.</source>
        <extracomment>sentences</extracomment>
        <translation>load 返回的两个模型共享权重。</translation>
    </message>
    <message>
        <source>Create a new model in each call of load(path).</source>
        <extracomment>sentences</extracomment>
        <translation>请在每次调用 load(path) 时创建新模型。</translation>
    </message>
    <message>
        <source>calibrate() did not call the model.</source>
        <extracomment>sentences</extracomment>
        <translation>calibrate() 没有调用模型。</translation>
    </message>
    <message>
        <source>Call the model that load returned in calibrate(model), in the same thread.</source>
        <extracomment>sentences</extracomment>
        <translation>请在 calibrate(model) 中于同一线程调用 load 返回的模型。</translation>
    </message>
    <message>
        <source>train() yielded an object of type {name}.</source>
        <extracomment>sentences</extracomment>
        <translation>train() 产生了 {name} 类型的对象。</translation>
    </message>
    <message>
        <source>Yield a loss, (loss, learning rate), or a dict of numbers.</source>
        <extracomment>sentences</extracomment>
        <translation>请用 yield 给出损失、（损失, 学习率）或数字的字典。</translation>
    </message>
    <message>
        <source>The model has no parameter that could be trained.</source>
        <extracomment>sentences</extracomment>
        <translation>模型没有可训练的参数。</translation>
    </message>
    <message>
        <source>The model returned no tensor of floats, so there is nothing to reproduce.</source>
        <extracomment>sentences</extracomment>
        <translation>模型没有返回浮点张量，因此没有可再现的内容。</translation>
    </message>
    <message>
        <source>Let calibrate(model) call the model so that it returns its outputs.</source>
        <extracomment>sentences</extracomment>
        <translation>请让 calibrate(model) 调用模型并使其返回输出。</translation>
    </message>
    <message>
        <source>The outputs of the unpruned model are not all finite.</source>
        <extracomment>sentences</extracomment>
        <translation>未剪枝模型的输出并非都是有限值。</translation>
    </message>
    <message>
        <source>torch {version} cannot trace models.</source>
        <extracomment>sentences</extracomment>
        <translation>torch {version} 无法追踪模型。</translation>
    </message>
    <message>
        <source>Choose a Python with torch 2.3 or newer, or open an ONNX or .pt2 file of the model.</source>
        <extracomment>sentences</extracomment>
        <translation>请选择装有 torch 2.3 或更新版本的 Python，或打开该模型的 ONNX 或 .pt2 文件。</translation>
    </message>
    <message>
        <source>{function}() did not call the model that load returned, so its inputs are not known.</source>
        <extracomment>sentences</extracomment>
        <translation>{function}() 没有调用 load 返回的模型，因此其输入未知。</translation>
    </message>
    <message>
        <source>Call the model itself, as model(inputs).</source>
        <extracomment>sentences</extracomment>
        <translation>请调用模型本身，即 model(inputs)。</translation>
    </message>
    <message>
        <source>Open an ONNX or .pt2 file of the model instead.</source>
        <extracomment>sentences</extracomment>
        <translation>请改为打开该模型的 ONNX 或 .pt2 文件。</translation>
    </message>
    <message>
        <source>{counted} of this file {value} quantized ({join}) and cannot be pruned. To prune them, open the F16 or BF16 file of the model and quantize the export with llama-quantize.</source>
        <extracomment>sentences</extracomment>
        <translation>此文件的 {counted} {value}已量化（{join}），不能剪枝。要剪枝它们，请打开模型的 F16 或 BF16 文件，并用 llama-quantize 量化导出文件。</translation>
    </message>
    <message>
        <source>{counted} of unknown types cannot be read: {names}.</source>
        <extracomment>sentences</extracomment>
        <translation>{counted} 的类型未知，不能读取：{names}。</translation>
    </message>
    <message>
        <source>This is part {part} of {count} of a split model. For the whole model, give the parts their names back (NAME-00001-of-00003.gguf) and open their folder.</source>
        <extracomment>sentences</extracomment>
        <translation>这是拆分模型的第 {part} 部分，共 {count} 部分。要打开整个模型，请恢复各部分的名称（NAME-00001-of-00003.gguf），并打开其文件夹。</translation>
    </message>
    <message>
        <source>{are} the last tensor of this file; an export as GGUF keeps them.</source>
        <extracomment>sentences</extracomment>
        <translation>{are} 位于此文件最后一个张量之后；导出为 GGUF 时会保留。</translation>
    </message>
    <message>
        <source>its GGUF version is {version}, not 2 or 3</source>
        <extracomment>sentences</extracomment>
        <translation>其 GGUF 版本为 {version}，不是 2 或 3</translation>
    </message>
    <message>
        <source>Convert the model again with a current version of llama.cpp.</source>
        <extracomment>sentences</extracomment>
        <translation>请用当前版本的 llama.cpp 重新转换模型。</translation>
    </message>
    <message>
        <source>its numbers are big-endian</source>
        <extracomment>sentences</extracomment>
        <translation>其数字为大端序</translation>
    </message>
    <message>
        <source>Convert it with gguf-convert-endian of the gguf package, then open that file.</source>
        <extracomment>sentences</extracomment>
        <translation>请用 gguf 包的 gguf-convert-endian 转换它，然后打开转换后的文件。</translation>
    </message>
    <message>
        <source>{arrays} of this file cannot be read: {names}.</source>
        <extracomment>sentences</extracomment>
        <translation>此文件的 {arrays} 不能读取：{names}。</translation>
    </message>
    <message>
        <source>Arrays of type V2 are read as bfloat16, which numpy does not have and which ml_dtypes, JAX and MLX store like this.</source>
        <extracomment>sentences</extracomment>
        <translation>类型为 V2 的数组按 bfloat16 读取：numpy 没有该类型，ml_dtypes、JAX 和 MLX 以此方式存储它。</translation>
    </message>
    <message>
        <source>&apos;{show}&apos; was</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos;</translation>
    </message>
    <message>
        <source>the {len} shards in the folder, which are complete, were</source>
        <extracomment>sentences</extracomment>
        <translation>文件夹中完整的 {len} 个分片</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; belongs to other files: it lists {shown}, which the folder does not contain. Instead, {what} opened. Exports contain a correct index.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 属于其他文件：它列出了 {shown}，而文件夹中没有。已改为打开{what}。导出文件包含正确的索引。</translation>
    </message>
    <message>
        <source>is not read: the index does not list it, and listed shards have its tensors.</source>
        <extracomment>sentences</extracomment>
        <translation>未读取：索引没有列出它，而列出的分片包含它的张量。</translation>
    </message>
    <message>
        <source>is not in the index; its {counted} {value} opened, too. Other programs may ignore this shard. Exports contain a correct index.</source>
        <extracomment>sentences</extracomment>
        <translation>不在索引中；其 {counted} {value}也已打开。其他程序可能会忽略此分片。导出文件包含正确的索引。</translation>
    </message>
    <message>
        <source>The shard &apos;{show}&apos; {text}</source>
        <extracomment>sentences</extracomment>
        <translation>分片 &apos;{show}&apos; {text}</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is a pipeline of diffusers with models in {first_names}. &apos;{key}&apos; was opened; choose another with File &gt; Choose state dict… or --state-dict, or open its folder.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 是 diffusers 的管道，其模型位于 {first_names}。已打开 &apos;{key}&apos;；可通过“文件 &gt; 选择 state dict…”或 --state-dict 选择其他模型，或打开其文件夹。</translation>
    </message>
    <message>
        <source>Open another revision by its folder: {first_names}.</source>
        <extracomment>sentences</extracomment>
        <translation>可通过文件夹打开其他修订版本：{first_names}。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is a cache of Hugging Face; its revision &apos;{chosen}&apos; was opened.{more}</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 是 Hugging Face 的缓存；已打开其修订版本 &apos;{chosen}&apos;。{more}</translation>
    </message>
    <message>
        <source>&apos;{show}&apos; and &apos;{show2}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos; 和 &apos;{show2}&apos;</translation>
    </message>
    <message>
        <source>{names} differ, although config.json ties them. transformers 5 loads both and does not tie them; transformers 4 uses &apos;{show}&apos; for both.</source>
        <extracomment>sentences</extracomment>
        <translation>{names} 不同，尽管 config.json 将它们绑定。transformers 5 会加载两者且不绑定；transformers 4 对两者都使用 &apos;{show}&apos;。</translation>
    </message>
    <message>
        <source>config.json ties {names}, which are stored twice with {nbytes} bytes each. They are not compared and open as two tensors: prune both or none.</source>
        <extracomment>sentences</extracomment>
        <translation>config.json 绑定了 {names}，它们各存储一次，每个 {nbytes} 字节。它们未经比较，作为两个张量打开：请同时剪枝或都不剪枝。</translation>
    </message>
    <message>
        <source>{names} are tied by config.json and stored twice with equal values. They are one tensor here, and exports contain it once.</source>
        <extracomment>sentences</extracomment>
        <translation>{names} 由 config.json 绑定，并以相同的值存储了两次。在这里它们是一个张量，导出文件只包含一次。</translation>
    </message>
    <message>
        <source>(it names {join}, which was not run)</source>
        <extracomment>sentences</extracomment>
        <translation>（它引用了 {join}，未运行）</translation>
    </message>
    <message>
        <source>Behind its first pickle the file has {more} more.</source>
        <extracomment>sentences</extracomment>
        <translation>在第一个 pickle 之后，文件还有 {more}。</translation>
    </message>
    <message>
        <source>No tensor depends on the channels of &apos;{name}&apos;: they are the outputs of the model.</source>
        <extracomment>sentences</extracomment>
        <translation>没有张量依赖于“{name}”的通道：它们是模型的输出。</translation>
    </message>
    <message>
        <source>another method or other tensors</source>
        <extracomment>sentences</extracomment>
        <translation>另一种方法或其他张量</translation>
    </message>
    <message>
        <source>another number of samples</source>
        <extracomment>sentences</extracomment>
        <translation>样本数不同</translation>
    </message>
    <message>
        <source>another recovery</source>
        <extracomment>sentences</extracomment>
        <translation>另一种恢复训练</translation>
    </message>
    <message>
        <source>another number of steps</source>
        <extracomment>sentences</extracomment>
        <translation>另一个步数</translation>
    </message>
    <message>
        <source>95 % confidence interval from {n} paired samples</source>
        <extracomment>sentences</extracomment>
        <translation>由 {n} 个成对样本得出的 95 % 置信区间</translation>
    </message>
    <message>
        <source>95 % confidence interval from {counts} samples</source>
        <extracomment>sentences</extracomment>
        <translation>由 {counts} 个样本得出的 95 % 置信区间</translation>
    </message>
    <message>
        <source>Trained for {counted} with pruned weights at zero.</source>
        <extracomment>sentences</extracomment>
        <translation>已训练 {counted}，被剪枝权重保持为零。</translation>
    </message>
    <message>
        <source>Training did not reduce the error of the outputs on the held-out samples, so only the sequential repair is applied.</source>
        <extracomment>sentences</extracomment>
        <translation>训练未能降低留出样本上的输出误差，因此只应用顺序修复。</translation>
    </message>
    <message>
        <source>The error of the outputs on {counted} was {start} and is {end}, which is a difference within the noise. A repair uses these samples too, so evaluate both states with other data.</source>
        <extracomment>sentences</extracomment>
        <translation>{counted}上的输出误差原为 {start}，现为 {end}，差异在噪声范围内。修复也使用了这些样本，因此请用其他数据评估这两个状态。</translation>
    </message>
    <message>
        <source>Training each block reduced the error of the outputs on {samples} from {start} to {end}. The whole model did not improve in {steps} of training, which are not used.</source>
        <extracomment>sentences</extracomment>
        <translation>逐块训练将 {samples}上的输出误差从 {start} 降至 {end}。对整个模型训练 {steps}没有改善，因此不采用。</translation>
    </message>
    <message>
        <source>The error of the outputs on {samples} fell from {before} to {end} in {steps} of training ({less} % less).</source>
        <extracomment>sentences</extracomment>
        <translation>{samples}上的输出误差经过 {steps}训练从 {before} 降到 {end}（减少 {less} %）。</translation>
    </message>
    <message>
        <source>Trains {what} on {event}, with {event2} samples, of which {event3} are held out; the process needs about {value} GB of memory.</source>
        <extracomment>sentences</extracomment>
        <translation>在 {event} 上训练{what}，使用 {event2} 个样本，其中 {event3} 个留出；该进程需要约 {value} GB 内存。</translation>
    </message>
    <message>
        <source>No round is complete, so nothing is changed.</source>
        <extracomment>sentences</extracomment>
        <translation>没有完成任何一轮，因此未作更改。</translation>
    </message>
    <message>
        <source>{counted} of {requested} complete</source>
        <extracomment>sentences</extracomment>
        <translation>完成 {counted}，共 {requested}</translation>
    </message>
    <message>
        <source>{name} {value}, unpruned {value2}</source>
        <extracomment>sentences</extracomment>
        <translation>{name} {value}，未剪枝 {value2}</translation>
    </message>
    <message>
        <source>{done}; every one is worse than allowed, so the last is used ({value}).</source>
        <extracomment>sentences</extracomment>
        <translation>{done}；每一轮都比允许的差，因此使用最后一轮（{value}）。</translation>
    </message>
    <message>
        <source>{done}; round {number} is worse than allowed, so round {number2} is used ({value}).</source>
        <extracomment>sentences</extracomment>
        <translation>{done}；第 {number} 轮比允许的差，因此使用第 {number2} 轮（{value}）。</translation>
    </message>
    <message>
        <source>For &apos;{name}&apos;, load(path) gets the weights as a plain state dict in a safetensors file. Read it with load_file(path) of safetensors.torch, without further keys.</source>
        <extracomment>sentences</extracomment>
        <translation>对于 &apos;{name}&apos;，load(path) 得到的是 safetensors 文件中的普通状态字典。请用 safetensors.torch 的 load_file(path) 读取，不要再加键。</translation>
    </message>
    <message>
        <source>For &apos;{name}&apos;, load(path) gets the weights as a plain state dict in a {label} file.</source>
        <extracomment>sentences</extracomment>
        <translation>对于 &apos;{name}&apos;，load(path) 得到的是 {label} 文件中的普通状态字典。</translation>
    </message>
    <message>
        <source>of the nearest .venv folder</source>
        <extracomment>sentences</extracomment>
        <translation>来自最近的 .venv 文件夹</translation>
    </message>
    <message>
        <source>Declare it in &apos;{name}&apos;: HIGHER_IS_BETTER = {{&apos;{metric}&apos;: True}}, or False.</source>
        <extracomment>sentences</extracomment>
        <translation>请在 &apos;{name}&apos; 中声明：HIGHER_IS_BETTER = {{&apos;{metric}&apos;: True}}，或 False。</translation>
    </message>
    <message>
        <source>tracing the model</source>
        <extracomment>sentences</extracomment>
        <translation>正在追踪模型</translation>
    </message>
    <message>
        <source>Declare it: --higher-is-better {metric}, or --lower-is-better {metric2}; in the window, beside the command line.</source>
        <extracomment>sentences</extracomment>
        <translation>请声明：--higher-is-better {metric}，或 --lower-is-better {metric2}；在窗口中，位于命令行旁边。</translation>
    </message>
    <message>
        <source>Only the state dict is written, because {why}.</source>
        <extracomment>sentences</extracomment>
        <translation>只写入状态字典，因为{why}。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; could not be deleted.</source>
        <extracomment>sentences</extracomment>
        <translation>无法删除 &apos;{path}&apos;。</translation>
    </message>
    <message>
        <source>The original was deleted, so undo ends here: open the new file to go on.</source>
        <extracomment>sentences</extracomment>
        <translation>原始文件已删除，因此撤销到此为止：请打开新文件以继续。</translation>
    </message>
    <message>
        <source>{are} pruned completely: {first_names}.</source>
        <extracomment>sentences</extracomment>
        <translation>{are}完全剪枝：{first_names}。</translation>
    </message>
    <message>
        <source>numpy has no type {label}, which &apos;{name}&apos; has.</source>
        <extracomment>sentences</extracomment>
        <translation>numpy 没有 &apos;{name}&apos; 的类型 {label}。</translation>
    </message>
    <message>
        <source>A zip archive cannot store a tensor name that is not valid Unicode.</source>
        <extracomment>sentences</extracomment>
        <translation>zip 归档不能存储不是有效 Unicode 的张量名称。</translation>
    </message>
    <message>
        <source>A zip archive cannot store names of more than {MAX_NAME} bytes.</source>
        <extracomment>sentences</extracomment>
        <translation>zip 归档不能存储超过 {MAX_NAME} 字节的名称。</translation>
    </message>
    <message>
        <source>An archive of numpy has no tied tensors: {counted} with several names, such as &apos;{name}&apos;, {value} stored under each name.</source>
        <extracomment>sentences</extracomment>
        <translation>numpy 归档没有绑定的张量：{counted} 有多个名称（例如 &apos;{name}&apos;），{value}以每个名称存储。</translation>
    </message>
    <message>
        <source>numpy has no {join}: numpy.load returns raw bytes (V2 or V1), which array.view(ml_dtypes.{raw}) turns into numbers.</source>
        <extracomment>sentences</extracomment>
        <translation>numpy 没有 {join}：numpy.load 返回原始字节（V2 或 V1），可用 array.view(ml_dtypes.{raw}) 转换为数字。</translation>
    </message>
    <message>
        <source>and no</source>
        <extracomment>sentences</extracomment>
        <translation>且没有</translation>
    </message>
    <message>
        <source>The numbers that were in {names} are inside the file now.</source>
        <extracomment>sentences</extracomment>
        <translation>原来在 {names} 中的数字现在位于文件内。</translation>
    </message>
    <message>
        <source>Loading &apos;{path}&apos; would run code ({names}), so it is not written again.</source>
        <extracomment>sentences</extracomment>
        <translation>加载 &apos;{path}&apos; 会运行代码（{names}），因此不再写入。</translation>
    </message>
    <message>
        <source>Pairs of NAME_orig and NAME_mask cannot become NAME in a pickle.</source>
        <extracomment>sentences</extracomment>
        <translation>在 pickle 中，NAME_orig 与 NAME_mask 对不能变为 NAME。</translation>
    </message>
    <message>
        <source>nn.MultiheadAttention reads {shown} without calling the module, so the hooks of torch.nn.utils.prune do not apply the mask. Prune the module with pruneapp.prune before loading (prune.identity), or call pruneapp.prune.apply_masks(model) after load_state_dict and after each optimizer step.</source>
        <extracomment>sentences</extracomment>
        <translation>nn.MultiheadAttention 读取 {shown} 时不调用该模块，因此 torch.nn.utils.prune 的钩子不会应用掩码。请在加载之前用 pruneapp.prune 剪枝该模块（prune.identity），或在 load_state_dict 之后以及每个优化器步骤之后调用 pruneapp.prune.apply_masks(model)。</translation>
    </message>
    <message>
        <source>The trained values of {tensors} are not in the file: use another format to keep them.</source>
        <extracomment>sentences</extracomment>
        <translation>{tensors} 的训练值不在文件中：要保留这些值，请使用其他格式。</translation>
    </message>
    <message>
        <source>The repaired values of {tensors} are not in the file: use another format to keep them.</source>
        <extracomment>sentences</extracomment>
        <translation>{tensors} 的修复值不在文件中：要保留这些值，请使用其他格式。</translation>
    </message>
    <message>
        <source>The changed values of {tensors} are not in the file: use another format to keep them.</source>
        <extracomment>sentences</extracomment>
        <translation>{tensors} 的更改值不在文件中：要保留这些值，请使用其他格式。</translation>
    </message>
    <message>
        <source>no operator of the graph reads its numbers</source>
        <extracomment>sentences</extracomment>
        <translation>计算图中没有算子读取其数值</translation>
    </message>
    <message>
        <source>it is a scale or zero point of {quantizer}</source>
        <extracomment>sentences</extracomment>
        <translation>它是 {quantizer} 的缩放因子或零点</translation>
    </message>
    <message>
        <source>&apos;{op}&apos; reads it as a constant</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{op}&apos; 将其作为常量读取</translation>
    </message>
    <message>
        <source>it is an output of the graph</source>
        <extracomment>sentences</extracomment>
        <translation>它是计算图的输出</translation>
    </message>
    <message>
        <source>it is part of weights quantized as {quantizer}</source>
        <extracomment>sentences</extracomment>
        <translation>它属于以 {quantizer} 量化的权重</translation>
    </message>
    <message>
        <source>The error of the outputs on {samples} fell from {before} to {end} ({less} % less). The sequential repair alone reached {start}.</source>
        <extracomment>sentences</extracomment>
        <translation>{samples}上的输出误差从 {before} 降到 {end}（减少 {less} %）。仅顺序修复达到 {start}。</translation>
    </message>
    <message>
        <source>The error of the outputs on {samples} fell from {before} to {end} ({less} % less): each block was trained, then the whole model in {steps}.</source>
        <extracomment>sentences</extracomment>
        <translation>{samples}上的输出误差从 {before} 降至 {end}（减少 {less} %）：先训练每个块，再用 {steps}训练整个模型。</translation>
    </message>
    <message>
        <source>A shrunk file has other shapes than the class of the model. In load(path), call model.load_state_dict, which also resizes the layers here, or load_shrunk of the script that was written next to the file, instead of copying tensors.</source>
        <extracomment>sentences</extracomment>
        <translation>缩小后的文件的形状与模型类不同。请在 load(path) 中调用 model.load_state_dict（在此它也会调整各层的大小），或调用与文件一同写入的脚本中的 load_shrunk，而不要复制张量。</translation>
    </message>
    <message>
        <source>If &apos;{name}&apos; is a shrunk model of Pruneapp, put its &apos;.shrink.json&apos; file, which was written with it, into its folder, or call load_shrunk of the script that was written next to it in load(path). Otherwise the class or its arguments differ from those of the file.</source>
        <extracomment>sentences</extracomment>
        <translation>如果 &apos;{name}&apos; 是 Pruneapp 缩减后的模型，请将与其一同写入的 &apos;.shrink.json&apos; 文件放入其文件夹，或在 load(path) 中调用与其一同写入的脚本中的 load_shrunk。否则，类或其参数与文件不同。</translation>
    </message>
    <message>
        <source>Larger than the opened file.</source>
        <extracomment>sentences</extracomment>
        <translation>比打开的文件大。</translation>
    </message>
    <message>
        <source>it is split into several files</source>
        <extracomment>sentences</extracomment>
        <translation>它被拆分为多个文件</translation>
    </message>
    <message>
        <source>its weights are rounded to {label}</source>
        <extracomment>sentences</extracomment>
        <translation>其权重被舍入为 {label}</translation>
    </message>
    <message>
        <source>The largest absolute rounding error is {worst}, in &apos;{where}&apos;, at most {percent} of the value.</source>
        <extracomment>sentences</extracomment>
        <translation>最大绝对舍入误差为 {worst}，位于“{where}”，不超过该值的 {percent}。</translation>
    </message>
    <message>
        <source>The largest absolute rounding error is {worst}, in &apos;{where}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>最大绝对舍入误差为 {worst}，位于“{where}”。</translation>
    </message>
    <message>
        <source>a reshape needs all of its channels</source>
        <extracomment>sentences</extracomment>
        <translation>reshape 需要其所有通道</translation>
    </message>
    <message>
        <source>it is an output of the model</source>
        <extracomment>sentences</extracomment>
        <translation>它是模型的输出</translation>
    </message>
    <message>
        <source>No layer of the graph reads this tensor.</source>
        <extracomment>sentences</extracomment>
        <translation>计算图中没有任何层读取此张量。</translation>
    </message>
    <message>
        <source>Not known: the file contains no graph.</source>
        <extracomment>sentences</extracomment>
        <translation>未知：该文件不包含计算图。</translation>
    </message>
    <message>
        <source>its units cannot be removed</source>
        <extracomment>sentences</extracomment>
        <translation>其单元无法移除</translation>
    </message>
    <message>
        <source>it is an input of the graph</source>
        <extracomment>sentences</extracomment>
        <translation>它是计算图的输入</translation>
    </message>
    <message>
        <source>&apos;{op}&apos; needs all of its channels</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{op}&apos; 需要其所有通道</translation>
    </message>
    <message>
        <source>it is an input of the model</source>
        <extracomment>sentences</extracomment>
        <translation>它是模型的输入</translation>
    </message>
    <message>
        <source>The model {named}, and it is not known which of its tensors share units. Open an ONNX file of the model: its graph shows them.</source>
        <extracomment>sentences</extracomment>
        <translation>该模型{named}，不知道其哪些张量共享单元。请打开该模型的 ONNX 文件：其计算图会显示。</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is not a regular file.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 不是普通文件。</translation>
    </message>
    <message>
        <source>&apos;{folder}&apos; contains no {CONFIG}, and the tensors alone do not show how the layers are connected. Trace the model in the window, or open a .pt2 (torch.export) or ONNX file of the model, or a transformers model folder.</source>
        <extracomment>sentences</extracomment>
        <translation>“{folder}”中没有 {CONFIG}，仅凭张量无法得知各层如何连接。请在窗口中追踪模型，或打开该模型的 .pt2（torch.export）或 ONNX 文件，或 transformers 模型文件夹。</translation>
    </message>
    <message>
        <source>the {n_blocked} tensors that allow none</source>
        <extracomment>sentences</extracomment>
        <translation>无法剪枝的 {n_blocked} 个张量</translation>
    </message>
    <message>
        <source>{describe}, or {nothing}</source>
        <extracomment>sentences</extracomment>
        <translation>{describe}，或{nothing}</translation>
    </message>
    <message>
        <source>1 layer has a larger error</source>
        <extracomment>sentences</extracomment>
        <translation>有 1 层的误差</translation>
    </message>
    <message>
        <source>{len} layers have larger errors</source>
        <extracomment>sentences</extracomment>
        <translation>有 {len} 层的误差</translation>
    </message>
    <message>
        <source>{value} after the repair than before: {first_names}.</source>
        <extracomment>sentences</extracomment>
        <translation>{value}在修复后比之前更大：{first_names}。</translation>
    </message>
    <message>
        <source>random tokens</source>
        <extracomment>sentences</extracomment>
        <translation>随机词元</translation>
    </message>
    <message>
        <source>The inputs were random token IDs, which are unlike any real input: the repaired model may be worse on yours.</source>
        <extracomment>sentences</extracomment>
        <translation>输入是随机词元 ID，与真实输入不同：修复后的模型在您的输入上可能更差。</translation>
    </message>
    <message>
        <source>random inputs</source>
        <extracomment>sentences</extracomment>
        <translation>随机输入</translation>
    </message>
    <message>
        <source>The inputs were random numbers, which are unlike any real input: the repaired model may be worse on yours.</source>
        <extracomment>sentences</extracomment>
        <translation>输入是随机数，与任何真实输入都不同：修复后的模型在您的输入上可能更差。</translation>
    </message>
    <message>
        <source>once more</source>
        <extracomment>sentences</extracomment>
        <translation>再运行一次</translation>
    </message>
    <message>
        <source>up to {layers} times more</source>
        <extracomment>sentences</extracomment>
        <translation>最多再运行 {layers} 次</translation>
    </message>
    <message>
        <source>The inputs are run once through the unpruned model, then {often} through both models: once for each layer, or for each group of layers with the same input.</source>
        <extracomment>sentences</extracomment>
        <translation>输入先通过未剪枝的模型运行一次，然后{often}，通过两个模型：每层一次，或输入相同的每组层一次。</translation>
    </message>
    <message>
        <source>All {counted} have nearly the same high sparsity ({join}). In tests, repair did not fix such masks in small convolutional networks; global pruning and LAMP keep more of the first layers.</source>
        <extracomment>sentences</extracomment>
        <translation>全部 {counted}的稀疏度几乎同样高（{join}）。在一个小型卷积网络中，修复未能弥补这样的掩码；全局剪枝和 LAMP 会在前几层保留更多权重。</translation>
    </message>
    <message>
        <source>it has {size} elements, and the one that it changes {size2}</source>
        <extracomment>sentences</extracomment>
        <translation>它有 {size} 个元素，而它所更改的掩码有 {size2} 个</translation>
    </message>
    <message>
        <source>its pieces are not those of {size} elements</source>
        <extracomment>sentences</extracomment>
        <translation>其数据块与 {size} 个元素不符</translation>
    </message>
    <message>
        <source>its bytes cannot be decompressed</source>
        <extracomment>sentences</extracomment>
        <translation>其字节无法解压</translation>
    </message>
    <message>
        <source>{value} of its {nbytes} bytes are missing</source>
        <extracomment>sentences</extracomment>
        <translation>其 {nbytes} 字节中缺少 {value} 字节</translation>
    </message>
    <message>
        <source>it is not one frame of small masks</source>
        <extracomment>sentences</extracomment>
        <translation>它不是由小掩码组成的单个帧</translation>
    </message>
    <message>
        <source>it has {size} bytes for {size2} elements</source>
        <extracomment>sentences</extracomment>
        <translation>它用 {size} 字节存放 {size2} 个元素</translation>
    </message>
    <message>
        <source>it has bits past its {size} elements</source>
        <extracomment>sentences</extracomment>
        <translation>它在 {size} 个元素之后还有多余的位</translation>
    </message>
    <message>
        <source>After a crash, the last steps would have to be computed again: their masks cannot be written to &apos;{place}&apos; ({words_of}).</source>
        <extracomment>sentences</extracomment>
        <translation>崩溃后，最后的步骤需要重新计算：其掩码无法写入 &apos;{place}&apos;（{words_of}）。</translation>
    </message>
    <message>
        <source>Your work cannot be restored after a crash: &apos;{place}&apos; cannot be written ({words_of}).</source>
        <extracomment>sentences</extracomment>
        <translation>崩溃后将无法恢复您的工作：无法写入 &apos;{place}&apos;（{words_of}）。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; was modified.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 已被修改。</translation>
    </message>
    <message>
        <source>The SHA-256 of &apos;{name}&apos; differs.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 的 SHA-256 不同。</translation>
    </message>
    <message>
        <source>It has {counted}; it had {len}.</source>
        <extracomment>sentences</extracomment>
        <translation>它有 {counted}；原有 {len} 个。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has {size} bytes; it had {size2}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 有 {size} 字节；原为 {size2} 字节。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has the same size as before, but different content.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 与之前大小相同，但内容不同。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has the shape {list}; it had {list2}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 的形状为 {list}；原为 {list2}。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is of type {name2}; it was {dtype}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 的类型为 {name2}；原为 {dtype}。</translation>
    </message>
    <message>
        <source>{n} more differ.</source>
        <extracomment>sentences</extracomment>
        <translation>另有 {n} 个不同。</translation>
    </message>
    <message>
        <source>1 more differs.</source>
        <extracomment>sentences</extracomment>
        <translation>另有 1 个不同。</translation>
    </message>
    <message>
        <source>cannot be computed again</source>
        <extracomment>sentences</extracomment>
        <translation>无法重新计算</translation>
    </message>
    <message>
        <source>&apos;{label}&apos; is</source>
        <extracomment>sentences</extracomment>
        <translation>“{label}”</translation>
    </message>
    <message>
        <source>The last {len} steps are</source>
        <extracomment>sentences</extracomment>
        <translation>最后 {len} 个步骤</translation>
    </message>
    <message>
        <source>Masks of {name} applied</source>
        <extracomment>sentences
----------
steps</extracomment>
        <translation>已应用 {name} 的掩码</translation>
    </message>
    <message>
        <source>Protection of {name} applied</source>
        <extracomment>sentences
----------
steps</extracomment>
        <translation>已应用 {name} 的保护</translation>
    </message>
    <message>
        <source>would have been computed from other weights</source>
        <extracomment>sentences</extracomment>
        <translation>原本要由其他权重计算</translation>
    </message>
    <message>
        <source>{sentence} Repair this checkpoint instead.</source>
        <extracomment>sentences</extracomment>
        <translation>{sentence}请改为修复此检查点。</translation>
    </message>
    <message>
        <source>Its tensors have the same names and shapes.</source>
        <extracomment>sentences</extracomment>
        <translation>其张量的名称和形状相同。</translation>
    </message>
    <message>
        <source>it has {len} pieces for {size} elements</source>
        <extracomment>sentences</extracomment>
        <translation>它用 {len} 个数据块存放 {size} 个元素</translation>
    </message>
    <message>
        <source>its pieces do not fit</source>
        <extracomment>sentences</extracomment>
        <translation>其数据块不符</translation>
    </message>
    <message>
        <source>checking shapes</source>
        <extracomment>sentences</extracomment>
        <translation>正在检查形状</translation>
    </message>
    <message>
        <source>checking outputs</source>
        <extracomment>sentences</extracomment>
        <translation>正在检查输出</translation>
    </message>
    <message>
        <source>{architecture} of transformers {transformers}</source>
        <extracomment>sentences</extracomment>
        <translation>transformers {transformers} 的 {architecture}</translation>
    </message>
    <message>
        <source>{by} accepts these shapes.</source>
        <extracomment>sentences</extracomment>
        <translation>{by} 接受这些形状。</translation>
    </message>
    <message>
        <source>(first {first_layers} layers)</source>
        <extracomment>sentences</extracomment>
        <translation>（前 {first_layers} 层）</translation>
    </message>
    <message>
        <source>The shrunk model matches the pruned model in {by}{part}. Their outputs differ by at most {largest_difference} (the largest output is {largest_output}).</source>
        <extracomment>sentences</extracomment>
        <translation>缩减后的模型在 {by}{part} 中与剪枝后的模型一致。它们的输出最多相差 {largest_difference}（最大输出为 {largest_output}）。</translation>
    </message>
    <message>
        <source>{said} On random inputs, the outputs of the shrunk model and the unpruned model have a mean cosine of {mean_cosine}, and differ by up to {percent} of the largest output.</source>
        <extracomment>sentences</extracomment>
        <translation>{said} 在随机输入上，缩减后的模型与未剪枝模型的输出平均余弦为 {mean_cosine}，最多相差最大输出的 {percent}。</translation>
    </message>
    <message>
        <source>next tokens</source>
        <extracomment>sentences</extracomment>
        <translation>后续词元</translation>
    </message>
    <message>
        <source>{LABELS} in float64</source>
        <extracomment>sentences</extracomment>
        <translation>{LABELS}（float64）</translation>
    </message>
    <message>
        <source>{answer} of transformers {answer2}</source>
        <extracomment>sentences</extracomment>
        <translation>transformers {answer2} 的 {answer}</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is {shape} instead of {shape2}</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 为 {shape}，而不是 {shape2}</translation>
    </message>
    <message>
        <source>{counted} missing ({first_names})</source>
        <extracomment>sentences</extracomment>
        <translation>缺少 {counted}（{first_names}）</translation>
    </message>
    <message>
        <source>{counted} too many ({first_names})</source>
        <extracomment>sentences</extracomment>
        <translation>多出 {counted}（{first_names}）</translation>
    </message>
    <message>
        <source>{counted} of another shape ({shown})</source>
        <extracomment>sentences</extracomment>
        <translation>{counted}的形状不同（{shown}）</translation>
    </message>
    <message>
        <source>Most outputs agree (their median differs by {median}): a rounding may have led a router to another expert, which another seed would not.</source>
        <extracomment>sentences</extracomment>
        <translation>多数输出一致（中位数相差 {median}）：舍入可能使路由器选择了另一个专家，换一个种子则不会。</translation>
    </message>
    <message>
        <source>{largest}, where {most} is allowed</source>
        <extracomment>sentences</extracomment>
        <translation>{largest}（允许 {most}）</translation>
    </message>
    <message>
        <source>{median} in the median, where {most_in_median} is allowed</source>
        <extracomment>sentences</extracomment>
        <translation>中位数 {median}（允许 {most_in_median}）</translation>
    </message>
    <message>
        <source>a single number</source>
        <extracomment>sentences</extracomment>
        <translation>单个数</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; was taken out of config.json: it names the old stages.</source>
        <extracomment>sentences</extracomment>
        <translation>已从 config.json 中移除 &apos;{name}&apos;：它列出的是旧的阶段。</translation>
    </message>
    <message>
        <source>shrunk {label}</source>
        <extracomment>sentences</extracomment>
        <translation>缩减的 {label}</translation>
    </message>
    <message>
        <source>{label} per key/value head</source>
        <extracomment>sentences</extracomment>
        <translation>每个键/值头的{label}</translation>
    </message>
    <message>
        <source>Kept next to the state dict: {first_names}; left out, because of the original widths: {first_names2}.</source>
        <extracomment>sentences</extracomment>
        <translation>与 state dict 一同保留：{first_names}；因属于原始宽度而省略：{first_names2}。</translation>
    </message>
    <message>
        <source>Kept next to the state dict: {first_names}.</source>
        <extracomment>sentences</extracomment>
        <translation>与 state dict 一同保留：{first_names}。</translation>
    </message>
    <message>
        <source>The file has only the state dict; left out: {first_names}.</source>
        <extracomment>sentences</extracomment>
        <translation>文件只包含 state dict；省略：{first_names}。</translation>
    </message>
    <message>
        <source>&apos;{place}&apos; keeps {counted}, {zeros} of them zeros: another layer needs as many.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{place}&apos; 保留 {counted}，其中 {zeros} 个为零：另一层需要同样多。</translation>
    </message>
    <message>
        <source>&apos;{place}&apos; {dead} zero, {cut} cut</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{place}&apos; {dead} 个为零，裁剪 {cut} 个</translation>
    </message>
    <message>
        <source>, and {counted}</source>
        <extracomment>sentences</extracomment>
        <translation>，以及 {counted}</translation>
    </message>
    <message>
        <source>{label}: {dead} zero, {removed} cut: what stays of a group is rounded up to a multiple of {multiple} ({examples}{also}). Choose a smaller multiple, or prune in the same multiple.</source>
        <extracomment>sentences</extracomment>
        <translation>{label}：{dead} 个为零，裁剪 {removed} 个：每组保留的数量向上取整为 {multiple} 的倍数（{examples}{also}）。请选择更小的倍数，或按相同的倍数剪枝。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; ({counted} of zeros)</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos;（{counted} 全为零）</translation>
    </message>
    <message>
        <source>{join} {are} not reduced: {reason}.</source>
        <extracomment>sentences</extracomment>
        <translation>{join} {are}未缩减：{reason}。</translation>
    </message>
    <message>
        <source>Not reduced: {shown}, and {others}. Only channels inside of known blocks can be removed without the graph of the model.</source>
        <extracomment>sentences</extracomment>
        <translation>未缩减：{shown}，以及{others}。没有模型的计算图时，只能移除已知块内部的通道。</translation>
    </message>
    <message>
        <source>Not reduced: {shown}. Only channels inside of known blocks can be removed without the graph of the model.</source>
        <extracomment>sentences</extracomment>
        <translation>未缩减：{shown}。没有模型的计算图时，只能移除已知块内部的通道。</translation>
    </message>
    <message>
        <source>All blocks have the widths of {name}={value}: a model built with that argument loads the state dict. {LOADER} loads it into any other model.</source>
        <extracomment>sentences</extracomment>
        <translation>所有块的宽度都由 {name}={value} 决定：用该参数创建的模型可加载此状态字典。{LOADER} 可将其加载到任何模型。</translation>
    </message>
    <message>
        <source>vLLM has kernels for some numbers of experts only.</source>
        <extracomment>sentences</extracomment>
        <translation>vLLM 只为某些专家数量提供内核。</translation>
    </message>
    <message>
        <source>Written as &apos;{wanted}&apos;, which computes the same.</source>
        <extracomment>sentences</extracomment>
        <translation>写为 &apos;{wanted}&apos;，计算结果相同。</translation>
    </message>
    <message>
        <source>Existing files were replaced: {first_names}.</source>
        <extracomment>sentences</extracomment>
        <translation>已替换现有文件：{first_names}。</translation>
    </message>
    <message>
        <source>&apos;{min}&apos; was written and should not have been</source>
        <extracomment>sentences</extracomment>
        <translation>写入了不应写入的 &apos;{min}&apos;</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; was written with the shape {shape}</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 写入后的形状为 {shape}</translation>
    </message>
    <message>
        <source>type &apos;{model_type}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>类型 &apos;{model_type}&apos;</translation>
    </message>
    <message>
        <source>this kind</source>
        <extracomment>sentences</extracomment>
        <translation>此类</translation>
    </message>
    <message>
        <source>A model of {kind} has no such units.</source>
        <extracomment>sentences</extracomment>
        <translation>{kind}的模型没有这样的单元。</translation>
    </message>
    <message>
        <source>it is not a valid file name</source>
        <extracomment>sentences</extracomment>
        <translation>这不是有效的文件名</translation>
    </message>
    <message>
        <source>, only &apos;{others}&apos;, which cannot be shrunk</source>
        <extracomment>sentences</extracomment>
        <translation>，只有无法缩减的 &apos;{others}&apos;</translation>
    </message>
    <message>
        <source>exact for this text</source>
        <extracomment>sentences</extracomment>
        <translation>对此文本精确</translation>
    </message>
    <message>
        <source>the scores of a file</source>
        <extracomment>sentences</extracomment>
        <translation>文件中的分数</translation>
    </message>
    <message>
        <source>it has no &apos;{name}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>其中没有 &apos;{name}&apos;</translation>
    </message>
    <message>
        <source>{columns} inputs</source>
        <extracomment>sentences</extracomment>
        <translation>{columns} 个输入</translation>
    </message>
    <message>
        <source>{parts} x {columns} inputs</source>
        <extracomment>sentences</extracomment>
        <translation>{parts} x {columns} 个输入</translation>
    </message>
    <message>
        <source>methods</source>
        <extracomment>sentences</extracomment>
        <translation>方法</translation>
    </message>
    <message>
        <source>formats</source>
        <extracomment>sentences</extracomment>
        <translation>格式</translation>
    </message>
    <message>
        <source>parameters</source>
        <extracomment>sentences</extracomment>
        <translation>参数</translation>
    </message>
    <message>
        <source>kinds</source>
        <extracomment>sentences</extracomment>
        <translation>种类</translation>
    </message>
    <message>
        <source>values</source>
        <extracomment>sentences</extracomment>
        <translation>值</translation>
    </message>
    <message>
        <source>metrics</source>
        <extracomment>sentences</extracomment>
        <translation>指标</translation>
    </message>
    <message>
        <source>weights</source>
        <extracomment>sentences
----------
steps</extracomment>
        <translation>权重</translation>
    </message>
    <message>
        <source>channels</source>
        <extracomment>sentences</extracomment>
        <translation>通道</translation>
    </message>
    <message>
        <source>tensor</source>
        <extracomment>sentences</extracomment>
        <translation>张量</translation>
    </message>
    <message>
        <source>tensors</source>
        <extracomment>sentences</extracomment>
        <translation>张量</translation>
    </message>
    <message>
        <source>weight</source>
        <extracomment>sentences</extracomment>
        <translation>权重</translation>
    </message>
    <message>
        <source>channel</source>
        <extracomment>sentences</extracomment>
        <translation>通道</translation>
    </message>
    <message>
        <source>amount</source>
        <extracomment>sentences</extracomment>
        <translation>剪枝量</translation>
    </message>
    <message>
        <source>total</source>
        <extracomment>sentences</extracomment>
        <translation>总量</translation>
    </message>
    <message>
        <source>local</source>
        <extracomment>sentences</extracomment>
        <translation>逐张量</translation>
    </message>
    <message>
        <source>global</source>
        <extracomment>sentences
----------
steps</extracomment>
        <translation>全局</translation>
    </message>
    <message>
        <source>is</source>
        <extracomment>sentences</extracomment>
        <translation>是</translation>
    </message>
    <message>
        <source>are</source>
        <extracomment>sentences</extracomment>
        <translation>是</translation>
    </message>
    <message>
        <source>was</source>
        <extracomment>sentences</extracomment>
        <translation>已</translation>
    </message>
    <message>
        <source>were</source>
        <extracomment>sentences</extracomment>
        <translation>已</translation>
    </message>
    <message>
        <source>it</source>
        <extracomment>sentences</extracomment>
        <translation>它</translation>
    </message>
    <message>
        <source>them</source>
        <extracomment>sentences</extracomment>
        <translation>它们</translation>
    </message>
    <message>
        <source>they</source>
        <extracomment>sentences</extracomment>
        <translation>它们</translation>
    </message>
    <message>
        <source>this</source>
        <extracomment>sentences</extracomment>
        <translation>这</translation>
    </message>
    <message>
        <source>bias</source>
        <extracomment>sentences</extracomment>
        <translation>偏置</translation>
    </message>
    <message>
        <source>norm</source>
        <extracomment>sentences</extracomment>
        <translation>归一化</translation>
    </message>
    <message>
        <source>rows</source>
        <extracomment>sentences</extracomment>
        <translation>行</translation>
    </message>
    <message>
        <source>columns</source>
        <extracomment>sentences</extracomment>
        <translation>列</translation>
    </message>
    <message>
        <source>units</source>
        <extracomment>sentences</extracomment>
        <translation>单元</translation>
    </message>
    <message>
        <source>blocks</source>
        <extracomment>sentences</extracomment>
        <translation>块</translation>
    </message>
    <message>
        <source>neurons</source>
        <extracomment>sentences</extracomment>
        <translation>神经元</translation>
    </message>
    <message>
        <source>one of {words}</source>
        <extracomment>sentences</extracomment>
        <translation>以下之一：{words}</translation>
    </message>
    <message>
        <source>any of {words}, with commas between them</source>
        <extracomment>sentences</extracomment>
        <translation>以下任意几项，以逗号分隔：{words}</translation>
    </message>
    <message>
        <source>weight of &apos;{name}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>权重（&apos;{name}&apos;）</translation>
    </message>
    <message>
        <source>weights of &apos;{name}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>权重（&apos;{name}&apos;）</translation>
    </message>
    <message>
        <source>channel of &apos;{name}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>通道（&apos;{name}&apos;）</translation>
    </message>
    <message>
        <source>channels of &apos;{name}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>通道（&apos;{name}&apos;）</translation>
    </message>
    <message>
        <source>block of &apos;{name}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>块（&apos;{name}&apos;）</translation>
    </message>
    <message>
        <source>blocks of &apos;{name}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>块（&apos;{name}&apos;）</translation>
    </message>
    <message>
        <source>other tensors</source>
        <extracomment>sentences</extracomment>
        <translation>其他张量</translation>
    </message>
    <message>
        <source>value was</source>
        <extracomment>sentences</extracomment>
        <translation>个值</translation>
    </message>
    <message>
        <source>values were</source>
        <extracomment>sentences</extracomment>
        <translation>个值</translation>
    </message>
    <message>
        <source>has the weights of the opened folder, and an export replaces the model of a folder as a whole.</source>
        <extracomment>sentences</extracomment>
        <translation>含有打开的文件夹的权重，而导出会整体替换文件夹的模型。</translation>
    </message>
    <message>
        <source>No tensor matches &apos;{pattern}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>没有匹配 &apos;{pattern}&apos; 的张量。</translation>
    </message>
    <message>
        <source>{name} or {name2}</source>
        <extracomment>sentences</extracomment>
        <translation>{name} 或 {name2}</translation>
    </message>
    <message>
        <source>shrunk</source>
        <extracomment>sentences</extracomment>
        <translation>缩减</translation>
    </message>
    <message>
        <source>{label} {n} → {n2}</source>
        <extracomment>sentences</extracomment>
        <translation>{label} {n} → {n2}</translation>
    </message>
    <message>
        <source>sparse COO</source>
        <extracomment>sentences</extracomment>
        <translation>稀疏 COO</translation>
    </message>
    <message>
        <source>sparse CSR</source>
        <extracomment>sentences</extracomment>
        <translation>稀疏 CSR</translation>
    </message>
    <message>
        <source>sparse CSC</source>
        <extracomment>sentences</extracomment>
        <translation>稀疏 CSC</translation>
    </message>
    <message>
        <source>sparse BSR</source>
        <extracomment>sentences</extracomment>
        <translation>稀疏 BSR</translation>
    </message>
    <message>
        <source>sparse BSC</source>
        <extracomment>sentences</extracomment>
        <translation>稀疏 BSC</translation>
    </message>
    <message>
        <source>recovering</source>
        <extracomment>sentences</extracomment>
        <translation>正在恢复训练</translation>
    </message>
    <message>
        <source>recovering: {text}</source>
        <extracomment>sentences</extracomment>
        <translation>正在恢复训练：{text}</translation>
    </message>
    <message>
        <source>training</source>
        <extracomment>sentences</extracomment>
        <translation>正在训练</translation>
    </message>
    <message>
        <source>training: {text}</source>
        <extracomment>sentences</extracomment>
        <translation>正在训练：{text}</translation>
    </message>
    <message>
        <source>step {n} of {n2}</source>
        <extracomment>sentences</extracomment>
        <translation>第 {n} 步，共 {n2} 步</translation>
    </message>
    <message>
        <source>trying the learning rate {rate}</source>
        <extracomment>sentences</extracomment>
        <translation>正在尝试学习率 {rate}</translation>
    </message>
    <message>
        <source>measuring the error before training</source>
        <extracomment>sentences</extracomment>
        <translation>正在测量训练前的误差</translation>
    </message>
    <message>
        <source>evaluating before and after</source>
        <extracomment>sentences</extracomment>
        <translation>正在评估前后状态</translation>
    </message>
    <message>
        <source>Only {n} samples were run through the model: more of them improve the result.</source>
        <extracomment>sentences</extracomment>
        <translation>只有 {n} 个样本通过模型运行：更多样本会改善结果。</translation>
    </message>
    <message>
        <source>256 or more are useful.</source>
        <extracomment>sentences</extracomment>
        <translation>256 个或更多为宜。</translation>
    </message>
    <message>
        <source>The outputs of an input depend on its batch, so each batch is used as a whole.</source>
        <extracomment>sentences</extracomment>
        <translation>一个输入的输出取决于其所在批次，因此每个批次作为整体使用。</translation>
    </message>
    <message>
        <source>The sequential repair did not make the model better, so recovery began without it.</source>
        <extracomment>sentences</extracomment>
        <translation>顺序修复没有使模型变好，因此恢复训练没有采用它。</translation>
    </message>
    <message>
        <source>Some blocks give other results when they run on their own, so they were trained with the whole model only.</source>
        <extracomment>sentences</extracomment>
        <translation>有些块单独运行时结果不同，因此只随整个模型一起训练。</translation>
    </message>
    <message>
        <source>Blocks were trained with fewer samples than the whole model, to limit the memory for their inputs.</source>
        <extracomment>sentences</extracomment>
        <translation>为限制输入所需的内存，训练各块时使用的样本少于整个模型。</translation>
    </message>
    <message>
        <source>{percent} to {percent2}</source>
        <extracomment>sentences</extracomment>
        <translation>{percent} 至 {percent2}</translation>
    </message>
    <message>
        <source>{missing}, {n} tensor too many ({first_names})</source>
        <extracomment>sentences</extracomment>
        <translation>{missing}，多出 {n} 个张量（{first_names}）</translation>
    </message>
    <message>
        <source>{missing}, {n} tensors too many ({first_names})</source>
        <extracomment>sentences</extracomment>
        <translation>{missing}，多出 {n} 个张量（{first_names}）</translation>
    </message>
    <message>
        <source>{others}, {n} tensor of another shape ({shown})</source>
        <extracomment>sentences</extracomment>
        <translation>{others}，{n} 个张量的形状不同（{shown}）</translation>
    </message>
    <message>
        <source>{others}, {n} tensors of another shape ({shown})</source>
        <extracomment>sentences</extracomment>
        <translation>{others}，{n} 个张量的形状不同（{shown}）</translation>
    </message>
    <message>
        <source>to {n}</source>
        <extracomment>sentences</extracomment>
        <translation>到 {n}</translation>
    </message>
    <message>
        <source>data file</source>
        <extracomment>sentences</extracomment>
        <translation>数据文件</translation>
    </message>
    <message>
        <source>shard</source>
        <extracomment>sentences</extracomment>
        <translation>分片</translation>
    </message>
    <message>
        <source>an ONNX model</source>
        <extracomment>sentences</extracomment>
        <translation>ONNX 模型</translation>
    </message>
    <message>
        <source>The headers</source>
        <extracomment>sentences</extracomment>
        <translation>文件头</translation>
    </message>
    <message>
        <source>The operators</source>
        <extracomment>sentences</extracomment>
        <translation>运算符</translation>
    </message>
    <message>
        <source>an index</source>
        <extracomment>sentences</extracomment>
        <translation>一个索引</translation>
    </message>
    <message>
        <source>points outside it</source>
        <extracomment>sentences</extracomment>
        <translation>超出范围</translation>
    </message>
    <message>
        <source>Each {height}×{width} block is one kernel</source>
        <extracomment>sentences</extracomment>
        <translation>每个 {height}×{width} 的块是一个卷积核</translation>
    </message>
    <message>
        <source>Each {height}×{width} block is one {axes}</source>
        <extracomment>sentences</extracomment>
        <translation>每个 {height}×{width} 的块是一个{axes}</translation>
    </message>
    <message>
        <source>{axis} × {axis2}</source>
        <extracomment>sentences</extracomment>
        <translation>{axis} × {axis2}</translation>
    </message>
    <message>
        <source>Run {path} to check whether the model still works.</source>
        <extracomment>sentences</extracomment>
        <translation>请运行 {path} 检查模型是否仍然可用。</translation>
    </message>
    <message>
        <source>Run {path} to check whether the model still works, after filling in the function that builds the model.</source>
        <extracomment>sentences</extracomment>
        <translation>请在补全构建模型的函数后运行 {path}，检查模型是否仍然可用。</translation>
    </message>
    <message>
        <source>The report is {path}.</source>
        <extracomment>sentences</extracomment>
        <translation>报告为 {path}。</translation>
    </message>
    <message>
        <source>is one of several files of the opened model, and one file cannot replace them all.</source>
        <extracomment>sentences</extracomment>
        <translation>是打开的模型的多个文件之一，而一个文件无法替换全部文件。</translation>
    </message>
    <message>
        <source>&apos;{where}&apos;, at {words}: {what}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos; 的 {words} 处：{what}。</translation>
    </message>
    <message>
        <source>&apos;{where}&apos;: {what}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos;：{what}。</translation>
    </message>
    <message>
        <source>keys</source>
        <extracomment>sentences</extracomment>
        <translation>键</translation>
    </message>
    <message>
        <source>an id</source>
        <extracomment>sentences</extracomment>
        <translation>ID</translation>
    </message>
    <message>
        <source>{types} of at least {n}</source>
        <extracomment>sentences</extracomment>
        <translation>至少为 {n} 的{types}</translation>
    </message>
    <message>
        <source>{types} of at most {n}</source>
        <extracomment>sentences</extracomment>
        <translation>最大为 {n} 的{types}</translation>
    </message>
    <message>
        <source>{types} with {n} item</source>
        <extracomment>sentences</extracomment>
        <translation>含 {n} 个元素的{types}</translation>
    </message>
    <message>
        <source>{types} with {n} items</source>
        <extracomment>sentences</extracomment>
        <translation>含 {n} 个元素的{types}</translation>
    </message>
    <message>
        <source>{types} with at least {n} item</source>
        <extracomment>sentences</extracomment>
        <translation>至少含 {n} 个元素的{types}</translation>
    </message>
    <message>
        <source>invalid enum value &apos;{value}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>无效的枚举值 &apos;{value}&apos;</translation>
    </message>
    <message>
        <source>{types} with at least {n} items</source>
        <extracomment>sentences</extracomment>
        <translation>至少含 {n} 个元素的{types}</translation>
    </message>
    <message>
        <source>{types} with at most {n} items</source>
        <extracomment>sentences</extracomment>
        <translation>最多含 {n} 个元素的{types}</translation>
    </message>
    <message>
        <source>unit of &apos;{name}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>单元（&apos;{name}&apos;）</translation>
    </message>
    <message>
        <source>units of &apos;{name}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>单元（&apos;{name}&apos;）</translation>
    </message>
    <message>
        <source>{format}, {n} shard</source>
        <extracomment>sentences</extracomment>
        <translation>{format}，{n} 个分片</translation>
    </message>
    <message>
        <source>{format}, {n} shards</source>
        <extracomment>sentences</extracomment>
        <translation>{format}，{n} 个分片</translation>
    </message>
    <message>
        <source>compact file of Pruneapp</source>
        <extracomment>sentences</extracomment>
        <translation>Pruneapp 紧凑文件</translation>
    </message>
    <message>
        <source>PyTorch before 1.6</source>
        <extracomment>sentences</extracomment>
        <translation>PyTorch 1.6 之前的格式</translation>
    </message>
    <message>
        <source>the unpruned model</source>
        <extracomment>sentences</extracomment>
        <translation>未剪枝模型</translation>
    </message>
    <message>
        <source>unpruned model</source>
        <extracomment>sentences</extracomment>
        <translation>未剪枝模型</translation>
    </message>
    <message>
        <source>folder with zeros</source>
        <extracomment>sentences</extracomment>
        <translation>含零的文件夹</translation>
    </message>
    <message>
        <source>{name} ({note})</source>
        <extracomment>sentences</extracomment>
        <translation>{name}（{note}）</translation>
    </message>
    <message>
        <source>{name} ({note}), {rest}</source>
        <extracomment>sentences</extracomment>
        <translation>{name}（{note}），{rest}</translation>
    </message>
    <message>
        <source>{name}: {why}</source>
        <extracomment>sentences</extracomment>
        <translation>{name}：{why}</translation>
    </message>
    <message>
        <source>{name}: {why}; {rest}</source>
        <extracomment>sentences</extracomment>
        <translation>{name}：{why}；{rest}</translation>
    </message>
    <message>
        <source>{value} for the unpruned model</source>
        <extracomment>sentences</extracomment>
        <translation>{value}（未剪枝模型）</translation>
    </message>
    <message>
        <source>{size} are free</source>
        <extracomment>sentences</extracomment>
        <translation>只有 {size} 可用</translation>
    </message>
    <message>
        <source>A compressed torch file</source>
        <extracomment>sentences</extracomment>
        <translation>压缩的 torch 文件</translation>
    </message>
    <message>
        <source>A torch file with sparse tensors</source>
        <extracomment>sentences</extracomment>
        <translation>含稀疏张量的 torch 文件</translation>
    </message>
    <message>
        <source>transformers would map it into memory, which is not possible</source>
        <extracomment>sentences</extracomment>
        <translation>transformers 会将其映射到内存，而这不可行</translation>
    </message>
    <message>
        <source>transformers, which opens such files, does not load them</source>
        <extracomment>sentences</extracomment>
        <translation>transformers 会打开此类文件，但不会加载稀疏张量</translation>
    </message>
    <message>
        <source>{label} {rate} GB/s</source>
        <extracomment>sentences</extracomment>
        <translation>{label} {rate} GB/s</translation>
    </message>
    <message>
        <source>{label} {rate} GB/s, slow: {words}</source>
        <extracomment>sentences</extracomment>
        <translation>{label} {rate} GB/s，较慢：{words}</translation>
    </message>
    <message>
        <source>Cutting</source>
        <extracomment>sentences</extracomment>
        <translation>正在确定阈值</translation>
    </message>
    <message>
        <source>Comparing</source>
        <extracomment>sentences</extracomment>
        <translation>正在比较</translation>
    </message>
    <message>
        <source>Checking</source>
        <extracomment>sentences</extracomment>
        <translation>正在检查</translation>
    </message>
    <message>
        <source>Measuring</source>
        <extracomment>sentences</extracomment>
        <translation>正在测量</translation>
    </message>
    <message>
        <source>Checksums</source>
        <extracomment>sentences</extracomment>
        <translation>校验和</translation>
    </message>
    <message>
        <source>a Gram matrix</source>
        <extracomment>sentences</extracomment>
        <translation>格拉姆矩阵</translation>
    </message>
    <message>
        <source>GPTQ or AWQ</source>
        <extracomment>sentences</extracomment>
        <translation>GPTQ 或 AWQ</translation>
    </message>
    <message>
        <source>it is a mask</source>
        <extracomment>sentences</extracomment>
        <translation>它是掩码</translation>
    </message>
    <message>
        <source>{name}: &apos;{type}&apos; is in another family already</source>
        <extracomment>sentences</extracomment>
        <translation>{name}：&apos;{type}&apos; 已属于另一个模型系列</translation>
    </message>
    <message>
        <source>the scratch file of the history is closed</source>
        <extracomment>sentences</extracomment>
        <translation>历史的临时文件已关闭</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has the length &apos;{text}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 的长度为 &apos;{text}&apos;</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has the offset &apos;{text}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 的偏移为 &apos;{text}&apos;</translation>
    </message>
    <message>
        <source>no such file or directory</source>
        <extracomment>sentences</extracomment>
        <translation>没有该文件或文件夹</translation>
    </message>
    <message>
        <source>permission denied</source>
        <extracomment>sentences</extracomment>
        <translation>权限不足</translation>
    </message>
    <message>
        <source>operation not permitted</source>
        <extracomment>sentences</extracomment>
        <translation>不允许该操作</translation>
    </message>
    <message>
        <source>no space left on device</source>
        <extracomment>sentences</extracomment>
        <translation>磁盘空间不足</translation>
    </message>
    <message>
        <source>input/output error</source>
        <extracomment>sentences</extracomment>
        <translation>输入/输出错误</translation>
    </message>
    <message>
        <source>read-only file system</source>
        <extracomment>sentences</extracomment>
        <translation>文件系统只读</translation>
    </message>
    <message>
        <source>is a directory</source>
        <extracomment>sentences</extracomment>
        <translation>是文件夹</translation>
    </message>
    <message>
        <source>not a directory</source>
        <extracomment>sentences</extracomment>
        <translation>不是文件夹</translation>
    </message>
    <message>
        <source>file name too long</source>
        <extracomment>sentences</extracomment>
        <translation>文件名过长</translation>
    </message>
    <message>
        <source>device or resource busy</source>
        <extracomment>sentences</extracomment>
        <translation>设备或资源忙</translation>
    </message>
    <message>
        <source>disk quota exceeded</source>
        <extracomment>sentences</extracomment>
        <translation>超出磁盘配额</translation>
    </message>
    <message>
        <source>file too large</source>
        <extracomment>sentences</extracomment>
        <translation>文件过大</translation>
    </message>
    <message>
        <source>too many open files</source>
        <extracomment>sentences</extracomment>
        <translation>打开的文件过多</translation>
    </message>
    <message>
        <source>connection timed out</source>
        <extracomment>sentences</extracomment>
        <translation>连接超时</translation>
    </message>
    <message>
        <source>too many levels of symbolic links</source>
        <extracomment>sentences</extracomment>
        <translation>符号链接层数过多</translation>
    </message>
    <message>
        <source>cannot allocate memory</source>
        <extracomment>sentences</extracomment>
        <translation>无法分配内存</translation>
    </message>
    <message>
        <source>directory not empty</source>
        <extracomment>sentences</extracomment>
        <translation>文件夹不为空</translation>
    </message>
    <message>
        <source>file exists</source>
        <extracomment>sentences</extracomment>
        <translation>文件已存在</translation>
    </message>
    <message>
        <source>stale file handle</source>
        <extracomment>sentences</extracomment>
        <translation>文件句柄已失效</translation>
    </message>
    <message>
        <source>invalid argument</source>
        <extracomment>sentences</extracomment>
        <translation>参数无效</translation>
    </message>
    <message>
        <source>connection refused</source>
        <extracomment>sentences</extracomment>
        <translation>连接被拒绝</translation>
    </message>
    <message>
        <source>resource temporarily unavailable</source>
        <extracomment>sentences</extracomment>
        <translation>资源暂时不可用</translation>
    </message>
    <message>
        <source>internal server error</source>
        <extracomment>sentences</extracomment>
        <translation>服务器内部错误</translation>
    </message>
    <message>
        <source>access denied</source>
        <extracomment>sentences</extracomment>
        <translation>拒绝访问</translation>
    </message>
    <message>
        <source>the specified bucket does not exist</source>
        <extracomment>sentences</extracomment>
        <translation>指定的存储桶不存在</translation>
    </message>
    <message>
        <source>expecting value</source>
        <extracomment>sentences</extracomment>
        <translation>缺少值</translation>
    </message>
    <message>
        <source>extra data</source>
        <extracomment>sentences</extracomment>
        <translation>有多余数据</translation>
    </message>
    <message>
        <source>expecting property name enclosed in double quotes</source>
        <extracomment>sentences</extracomment>
        <translation>缺少双引号中的属性名</translation>
    </message>
    <message>
        <source>expecting &apos;,&apos; delimiter</source>
        <extracomment>sentences</extracomment>
        <translation>缺少分隔符 &apos;,&apos;</translation>
    </message>
    <message>
        <source>expecting &apos;:&apos; delimiter</source>
        <extracomment>sentences</extracomment>
        <translation>缺少分隔符 &apos;:&apos;</translation>
    </message>
    <message>
        <source>unterminated string starting</source>
        <extracomment>sentences</extracomment>
        <translation>字符串未结束，始于</translation>
    </message>
    <message>
        <source>invalid control character</source>
        <extracomment>sentences</extracomment>
        <translation>有无效的控制字符</translation>
    </message>
    <message>
        <source>invalid \uxxxx escape</source>
        <extracomment>sentences</extracomment>
        <translation>\uxxxx 转义无效</translation>
    </message>
    <message>
        <source>Opened</source>
        <extracomment>steps</extracomment>
        <translation>已打开</translation>
    </message>
    <message>
        <source>{step}, {step2}</source>
        <extracomment>steps</extracomment>
        <translation>{step}，{step2}</translation>
    </message>
    <message>
        <source>{step}; {step2}</source>
        <extracomment>steps</extracomment>
        <translation>{step}；{step2}</translation>
    </message>
    <message>
        <source>{label}: {value}</source>
        <extracomment>steps</extracomment>
        <translation>{label}：{value}</translation>
    </message>
    <message>
        <source>{step} on {place}</source>
        <extracomment>steps</extracomment>
        <translation>{step}，作用于 {place}</translation>
    </message>
    <message>
        <source>on {place}</source>
        <extracomment>steps</extracomment>
        <translation>作用于 {place}</translation>
    </message>
    <message>
        <source>{n} tensors of {part}</source>
        <extracomment>steps</extracomment>
        <translation>{part} 的 {n} 个张量</translation>
    </message>
    <message>
        <source>{name} and {n} more</source>
        <extracomment>steps</extracomment>
        <translation>{name} 以及另外 {n} 个</translation>
    </message>
    <message>
        <source>and {n} more</source>
        <extracomment>steps</extracomment>
        <translation>以及另外 {n} 个</translation>
    </message>
    <message>
        <source>{step} on {n} tensors by {n2} rules</source>
        <extracomment>steps</extracomment>
        <translation>{step}，按 {n2} 条规则作用于 {n} 个张量</translation>
    </message>
    <message>
        <source>{step} on {n} tensor by {n2} rules</source>
        <extracomment>steps</extracomment>
        <translation>{step}，按 {n2} 条规则作用于 {n} 个张量</translation>
    </message>
    <message>
        <source>on {n} tensors</source>
        <extracomment>steps</extracomment>
        <translation>作用于 {n} 个张量</translation>
    </message>
    <message>
        <source>{step} {n} weight</source>
        <extracomment>steps</extracomment>
        <translation>{step} {n} 个权重</translation>
    </message>
    <message>
        <source>{step} {n} weights</source>
        <extracomment>steps</extracomment>
        <translation>{step} {n} 个权重</translation>
    </message>
    <message>
        <source>{step} {n} channel</source>
        <extracomment>steps</extracomment>
        <translation>{step} {n} 个通道</translation>
    </message>
    <message>
        <source>{step} {n} channels</source>
        <extracomment>steps</extracomment>
        <translation>{step} {n} 个通道</translation>
    </message>
    <message>
        <source>{step} {n} block</source>
        <extracomment>steps</extracomment>
        <translation>{step} {n} 个块</translation>
    </message>
    <message>
        <source>{step} {n} blocks</source>
        <extracomment>steps</extracomment>
        <translation>{step} {n} 个块</translation>
    </message>
    <message>
        <source>with bias and norm</source>
        <extracomment>steps</extracomment>
        <translation>连同偏置和归一化</translation>
    </message>
    <message>
        <source>with bias</source>
        <extracomment>steps</extracomment>
        <translation>连同偏置</translation>
    </message>
    <message>
        <source>with norm</source>
        <extracomment>steps</extracomment>
        <translation>连同归一化</translation>
    </message>
    <message>
        <source>allocated by a scan</source>
        <extracomment>steps</extracomment>
        <translation>按扫描结果分配</translation>
    </message>
    <message>
        <source>total {n}</source>
        <extracomment>steps</extracomment>
        <translation>总量 {n}</translation>
    </message>
    <message>
        <source>total sparsity {share}</source>
        <extracomment>steps</extracomment>
        <translation>总稀疏度 {share}</translation>
    </message>
    <message>
        <source>min {share} per tensor</source>
        <extracomment>steps</extracomment>
        <translation>每个张量至少 {share}</translation>
    </message>
    <message>
        <source>max {share} per tensor</source>
        <extracomment>steps</extracomment>
        <translation>每个张量至多 {share}</translation>
    </message>
    <message>
        <source>excluding {words}</source>
        <extracomment>steps</extracomment>
        <translation>排除{words}</translation>
    </message>
    <message>
        <source>embeddings</source>
        <extracomment>steps</extracomment>
        <translation>嵌入</translation>
    </message>
    <message>
        <source>the first layer</source>
        <extracomment>steps</extracomment>
        <translation>第一层</translation>
    </message>
    <message>
        <source>the last layer</source>
        <extracomment>steps</extracomment>
        <translation>最后一层</translation>
    </message>
    <message>
        <source>{word} and {word2}</source>
        <extracomment>steps</extracomment>
        <translation>{word}和{word2}</translation>
    </message>
    <message>
        <source>Rule {n}: {step}</source>
        <extracomment>steps</extracomment>
        <translation>规则 {n}：{step}</translation>
    </message>
    <message>
        <source>Pattern: {pattern}</source>
        <extracomment>steps</extracomment>
        <translation>模式：{pattern}</translation>
    </message>
    <message>
        <source>Scope: global</source>
        <extracomment>steps</extracomment>
        <translation>范围：全局</translation>
    </message>
    <message>
        <source>Scope: per tensor</source>
        <extracomment>steps</extracomment>
        <translation>范围：逐张量</translation>
    </message>
    <message>
        <source>Scope: per group</source>
        <extracomment>steps</extracomment>
        <translation>范围：逐组</translation>
    </message>
    <message>
        <source>Limits: {limits}</source>
        <extracomment>steps</extracomment>
        <translation>限制：{limits}</translation>
    </message>
    <message>
        <source>Matching bias and norm entries: pruned</source>
        <extracomment>steps</extracomment>
        <translation>对应的偏置和归一化条目：已剪枝</translation>
    </message>
    <message>
        <source>Recipe version 1: rules are applied in order, on top of each other</source>
        <extracomment>steps</extracomment>
        <translation>配方版本 1：规则按顺序依次叠加应用</translation>
    </message>
    <message>
        <source>Recipe version 1: first and last layer by the order of the file</source>
        <extracomment>steps</extracomment>
        <translation>配方版本 1：第一层和最后一层按文件顺序确定</translation>
    </message>
    <message>
        <source>L1 per row {much}</source>
        <extracomment>steps</extracomment>
        <translation>逐行 L1 {much}</translation>
    </message>
    <message>
        <source>Normalized L1 {much}</source>
        <extracomment>steps</extracomment>
        <translation>归一化 L1 {much}</translation>
    </message>
    <message>
        <source>Relative importance {much}</source>
        <extracomment>steps</extracomment>
        <translation>相对重要性 {much}</translation>
    </message>
    <message>
        <source>Swaps {much}</source>
        <extracomment>steps</extracomment>
        <translation>交换 {much}</translation>
    </message>
    <message>
        <source>Random {much}</source>
        <extracomment>steps</extracomment>
        <translation>随机 {much}</translation>
    </message>
    <message>
        <source>BatchNorm scale {much}</source>
        <extracomment>steps</extracomment>
        <translation>BatchNorm 缩放 {much}</translation>
    </message>
    <message>
        <source>Wanda N:M {much}</source>
        <extracomment>steps</extracomment>
        <translation>Wanda N:M {much}</translation>
    </message>
    <message>
        <source>Swaps N:M {much}</source>
        <extracomment>steps</extracomment>
        <translation>交换 N:M {much}</translation>
    </message>
    <message>
        <source>Blocks {much}</source>
        <extracomment>steps</extracomment>
        <translation>块 {much}</translation>
    </message>
    <message>
        <source>FFN neurons {much}</source>
        <extracomment>steps</extracomment>
        <translation>FFN 神经元 {much}</translation>
    </message>
    <message>
        <source>Attention heads {much}</source>
        <extracomment>steps</extracomment>
        <translation>注意力头 {much}</translation>
    </message>
    <message>
        <source>Layers {much}</source>
        <extracomment>steps</extracomment>
        <translation>层 {much}</translation>
    </message>
    <message>
        <source>Channel groups {much}</source>
        <extracomment>steps</extracomment>
        <translation>通道组 {much}</translation>
    </message>
    <message>
        <source>Custom mask from file</source>
        <extracomment>steps</extracomment>
        <translation>来自文件的自定义掩码</translation>
    </message>
    <message>
        <source>Identity</source>
        <extracomment>steps</extracomment>
        <translation>恒等</translation>
    </message>
    <message>
        <source>Frobenius {much}</source>
        <extracomment>steps</extracomment>
        <translation>Frobenius {much}</translation>
    </message>
    <message>
        <source>Nuclear norm {much}</source>
        <extracomment>steps</extracomment>
        <translation>核范数 {much}</translation>
    </message>
    <message>
        <source>N:M semi-structured</source>
        <extracomment>steps</extracomment>
        <translation>N:M 半结构化</translation>
    </message>
    <message>
        <source>L1 per row</source>
        <extracomment>steps</extracomment>
        <translation>逐行 L1</translation>
    </message>
    <message>
        <source>Normalized L1</source>
        <extracomment>steps</extracomment>
        <translation>归一化 L1</translation>
    </message>
    <message>
        <source>Swaps</source>
        <extracomment>steps</extracomment>
        <translation>交换</translation>
    </message>
    <message>
        <source>Relative importance</source>
        <extracomment>steps</extracomment>
        <translation>相对重要性</translation>
    </message>
    <message>
        <source>Random</source>
        <extracomment>steps</extracomment>
        <translation>随机</translation>
    </message>
    <message>
        <source>BatchNorm scale</source>
        <extracomment>steps</extracomment>
        <translation>BatchNorm 缩放</translation>
    </message>
    <message>
        <source>Blocks</source>
        <extracomment>steps</extracomment>
        <translation>块</translation>
    </message>
    <message>
        <source>FFN neurons</source>
        <extracomment>steps</extracomment>
        <translation>FFN 神经元</translation>
    </message>
    <message>
        <source>Layers</source>
        <extracomment>steps</extracomment>
        <translation>层</translation>
    </message>
    <message>
        <source>Attention heads</source>
        <extracomment>steps</extracomment>
        <translation>注意力头</translation>
    </message>
    <message>
        <source>Channel groups</source>
        <extracomment>steps</extracomment>
        <translation>通道组</translation>
    </message>
    <message>
        <source>Frobenius</source>
        <extracomment>steps</extracomment>
        <translation>Frobenius</translation>
    </message>
    <message>
        <source>Nuclear norm</source>
        <extracomment>steps</extracomment>
        <translation>核范数</translation>
    </message>
    <message>
        <source>divide by {value}</source>
        <extracomment>steps</extracomment>
        <translation>除以 {value}</translation>
    </message>
    <message>
        <source>exchanges {value}</source>
        <extracomment>steps</extracomment>
        <translation>交换次数 {value}</translation>
    </message>
    <message>
        <source>outlier threshold {value}</source>
        <extracomment>steps</extracomment>
        <translation>离群值阈值 {value}</translation>
    </message>
    <message>
        <source>spread {value}</source>
        <extracomment>steps</extracomment>
        <translation>跨度 {value}</translation>
    </message>
    <message>
        <source>variant {value}</source>
        <extracomment>steps</extracomment>
        <translation>变体 {value}</translation>
    </message>
    <message>
        <source>measure {value}</source>
        <extracomment>steps</extracomment>
        <translation>度量 {value}</translation>
    </message>
    <message>
        <source>rank by {value}</source>
        <extracomment>steps</extracomment>
        <translation>排序依据 {value}</translation>
    </message>
    <message>
        <source>multiple {value}</source>
        <extracomment>steps</extracomment>
        <translation>倍数 {value}</translation>
    </message>
    <message>
        <source>{what} of {place} pruned</source>
        <extracomment>steps</extracomment>
        <translation>{place} 的 {what}已剪枝</translation>
    </message>
    <message>
        <source>{what} of {place} restored</source>
        <extracomment>steps</extracomment>
        <translation>{place} 的 {what}已恢复</translation>
    </message>
    <message>
        <source>{what} of {place} protected</source>
        <extracomment>steps</extracomment>
        <translation>{place} 的 {what}已保护</translation>
    </message>
    <message>
        <source>{what} of {place} no longer protected</source>
        <extracomment>steps</extracomment>
        <translation>{place} 的 {what}不再受保护</translation>
    </message>
    <message>
        <source>{what} of {place} pruned in {n} tensors</source>
        <extracomment>steps</extracomment>
        <translation>{place} 的 {what}已在 {n} 个张量中剪枝</translation>
    </message>
    <message>
        <source>{what} of {place} restored in {n} tensors</source>
        <extracomment>steps</extracomment>
        <translation>{place} 的 {what}已在 {n} 个张量中恢复</translation>
    </message>
    <message>
        <source>{what} of {place} protected in {n} tensors</source>
        <extracomment>steps</extracomment>
        <translation>{place} 的 {what}已在 {n} 个张量中保护</translation>
    </message>
    <message>
        <source>{what} of {place} no longer protected in {n} tensors</source>
        <extracomment>steps</extracomment>
        <translation>{place} 的 {what}在 {n} 个张量中不再受保护</translation>
    </message>
    <message>
        <source>{n} channel</source>
        <extracomment>sentences
----------
steps</extracomment>
        <translation>{n} 个通道</translation>
    </message>
    <message>
        <source>{n} channels</source>
        <extracomment>sentences
----------
steps</extracomment>
        <translation>{n} 个通道</translation>
    </message>
    <message>
        <source>the container cannot be kept because {quoted_names} would be pruned</source>
        <extracomment>sentences</extracomment>
        <translation>无法保留容器，因为 {quoted_names} 会被剪枝</translation>
    </message>
    <message>
        <source>as long as you do not prune {quoted_names}</source>
        <extracomment>sentences</extracomment>
        <translation>，只要您不剪枝 {quoted_names}</translation>
    </message>
    <message>
        <source>{quoted_names} {were} not read, and {were2} written unchanged.</source>
        <extracomment>sentences</extracomment>
        <translation>{quoted_names} 没有读取，按文件中的原样写入。</translation>
    </message>
    <message>
        <source>Changed as well: &apos;{show}&apos;, which shares the numbers of {shown}.</source>
        <extracomment>sentences</extracomment>
        <translation>同样已更改：&apos;{show}&apos;，它与 {shown} 共享数值。</translation>
    </message>
    <message>
        <source>&apos;{show}&apos;, a {what}, was written as the plain tensors that it is made of: {quoted_names}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos;（{what}）写为组成它的普通张量：{quoted_names}。</translation>
    </message>
    <message>
        <source>The same applies to {others} with such properties.</source>
        <extracomment>sentences</extracomment>
        <translation>另有 {others} 同样处理。</translation>
    </message>
    <message>
        <source>Not included: {no_tensors}.</source>
        <extracomment>sentences</extracomment>
        <translation>不包含：{no_tensors}。</translation>
    </message>
    <message>
        <source>Not included: {outside}.</source>
        <extracomment>sentences</extracomment>
        <translation>不包含：{outside}。</translation>
    </message>
    <message>
        <source>Not included: the TorchScript program. This format stores tensors only.</source>
        <extracomment>sentences</extracomment>
        <translation>不包含：TorchScript 程序。此格式仅存储张量。</translation>
    </message>
    <message>
        <source>Not included: the graph of the program, its constants and its example inputs. This format stores tensors only.</source>
        <extracomment>sentences</extracomment>
        <translation>不包含：程序的计算图、常量和示例输入。此格式仅存储张量。</translation>
    </message>
    <message>
        <source>Not included: the ONNX graph. This format stores tensors only.</source>
        <extracomment>sentences</extracomment>
        <translation>不包含：ONNX 计算图。此格式仅存储张量。</translation>
    </message>
    <message>
        <source>Not included: objects and code of the file ({quoted_names}).</source>
        <extracomment>sentences</extracomment>
        <translation>不包含：文件中的对象和代码（{quoted_names}）。</translation>
    </message>
    <message>
        <source>Not included: the metadata of the file ({quoted_names}).</source>
        <extracomment>sentences</extracomment>
        <translation>不包含：文件的元数据（{quoted_names}）。</translation>
    </message>
    <message>
        <source>not a tensor</source>
        <extracomment>sentences</extracomment>
        <translation>不是张量</translation>
    </message>
    <message>
        <source>not tensors</source>
        <extracomment>sentences</extracomment>
        <translation>不是张量</translation>
    </message>
    <message>
        <source>the state dict</source>
        <extracomment>sentences</extracomment>
        <translation>状态字典</translation>
    </message>
    <message>
        <source>{quoted_names} (outside {where})</source>
        <extracomment>sentences</extracomment>
        <translation>{quoted_names}（在 {where} 之外）</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is not changed. It declares the dtype {old}, and transformers will load the weights with this dtype unless you replace it with {dtype}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; 没有更改。其中称权重为 {old}，transformers 会按此加载，除非您将其改为 {dtype}。</translation>
    </message>
    <message>
        <source>&apos;{CONFIG}&apos; declares the dtype {old}, and from_pretrained would convert the weights to it. Load them with dtype=&apos;{dtype}&apos;, or write {dtype2} into the copy of &apos;{CONFIG2}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{CONFIG}&apos; 称权重为 {old}，from_pretrained 会转换它们。请以 dtype=&apos;{dtype}&apos; 加载，或在 &apos;{CONFIG2}&apos; 的副本中写入 {dtype2}。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; contains &apos;{label}&apos;; such files are usually named {usual}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 含有“{label}”；这类文件通常名为 {usual}。</translation>
    </message>
    <message>
        <source>from_pretrained looks for &apos;{WEIGHTS}&apos; next to &apos;{CONFIG}&apos;: open the folder &apos;{parent}&apos; instead of the file, and export that, to have both.</source>
        <extracomment>sentences</extracomment>
        <translation>from_pretrained 会在 &apos;{CONFIG}&apos; 旁边查找 &apos;{WEIGHTS}&apos;：请打开文件夹 &apos;{parent}&apos; 而不是文件并导出它，以便两者齐备。</translation>
    </message>
    <message>
        <source>from_pretrained looks for &apos;{WEIGHTS}&apos;, with &apos;{CONFIG}&apos; and the files of the tokenizer next to it; one file alone does not load there. Specify a folder, such as &apos;{without}&apos;, to have them written, too.</source>
        <extracomment>sentences</extracomment>
        <translation>from_pretrained 会查找 &apos;{WEIGHTS}&apos;，旁边要有 &apos;{CONFIG}&apos; 和分词器的文件；单个文件无法在那里加载。请指定一个文件夹，例如 &apos;{without}&apos;，以便一并写入。</translation>
    </message>
    <message>
        <source>from_pretrained also needs &apos;{CONFIG}&apos; and the files of the tokenizer, which are in &apos;{home}&apos;. Put them next to the unpacked file, and name that file &apos;{WEIGHTS}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>from_pretrained 还需要 &apos;{CONFIG}&apos; 和分词器的文件：它们位于 &apos;{home}&apos;。请将它们放在解包后的文件旁边，并将该文件命名为 &apos;{WEIGHTS}&apos;。</translation>
    </message>
    <message>
        <source>it contains a control character</source>
        <extracomment>sentences</extracomment>
        <translation>它含有控制字符</translation>
    </message>
    <message>
        <source>{len} files of the original are kept next to the new ones, as {names}.</source>
        <extracomment>sentences</extracomment>
        <translation>原模型的 {len} 个文件保留在新文件旁边，名为 {names}。</translation>
    </message>
    <message>
        <source>The others are written dense ({reasons}).</source>
        <extracomment>sentences</extracomment>
        <translation>其余保持稠密（{reasons}）。</translation>
    </message>
    <message>
        <source>The numbers are in &apos;{data_file}&apos; next to the file: a model of more than {MOST_BYTES} bytes cannot be one file.</source>
        <extracomment>sentences</extracomment>
        <translation>数值位于文件旁的 &apos;{data_file}&apos; 中：超过 {MOST_BYTES} 字节的模型不能是单个文件。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has new values, but is not stored contiguously in the file</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 有新值，且在其中不是连续存放的</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is stored compressed or sparse in the file</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 在其中以压缩或稀疏形式存放</translation>
    </message>
    <message>
        <source>elements of &apos;{name}&apos; share memory in the file</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 的元素在其中共用位置</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is a numpy array that cannot be changed in place</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 是无法原位更改的 numpy 数组</translation>
    </message>
    <message>
        <source>the source is not a torch file</source>
        <extracomment>sentences</extracomment>
        <translation>来源不是 torch 文件</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is packed ({label}) and is not changed.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 是打包的（{label}），因此保持完整。</translation>
    </message>
    <message>
        <source>{CONFIG} sets {depths} = {count}, but &apos;{stack}&apos; has {len}.</source>
        <extracomment>sentences</extracomment>
        <translation>{CONFIG} 称 {depths} = {count}，而 &apos;{stack}&apos; 有 {len} 个。</translation>
    </message>
    <message>
        <source>The vocabulary cannot be reduced: the model refers to tokens of images by their ID.</source>
        <extracomment>sentences</extracomment>
        <translation>图像通过 ID 引用词表中的词元，因此词表在此保持完整。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has a dimension of {size}, like the group, but it is unknown whether it belongs to the group. Nothing is removed here.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 有一个大小为 {size} 的维度，与该组相同，但无法确定它是否属于该组，因此这里不裁去任何内容。</translation>
    </message>
    <message>
        <source>&apos;{missing}&apos; is missing next to &apos;{name}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 旁缺少 &apos;{missing}&apos;。</translation>
    </message>
    <message>
        <source>{size} elements are outside of the packed range</source>
        <extracomment>sentences</extracomment>
        <translation>有 {size} 个元素不在与它一起打包的元素之内</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; does not exist.</source>
        <extracomment>sentences</extracomment>
        <translation>缺少 &apos;{name}&apos;。</translation>
    </message>
    <message>
        <source>{what} missing: the masks were not on the disk yet, and {why}. The unsaved changes are kept and offered again at the next start.</source>
        <extracomment>sentences</extracomment>
        <translation>{what}缺失：掩码尚未写入磁盘，原因：{why}。未保存的工作已保留，下次启动时会再次提供。</translation>
    </message>
    <message>
        <source>The repair in {name} was not restored, because it was computed from other weights.</source>
        <extracomment>sentences</extracomment>
        <translation>{name} 中的修复由其他权重计算而来，因此已略过。</translation>
    </message>
    <message>
        <source>{said} On random inputs, the shrunk model and the unpruned model differ in {percent} of the {what}, and their outputs by up to {percent2} of the largest output.</source>
        <extracomment>sentences</extracomment>
        <translation>{said} 在随机输入上，缩减后的模型与未剪枝模型有 {percent} 的{what}不同，输出最多相差最大输出的 {percent2}。</translation>
    </message>
    <message>
        <source>Do not use it: the shrunk model does not match the pruned model.</source>
        <extracomment>sentences</extracomment>
        <translation>请勿使用：裁去的内容与置零的内容不符。</translation>
    </message>
    <message>
        <source>&apos;{instead}&apos; sets the type of each layer. transformers before version 5 uses &apos;{name}&apos; instead and would compute different outputs.</source>
        <extracomment>sentences</extracomment>
        <translation>各层的种类由 &apos;{instead}&apos; 指定：5 之前的 transformers 版本依据 &apos;{name}&apos;，会计算出不同的结果。</translation>
    </message>
    <message>
        <source>ONNX Runtime and any runtime that runs the original</source>
        <extracomment>sentences</extracomment>
        <translation>ONNX Runtime 以及能运行原始模型的任何运行时</translation>
    </message>
    <message>
        <source>torch, with torch.export.load, and any runtime that runs the original</source>
        <extracomment>sentences</extracomment>
        <translation>torch（torch.export.load）以及能运行原始程序的任何运行时</translation>
    </message>
    <message>
        <source>transformers 5, with its standard class for &apos;{written}&apos; (from_pretrained)</source>
        <extracomment>sentences</extracomment>
        <translation>transformers 5，使用 &apos;{written}&apos; 的标准类（from_pretrained）</translation>
    </message>
    <message>
        <source>other programs that read the head size (&apos;head_dim&apos;) from config.json</source>
        <extracomment>sentences</extracomment>
        <translation>从 config.json 读取头的大小（&apos;head_dim&apos;）的其他程序</translation>
    </message>
    <message>
        <source>{counted} of &apos;{place}&apos; are kept: they output a constant that no bias can absorb.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{place}&apos; 的 {counted} 会输出没有偏置可吸收的常数，因此保留。</translation>
    </message>
    <message>
        <source>{counted} of &apos;{stem}&apos; have only zero weights but are kept: a bias or a norm turns them into constants. Prune them together with their dependent tensors.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{stem}&apos; 的 {counted} 权重为 0 但保留：偏置或归一化使其成为常数。请连同依赖它们的一切一起剪枝。</translation>
    </message>
    <message>
        <source>config.json sets {timm} = {value}, which timm reads.</source>
        <extracomment>sentences</extracomment>
        <translation>config.json 写有 {timm} = {value}：timm 会读取它。</translation>
    </message>
    <message>
        <source>{LOADER}, written next to the weights, resizes your model and loads them.</source>
        <extracomment>sentences</extracomment>
        <translation>权重旁边的 {LOADER} 会调整模型的大小并加载权重。</translation>
    </message>
    <message>
        <source>a unit of &apos;{place}&apos; was removed that is not dead</source>
        <extracomment>sentences</extracomment>
        <translation>裁去了 &apos;{place}&apos; 的一个并未失效的单元</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is not restored to its original values</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; 无法原样恢复</translation>
    </message>
    <message>
        <source>{label}: {cut} of {count} ({percent}) are cut instead of {asked} ({percent2}): the rest is rounded up to a multiple of {multiple_words}.</source>
        <extracomment>sentences</extracomment>
        <translation>{label}：裁剪 {count} 个中的 {cut} 个（{percent}），而不是 {asked} 个（{percent2}）：其余部分向上取整为 {multiple_words} 的倍数。</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is not written: it contains the vocabulary in a form that cannot be reduced. {TOKENIZER} contains everything that is needed.</source>
        <extracomment>sentences</extracomment>
        <translation>略过 &apos;{name}&apos;：其中的词表形式无法裁减；{TOKENIZER} 已包含所需的全部内容。</translation>
    </message>
    <message>
        <source>One mask contains values other than 0 and 1: these tensors are opened as not pruned.</source>
        <extracomment>sentences</extracomment>
        <translation>有一个掩码含有 0 和 1 以外的值：该张量按未剪枝打开。</translation>
    </message>
    <message>
        <source>The masks of {n} tensors contain values other than 0 and 1: these tensors are opened as not pruned.</source>
        <extracomment>sentences</extracomment>
        <translation>{n} 个张量的掩码含有 0 和 1 以外的值：这些张量按未剪枝打开。</translation>
    </message>
    <message>
        <source>block {n} of {n2} ({name})</source>
        <extracomment>sentences</extracomment>
        <translation>第 {n}/{n2} 块（{name}）</translation>
    </message>
    <message>
        <source>block {n} of {n2} ({name}), step {n3} of {n4}</source>
        <extracomment>sentences</extracomment>
        <translation>第 {n}/{n2} 块（{name}），第 {n3}/{n4} 步</translation>
    </message>
    <message>
        <source>{n} samples were not used, because the inputs exceed the limit for memory and disk.</source>
        <extracomment>sentences</extracomment>
        <translation>有 {n} 个样本被省略，因为输入超出内存和磁盘的预算。</translation>
    </message>
    <message>
        <source>Unpack it with `pruneapp expand {packed} -o {out}`, or with any program for zstd (7-Zip, `zstd -d`), then open the unpacked file.</source>
        <extracomment>sentences</extracomment>
        <translation>请用 `pruneapp expand {packed} -o {out}` 或任何支持 zstd 的程序（7-Zip、`zstd -d`）解压，再打开解压出的文件。</translation>
    </message>
    <message>
        <source>The export is complete, but a file next to it could not be written: {error}</source>
        <extracomment>sentences</extracomment>
        <translation>导出已完成，但旁边的一个文件无法写入：{error}</translation>
    </message>
    <message>
        <source>system error: {error}</source>
        <extracomment>sentences</extracomment>
        <translation>系统报告：{error}</translation>
    </message>
    <message>
        <source>the scratch file of the history is truncated</source>
        <extracomment>sentences</extracomment>
        <translation>历史的临时文件不完整</translation>
    </message>
    <message>
        <source>Heads cannot be removed: {type} derives the head size from {words}.</source>
        <extracomment>sentences</extracomment>
        <translation>无法移除注意力头：{type} 由 {words} 得出头的大小。</translation>
    </message>
    <message>
        <source>Heads cannot be removed: {type} has a single key/value head and derives the head size from {words}.</source>
        <extracomment>sentences</extracomment>
        <translation>无法移除注意力头：{type} 只有一个键/值头，并由 {words} 得出头的大小。</translation>
    </message>
    <message>
        <source>Heads cannot be removed: {type} normalizes over all heads together, so the mean would change.</source>
        <extracomment>sentences</extracomment>
        <translation>无法移除注意力头：{type} 对所有头一起做归一化，均值会改变。</translation>
    </message>
    <message>
        <source>Heads cannot be removed: {type} pairs its heads, so a model with fewer heads would load but compute wrong results.</source>
        <extracomment>sentences</extracomment>
        <translation>无法移除注意力头：{type} 将头成对使用，头更少的模型虽能加载，但结果错误。</translation>
    </message>
    <message>
        <source>Layers cannot be removed: {type} computes with the index of each layer, so a model with fewer layers would load but compute wrong results.</source>
        <extracomment>sentences</extracomment>
        <translation>无法移除层：{type} 的计算用到每层的序号，层更少的模型虽能加载，但结果错误。</translation>
    </message>
    <message>
        <source>Layers cannot be removed: {type} has one layer, which it runs several times.</source>
        <extracomment>sentences</extracomment>
        <translation>无法移除层：{type} 只有一层，会重复运行多次。</translation>
    </message>
    <message>
        <source>Layers cannot be removed: the stages of {type} have different widths.</source>
        <extracomment>sentences</extracomment>
        <translation>无法移除层：{type} 的各阶段宽度不同。</translation>
    </message>
    <message>
        <source>FFN neurons cannot be removed: the code of {type} sets the width to {words}.</source>
        <extracomment>sentences</extracomment>
        <translation>无法移除 FFN 神经元：{type} 的代码将宽度固定为 {words}。</translation>
    </message>
    <message>
        <source>FFN neurons cannot be removed: the code of {type} sets the width to {words} and does not read {name}.</source>
        <extracomment>sentences</extracomment>
        <translation>无法移除 FFN 神经元：{type} 的代码将宽度固定为 {words}，不读取 {name}。</translation>
    </message>
    <message>
        <source>with dependent tensors</source>
        <extracomment>steps</extracomment>
        <translation>包括依赖的张量</translation>
    </message>
    <message>
        <source>Dependent tensors: pruned</source>
        <extracomment>steps</extracomment>
        <translation>依赖的张量：剪枝</translation>
    </message>
    <message>
        <source>{n} column</source>
        <extracomment>steps</extracomment>
        <translation>{n} 列</translation>
    </message>
    <message>
        <source>{n} columns</source>
        <extracomment>steps</extracomment>
        <translation>{n} 列</translation>
    </message>
    <message>
        <source>channel {n}</source>
        <extracomment>steps</extracomment>
        <translation>{n} 号通道</translation>
    </message>
    <message>
        <source>row {n}</source>
        <extracomment>steps</extracomment>
        <translation>{n} 号行</translation>
    </message>
    <message>
        <source>column {n}</source>
        <extracomment>steps</extracomment>
        <translation>{n} 号列</translation>
    </message>
    <message>
        <source>channel {n} along dim {n2}</source>
        <extracomment>steps</extracomment>
        <translation>{n} 号通道（维度 {n2}）</translation>
    </message>
    <message>
        <source>{n} channels along dim {n2}</source>
        <extracomment>steps</extracomment>
        <translation>{n} 个通道（维度 {n2}）</translation>
    </message>
    <message>
        <source>still 0</source>
        <extracomment>steps</extracomment>
        <translation>仍为 0</translation>
    </message>
    <message>
        <source>{n} neuron</source>
        <extracomment>steps</extracomment>
        <translation>{n} 个神经元</translation>
    </message>
    <message>
        <source>{n} neurons</source>
        <extracomment>steps</extracomment>
        <translation>{n} 个神经元</translation>
    </message>
    <message>
        <source>{n} query head</source>
        <extracomment>steps</extracomment>
        <translation>{n} 个查询头</translation>
    </message>
    <message>
        <source>{n} query heads</source>
        <extracomment>steps</extracomment>
        <translation>{n} 个查询头</translation>
    </message>
    <message>
        <source>{n} key/value head</source>
        <extracomment>steps</extracomment>
        <translation>{n} 个键/值头</translation>
    </message>
    <message>
        <source>{n} key/value heads</source>
        <extracomment>steps</extracomment>
        <translation>{n} 个键/值头</translation>
    </message>
    <message>
        <source>{n} attention head</source>
        <extracomment>steps</extracomment>
        <translation>{n} 个注意力头</translation>
    </message>
    <message>
        <source>{n} attention heads</source>
        <extracomment>steps</extracomment>
        <translation>{n} 个注意力头</translation>
    </message>
    <message>
        <source>{n} expert</source>
        <extracomment>steps</extracomment>
        <translation>{n} 个专家</translation>
    </message>
    <message>
        <source>{n} experts</source>
        <extracomment>steps</extracomment>
        <translation>{n} 个专家</translation>
    </message>
    <message>
        <source>{n} FFN neuron</source>
        <extracomment>steps</extracomment>
        <translation>{n} 个 FFN 神经元</translation>
    </message>
    <message>
        <source>{n} FFN neurons</source>
        <extracomment>steps</extracomment>
        <translation>{n} 个 FFN 神经元</translation>
    </message>
    <message>
        <source>{n} weight pruned</source>
        <extracomment>steps</extracomment>
        <translation>{n} 个权重已剪枝</translation>
    </message>
    <message>
        <source>{n} weights pruned</source>
        <extracomment>steps</extracomment>
        <translation>{n} 个权重已剪枝</translation>
    </message>
    <message>
        <source>{n} weight restored</source>
        <extracomment>steps</extracomment>
        <translation>{n} 个权重已恢复</translation>
    </message>
    <message>
        <source>{n} weights restored</source>
        <extracomment>steps</extracomment>
        <translation>{n} 个权重已恢复</translation>
    </message>
    <message>
        <source>{n} weight protected</source>
        <extracomment>steps</extracomment>
        <translation>{n} 个权重已保护</translation>
    </message>
    <message>
        <source>{n} weights protected</source>
        <extracomment>steps</extracomment>
        <translation>{n} 个权重已保护</translation>
    </message>
    <message>
        <source>{n} weight no longer protected</source>
        <extracomment>steps</extracomment>
        <translation>{n} 个权重不再受保护</translation>
    </message>
    <message>
        <source>{n} weights no longer protected</source>
        <extracomment>steps</extracomment>
        <translation>{n} 个权重不再受保护</translation>
    </message>
    <message>
        <source>{n} protected weight left unchanged</source>
        <extracomment>steps</extracomment>
        <translation>{n} 个受保护的权重保持不变</translation>
    </message>
    <message>
        <source>{n} protected weights left unchanged</source>
        <extracomment>steps</extracomment>
        <translation>{n} 个受保护的权重保持不变</translation>
    </message>
    <message>
        <source>{n} of them still 0: made permanent earlier, which only undo reverts</source>
        <extracomment>steps</extracomment>
        <translation>其中 {n} 个仍为 0：先前已永久化，只能通过撤销还原</translation>
    </message>
    <message>
        <source>all of them still 0: made permanent earlier, which only undo reverts</source>
        <extracomment>steps</extracomment>
        <translation>它们全部仍为 0：先前已永久化，只能通过撤销还原</translation>
    </message>
    <message>
        <source>Zeros of the file treated as pruned</source>
        <extracomment>steps</extracomment>
        <translation>文件中的零视为已剪枝</translation>
    </message>
    <message>
        <source>Mask found in the file</source>
        <extracomment>steps</extracomment>
        <translation>在文件中找到掩码</translation>
    </message>
    <message>
        <source>Made permanent</source>
        <extracomment>steps</extracomment>
        <translation>已永久化</translation>
    </message>
    <message>
        <source>{n} zero in {n2} tensor</source>
        <extracomment>steps</extracomment>
        <translation>{n2} 个张量中的 {n} 个零</translation>
    </message>
    <message>
        <source>{n} zeros in {n2} tensor</source>
        <extracomment>steps</extracomment>
        <translation>{n2} 个张量中的 {n} 个零</translation>
    </message>
    <message>
        <source>{n} zeros in {n2} tensors</source>
        <extracomment>steps</extracomment>
        <translation>{n2} 个张量中的 {n} 个零</translation>
    </message>
    <message>
        <source>Made permanent: {what}</source>
        <extracomment>steps</extracomment>
        <translation>已永久化：{what}</translation>
    </message>
    <message>
        <source>{n} weight pruned in {n2} tensor</source>
        <extracomment>steps</extracomment>
        <translation>{n2} 个张量中 {n} 个权重被剪枝</translation>
    </message>
    <message>
        <source>{n} weights pruned in {n2} tensor</source>
        <extracomment>steps</extracomment>
        <translation>{n2} 个张量中 {n} 个权重被剪枝</translation>
    </message>
    <message>
        <source>{n} weights pruned in {n2} tensors</source>
        <extracomment>steps</extracomment>
        <translation>{n2} 个张量中 {n} 个权重被剪枝</translation>
    </message>
    <message>
        <source>Bias and norm of {n} pruned channel pruned</source>
        <extracomment>steps</extracomment>
        <translation>{n} 个被剪枝通道的偏置和归一化已剪枝</translation>
    </message>
    <message>
        <source>Bias and norm of {n} pruned channels pruned</source>
        <extracomment>steps</extracomment>
        <translation>{n} 个被剪枝通道的偏置和归一化已剪枝</translation>
    </message>
    <message>
        <source>Masks combined with {title} (pruned in both)</source>
        <extracomment>steps</extracomment>
        <translation>掩码与 {title} 合并（两侧都剪枝的）</translation>
    </message>
    <message>
        <source>Masks combined with {title} (pruned in either)</source>
        <extracomment>steps</extracomment>
        <translation>掩码与 {title} 合并（任一侧剪枝的）</translation>
    </message>
    <message>
        <source>Masks combined with {title} (pruned here, not there)</source>
        <extracomment>steps</extracomment>
        <translation>掩码与 {title} 合并（此处剪枝、另一侧未剪枝的）</translation>
    </message>
    <message>
        <source>Repair of {what}</source>
        <extracomment>steps</extracomment>
        <translation>修复 {what}</translation>
    </message>
    <message>
        <source>Recovery of {what}</source>
        <extracomment>steps</extracomment>
        <translation>{what} 的恢复训练</translation>
    </message>
    <message>
        <source>Training of {what}</source>
        <extracomment>steps</extracomment>
        <translation>{what} 的训练</translation>
    </message>
    <message>
        <source>recovered after each round</source>
        <extracomment>steps</extracomment>
        <translation>每轮之后恢复训练</translation>
    </message>
    <message>
        <source>trained after each round</source>
        <extracomment>steps</extracomment>
        <translation>每轮之后训练</translation>
    </message>
    <message>
        <source>measured after each round</source>
        <extracomment>steps</extracomment>
        <translation>每轮之后测量</translation>
    </message>
    <message>
        <source>Recovery: repair only</source>
        <extracomment>steps</extracomment>
        <translation>恢复训练：仅修复</translation>
    </message>
    <message>
        <source>Recovery, {steps}</source>
        <extracomment>steps</extracomment>
        <translation>恢复训练，{steps}</translation>
    </message>
    <message>
        <source>Training, {steps}</source>
        <extracomment>steps</extracomment>
        <translation>训练，{steps}</translation>
    </message>
    <message>
        <source>Sequential repair of {what}</source>
        <extracomment>steps</extracomment>
        <translation>顺序修复 {what}</translation>
    </message>
    <message>
        <source>New values in {n} tensor</source>
        <extracomment>steps</extracomment>
        <translation>{n} 个张量有新值</translation>
    </message>
    <message>
        <source>New values in {n} tensors</source>
        <extracomment>steps</extracomment>
        <translation>{n} 个张量有新值</translation>
    </message>
    <message>
        <source>{n} weight changed</source>
        <extracomment>steps</extracomment>
        <translation>{n} 个权重已调整</translation>
    </message>
    <message>
        <source>{n} weights changed</source>
        <extracomment>steps</extracomment>
        <translation>{n} 个权重已调整</translation>
    </message>
    <message>
        <source>Inputs: {name}</source>
        <extracomment>steps</extracomment>
        <translation>输入：{name}</translation>
    </message>
    <message>
        <source>Inputs: {name}, {n} sample</source>
        <extracomment>steps</extracomment>
        <translation>输入：{name}，{n} 个样本</translation>
    </message>
    <message>
        <source>Inputs: {name}, {n} samples</source>
        <extracomment>steps</extracomment>
        <translation>输入：{name}，{n} 个样本</translation>
    </message>
    <message>
        <source>Sequential repair only: the trained weights are not used</source>
        <extracomment>steps</extracomment>
        <translation>仅顺序修复：未使用训练得到的权重</translation>
    </message>
    <message>
        <source>Recovery, {n} of {n2} block</source>
        <extracomment>steps</extracomment>
        <translation>恢复训练，{n}/{n2} 个块</translation>
    </message>
    <message>
        <source>Recovery, {n} of {n2} blocks</source>
        <extracomment>steps</extracomment>
        <translation>恢复训练，{n}/{n2} 个块</translation>
    </message>
    <message>
        <source>Distillation of {n} of {n2} block, not of the whole model</source>
        <extracomment>steps</extracomment>
        <translation>蒸馏了 {n}/{n2} 个块，未蒸馏整个模型</translation>
    </message>
    <message>
        <source>Distillation of {n} of {n2} blocks, not of the whole model</source>
        <extracomment>steps</extracomment>
        <translation>蒸馏了 {n}/{n2} 个块，未蒸馏整个模型</translation>
    </message>
    <message>
        <source>Distillation in {n} step, learning rate {rate}</source>
        <extracomment>steps</extracomment>
        <translation>{n} 步蒸馏，学习率 {rate}</translation>
    </message>
    <message>
        <source>Distillation in {n} steps, learning rate {rate}</source>
        <extracomment>steps</extracomment>
        <translation>{n} 步蒸馏，学习率 {rate}</translation>
    </message>
    <message>
        <source>Distillation of the blocks, then of the whole model in {n} step, learning rate {rate}</source>
        <extracomment>steps</extracomment>
        <translation>先蒸馏各块，再对整个模型蒸馏 {n} 步，学习率 {rate}</translation>
    </message>
    <message>
        <source>Distillation of the blocks, then of the whole model in {n} steps, learning rate {rate}</source>
        <extracomment>steps</extracomment>
        <translation>先蒸馏各块，再对整个模型蒸馏 {n} 步，学习率 {rate}</translation>
    </message>
    <message>
        <source>{name}: error of the outputs {before} before, {after} after</source>
        <extracomment>steps</extracomment>
        <translation>{name}：输出误差由 {before} 变为 {after}</translation>
    </message>
    <message>
        <source>{n} of {n2} weight pruned</source>
        <extracomment>steps</extracomment>
        <translation>{n2} 个权重中的 {n} 个已剪枝</translation>
    </message>
    <message>
        <source>{n} of {n2} weights pruned</source>
        <extracomment>steps</extracomment>
        <translation>{n2} 个权重中的 {n} 个已剪枝</translation>
    </message>
    <message>
        <source>{n} block</source>
        <extracomment>sentences
----------
steps</extracomment>
        <translation>{n} 个块</translation>
    </message>
    <message>
        <source>{n} blocks</source>
        <extracomment>sentences
----------
steps</extracomment>
        <translation>{n} 个块</translation>
    </message>
    <message>
        <source>{step} on {n} tensor ({pattern})</source>
        <extracomment>steps</extracomment>
        <translation>{step}，作用于 {n} 个张量 ({pattern})</translation>
    </message>
    <message>
        <source>{step} on {n} tensors ({pattern})</source>
        <extracomment>steps</extracomment>
        <translation>{step}，作用于 {n} 个张量 ({pattern})</translation>
    </message>
    <message>
        <source>block {value}</source>
        <extracomment>steps</extracomment>
        <translation>块 {value}</translation>
    </message>
    <message>
        <source>seed {n}</source>
        <extracomment>steps</extracomment>
        <translation>种子 {n}</translation>
    </message>
    <message>
        <source>dim {n}</source>
        <extracomment>steps</extracomment>
        <translation>维度 {n}</translation>
    </message>
    <message>
        <source>{n} of {n2} remaining weight pruned</source>
        <extracomment>steps</extracomment>
        <translation>{n2} 个剩余权重中的 {n} 个已剪枝</translation>
    </message>
    <message>
        <source>{n} of {n2} remaining weights pruned</source>
        <extracomment>steps</extracomment>
        <translation>{n2} 个剩余权重中的 {n} 个已剪枝</translation>
    </message>
    <message>
        <source>▲ {sentence}</source>
        <extracomment>steps</extracomment>
        <translation>▲ {sentence}</translation>
    </message>
    <message>
        <source>{step} on {n} tensor</source>
        <extracomment>steps</extracomment>
        <translation>{step}，作用于 {n} 个张量</translation>
    </message>
    <message>
        <source>{step} on {n} tensors</source>
        <extracomment>steps</extracomment>
        <translation>{step}，作用于 {n} 个张量</translation>
    </message>
</context>
<context>
    <name>SessionController</name>
    <message>
        <source>The history of closed files is not kept, as chosen in the settings.</source>
        <translation>按设置中的选择，不保留已关闭文件的历史。</translation>
    </message>
    <message>
        <source>The history cannot be written to the disk ({why}).</source>
        <translation>无法将历史写入磁盘（{why}）。</translation>
    </message>
    <message>
        <source>The history is too large to be kept: {size} of at most {most}.</source>
        <translation>历史过大，无法保留：{size}，最多 {most}。</translation>
    </message>
    <message>
        <source>The history of &apos;{name}&apos; is kept and restored when you open it again.</source>
        <translation>“{name}”的历史记录会保留，再次打开时恢复。</translation>
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
        <source>Opened {name} with the changes that were not saved in it.</source>
        <translation>已打开 {name}，包括未保存在其中的更改。</translation>
    </message>
    <message>
        <source>Restored the history of this file.</source>
        <translation>已恢复此文件的历史。</translation>
    </message>
    <message>
        <source>Restored 1 earlier step of this file.</source>
        <translation>已恢复此文件之前的 1 个步骤。</translation>
    </message>
    <message>
        <source>Restored {n} earlier steps of this file.</source>
        <translation>已恢复此文件之前的 {n} 个步骤。</translation>
    </message>
    <message>
        <source>The history contains 1 more state, undone or on another branch.</source>
        <translation>历史中还有 1 个，已撤销或在另一分支上。</translation>
    </message>
    <message>
        <source>The history contains {n} more states, undone or on other branches.</source>
        <translation>历史中还有 {n} 个，已撤销或在其他分支上。</translation>
    </message>
    <message>
        <source>Start without these steps</source>
        <translation>不用这些步骤开始</translation>
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
        <source>▲ More than a third is removed: expect a large loss until the exported model is trained. Evaluate it, and remove less if you cannot train.</source>
        <translation>▲ 移除了三分之一以上：在训练导出的模型之前，损失会很大。请评估它；若无法训练，请少移除一些。</translation>
    </message>
    <message>
        <source>Evaluate the shrunk model to see how much quality is lost. Training the exported model usually recovers a part of the loss.</source>
        <translation>请评估缩减后的模型以查看质量损失。训练导出的模型通常能挽回一部分损失。</translation>
    </message>
    <message>
        <source>Embeddings are {share} of the parameters: keep only the tokens of your texts (Vocabulary) to reduce them.</source>
        <translation>嵌入占参数的 {share}：只保留您的文本中的词元（词表）可减小它们。</translation>
    </message>
    <message>
        <source>Embeddings are {share} of the parameters, and this vocabulary cannot be reduced. Choose the dtype bfloat16 to halve the file.</source>
        <translation>嵌入占参数的 {share}，且此词表无法缩减。选择 dtype bfloat16 可使文件减半。</translation>
    </message>
    <message>
        <source>Embeddings are {share} of the parameters; this vocabulary cannot be reduced.</source>
        <translation>嵌入占参数的 {share}；此词表无法缩减。</translation>
    </message>
    <message>
        <source>Evaluate the shrunk model to see how much quality is lost.</source>
        <translation>请评估缩减后的模型以查看质量损失。</translation>
    </message>
    <message>
        <source>Training the exported model usually recovers a part of the loss.</source>
        <translation>训练导出的模型通常能挽回一部分损失。</translation>
    </message>
    <message>
        <source>Embeddings are {share} of the parameters: keep only the tokens of your texts (Vocabulary) to reduce them. The dtype bfloat16 halves the file.</source>
        <translation>嵌入占参数的 {share}：只保留您的文本中的词元（词表）可减少嵌入。dtype bfloat16 使文件减半。</translation>
    </message>
    <message>
        <source>Starts Python and builds the model&apos;s class in transformers with these shapes, without weights.</source>
        <translation>启动 Python，让 transformers 中的类接受这些形状，不含权重。</translation>
    </message>
    <message>
        <source>Starts Python, temporarily writes the pruned model next to the folder, and compares the outputs of both in float32. Also reports the difference from the model before pruning. Needs memory and disk space for both.</source>
        <translation>启动 Python，临时在文件夹旁写入含零的模型，并以 float32 比较两者的输出。还会给出与剪枝前模型输出的差距。需要可容纳两者的内存和磁盘空间。</translation>
    </message>
    <message>
        <source>The written files are always read back and compared with the pruned model.</source>
        <translation>写入的文件总会被读回并与剪枝后的模型比较。</translation>
    </message>
    <message>
        <source>✓ same output as full size</source>
        <translation>✓ 输出与原尺寸相同</translation>
    </message>
    <message>
        <source>▲ different output from full size</source>
        <translation>▲ 输出与原尺寸不同</translation>
    </message>
    <message>
        <source>△ same output if a text has only kept tokens</source>
        <translation>△ 若文本只含保留的词元，则输出相同</translation>
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
        <source>Choose a safetensors file with a score vector per group, named as in pruneapp shrink --list --json; or statistics of activations, to rank by Wanda.</source>
        <translation>选择一个 safetensors 文件，每组有一个分数向量，名称与 pruneapp shrink --list --json 中相同；或选择激活统计，按 Wanda 排序。</translation>
    </message>
    <message>
        <source>Multiple</source>
        <translation>倍数</translation>
    </message>
    <message>
        <source>Keep a multiple of this many FFN neurons, channels or tokens (rounded up): some kernels reject other widths, others are slow with them.</source>
        <translation>保留的 FFN 神经元、通道或词元数为此数的倍数（向上取整）：有些内核不接受其他宽度，有些则较慢。</translation>
    </message>
    <message>
        <source>Write as another model type</source>
        <translation>写为另一种模型类型</translation>
    </message>
    <message>
        <source>Evaluate shrunk model</source>
        <translation>评估缩减后的模型</translation>
    </message>
    <message>
        <source>With its graph, channels can be removed: trace the model by its evaluation script, or copy code that writes a .pt2 file where your model runs, and open that file.</source>
        <translation>有了计算图，就可以移除通道：请用评估脚本追踪模型；或复制代码，在能运行模型的环境中写出 .pt2 文件，再打开该文件。</translation>
    </message>
    <message>
        <source>With its graph, more channels can be removed: trace the model by its evaluation script, or copy code that writes a .pt2 file where your model runs, and open that file.</source>
        <translation>有了计算图，可以移除更多通道：请用评估脚本追踪模型；或复制代码，在能运行模型的环境中写出 .pt2 文件，再打开该文件。</translation>
    </message>
    <message>
        <source>Measure the smaller model, with its tokenizer, before it is exported.</source>
        <translation>在导出之前测量变小后的模型（使用其分词器）。</translation>
    </message>
    <message>
        <source>Check</source>
        <translation>检查</translation>
    </message>
    <message>
        <source>The units that rank lowest are cut first: by a norm over all their tensors, by Wanda or FLAP, which use statistics of activations, or by scores that you computed.</source>
        <translation>排名最低的单元最先被移除：按其所有张量的范数，按使用激活统计的 Wanda 或 FLAP，或按您计算的分数。</translation>
    </message>
    <message>
        <source>Trace the model</source>
        <translation>追踪模型</translation>
    </message>
    <message>
        <source>Wanda</source>
        <translation>Wanda</translation>
    </message>
    <message>
        <source>FLAP</source>
        <translation>FLAP</translation>
    </message>
    <message>
        <source>For a better model of the same size, prune the units as a step, repair or recover the new state, and then export it shrunk.</source>
        <translation>要得到同样大小但更好的模型：先把这些单元作为一个步骤剪枝，修复或恢复训练新状态，再以缩减形式导出。</translation>
    </message>
    <message>
        <source>Prune as a step</source>
        <translation>作为步骤剪枝</translation>
    </message>
    <message>
        <source>The files are always read back and compared with the pruned model. To build or run the class, a Python with transformers is needed.</source>
        <translation>文件总会回读并与剪枝后的模型比较。类可以由装有 transformers 的 Python 构建或运行。</translation>
    </message>
    <message>
        <source>Read back and compare</source>
        <translation>回读并比较</translation>
    </message>
    <message>
        <source>Build on meta device</source>
        <translation>在 meta 设备上构建</translation>
    </message>
    <message>
        <source>Run and compare outputs</source>
        <translation>运行并比较输出</translation>
    </message>
    <message>
        <source>Multiple of</source>
        <translation>取整倍数</translation>
    </message>
    <message>
        <source>Units to remove</source>
        <translation>要移除的单元</translation>
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
        <source>The evaluation of other sizes is queued.</source>
        <translation>其他尺寸的评估正在排队。</translation>
    </message>
    <message>
        <source>Its evaluation is queued.</source>
        <translation>其评估正在排队。</translation>
    </message>
    <message>
        <source>It waits for: {title}</source>
        <translation>等待：{title}</translation>
    </message>
    <message>
        <source>Evaluating these sizes</source>
        <translation>正在评估这些尺寸</translation>
    </message>
    <message>
        <source>Evaluating other sizes</source>
        <translation>正在评估其他尺寸</translation>
    </message>
    <message>
        <source>score in the file</source>
        <translation>文件中的分数</translation>
    </message>
    <message>
        <source>{name} score</source>
        <translation>{name} 分数</translation>
    </message>
    <message>
        <source>At its left end, a slider removes only dead units, without loss. Farther right, it removes more, starting with the lowest {rank}.</source>
        <translation>滑块位于最左端时只移除失效单元，没有损失。向右移动可移除更多，从{rank}最低的单元开始。</translation>
    </message>
    <message>
        <source>Scores of {file}</source>
        <translation>{file} 的分数</translation>
    </message>
    <message>
        <source>Statistics: {path}</source>
        <translation>统计：{path}</translation>
    </message>
    <message>
        <source>Statistics of activations</source>
        <translation>激活统计</translation>
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
        <source>Choose first how many units to remove.</source>
        <translation>请先选择要移除多少单元。</translation>
    </message>
    <message>
        <source>Close this dialog, and set the form to prune as many {what} by the same ranking.</source>
        <translation>关闭此对话框，并把表单设置为按相同排序剪枝同样数量的{what}。</translation>
    </message>
    <message>
        <source>A step can prune FFN neurons, heads and channels that are not ranked by a file of scores.</source>
        <translation>步骤可以剪枝 FFN 神经元、头和通道，前提是不按评分文件排序。</translation>
    </message>
    <message>
        <source>Cancel: {title}</source>
        <translation>取消：{title}</translation>
    </message>
    <message>
        <source>Cancel evaluation</source>
        <translation>取消评估</translation>
    </message>
    <message>
        <source>the pruned model</source>
        <translation>剪枝后的模型</translation>
    </message>
    <message>
        <source>✓ Same output as {state} except for rounding to {dtype}</source>
        <translation>✓ 除舍入为 {dtype} 外，输出与以下相同：{state}</translation>
    </message>
    <message>
        <source>✓ Same output as {state}</source>
        <translation>✓ 输出与以下相同：{state}</translation>
    </message>
    <message>
        <source>▲ Output differs from {state}</source>
        <translation>▲ 输出不同于：{state}</translation>
    </message>
    <message>
        <source>“Full size” exports the model with zeros in place of the pruned weights.</source>
        <translation>以“原尺寸”导出的模型，被剪枝的权重写为零。</translation>
    </message>
    <message>
        <source>Before shrinking: {metric}.</source>
        <translation>缩减前：{metric}。</translation>
    </message>
    <message>
        <source>Not evaluated yet.</source>
        <translation>尚未评估。</translation>
    </message>
    <message>
        <source>△ Same output as {state} if a text has only kept tokens, except for rounding to {dtype}</source>
        <translation>△ 若文本只含保留的词元，除舍入为 {dtype} 外，输出与以下相同：{state}</translation>
    </message>
    <message>
        <source>△ Same output as {state} if a text has only kept tokens</source>
        <translation>△ 若文本只含保留的词元，输出与以下相同：{state}</translation>
    </message>
    <message>
        <source>A file that contains its graph keeps the dtype of its weights.</source>
        <translation>包含计算图的文件保留其权重的 dtype。</translation>
    </message>
    <message>
        <source>Write as &apos;{other}&apos;: same outputs, supports any number of heads</source>
        <translation>写为“{other}”，计算结果相同，并接受任意数量的头</translation>
    </message>
    <message>
        <source>nothing is removed yet</source>
        <translation>尚未移除任何内容</translation>
    </message>
</context>
<context>
    <name>ShrunkSizeController</name>
    <message>
        <source>The page Shrunk of the export dialog computes it.</source>
        <translation>请在导出对话框的“缩减”页面上计算。</translation>
    </message>
</context>
<context>
    <name>ShrunkSizesController</name>
    <message>
        <source>Sizes of shrunk files</source>
        <translation>缩减后文件的大小</translation>
    </message>
    <message>
        <source>Computing the sizes was stopped. Choose the axis again.</source>
        <translation>大小的计算已停止。请重新选择该轴。</translation>
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
        <source>Steps, sparsity and L2 norm² retained per tensor, sizes, checksums.</source>
        <translation>步骤、每个张量的稀疏度和L2 范数²保留率、大小、校验和。</translation>
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
        <source>Differences within the noise are shown as none. Between two pruned states, the noise is at most the sum of the noise of each state; differences below this bound are marked as uncertain.</source>
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
        <source>{amount}, within noise</source>
        <translation>{amount}，在噪声范围内</translation>
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
        <source>{value} is not possible: {size} is used.</source>
        <translation>{value} 不可用：改用 {size}。</translation>
    </message>
</context>
<context>
    <name>SizeStrip</name>
    <message>
        <source>Size of the tensors</source>
        <translation>张量的大小</translation>
    </message>
    <message>
        <source>The tensors in tree order: width is the size in bytes, the filled part is pruned</source>
        <translation>按模块树顺序排列的张量：宽度表示字节数，填充部分为已剪枝</translation>
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
        <source>One multiply-add per token and weight used. Not counted: attention scores, which grow with the text, and layers that run once per text (pooler, classifier).</source>
        <translation>每个词元与所用的每个权重各计一次乘加。不计：随文本长度增长的注意力分数，以及每段文本只运行一次的层（池化层、分类器）。</translation>
    </message>
    <message>
        <source>{what}: {before}, shrunk {after}</source>
        <translation>{what}：{before}，缩减后 {after}</translation>
    </message>
</context>
<context>
    <name>SlideDialog</name>
    <message>
        <source>Picture for slides</source>
        <translation>用于幻灯片的图片</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Size of the picture in pixels, of a PDF in points</source>
        <translation>图片大小以像素为单位,PDF 以点为单位</translation>
    </message>
    <message>
        <source>Other</source>
        <translation>其他</translation>
    </message>
    <message>
        <source>Width in pixels</source>
        <translation>宽度(像素)</translation>
    </message>
    <message>
        <source>Height in pixels</source>
        <translation>高度(像素)</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>格式</translation>
    </message>
    <message>
        <source>PNG is pixels; SVG and PDF are drawings that stay sharp at every size</source>
        <translation>PNG 由像素组成;SVG 和 PDF 是在任何大小下都清晰的矢量图</translation>
    </message>
    <message>
        <source>Labels of the points</source>
        <translation>各点的标签</translation>
    </message>
    <message>
        <source>Save picture…</source>
        <translation>保存图片…</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>&amp;Title</source>
        <translation>标题(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Subtitle</source>
        <translation>副标题(&amp;S)</translation>
    </message>
    <message>
        <source>Si&amp;ze</source>
        <translation>大小(&amp;Z)</translation>
    </message>
    <message>
        <source>&amp;Format</source>
        <translation>格式(&amp;F)</translation>
    </message>
    <message>
        <source>{width} × {height} ({ratio})</source>
        <translation>{width} × {height} ({ratio})</translation>
    </message>
</context>
<context>
    <name>SourceChoice</name>
    <message>
        <source>Better values</source>
        <translation>更好的值</translation>
    </message>
    <message>
        <source>Whether higher or lower values of the metrics are better. For common names, such as accuracy and loss, this is detected.</source>
        <translation>命令行的指标哪些值更好；名称已知的指标（如 accuracy 和 loss）无需选择。</translation>
    </message>
    <message>
        <source>automatic, by metric name</source>
        <translation>自动，按指标名称</translation>
    </message>
    <message>
        <source>higher is better</source>
        <translation>越高越好</translation>
    </message>
    <message>
        <source>lower is better</source>
        <translation>越低越好</translation>
    </message>
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
        <source>The choice is being checked.</source>
        <translation>正在检查所选内容。</translation>
    </message>
    <message>
        <source>Proposed: the script of {file}, from which this file was exported.</source>
        <translation>建议：使用 {file} 的脚本，本文件由它导出。</translation>
    </message>
    <message>
        <source>Browse…</source>
        <translation>浏览…</translation>
    </message>
    <message>
        <source>Seed of random, NumPy and torch, set before each call. It is the argument &apos;seed&apos; of a script, and {seed} in a command line.</source>
        <translation>每次调用前用于初始化 random、NumPy 和 torch 的种子：脚本的“seed”，命令行的 {seed}。</translation>
    </message>
    <message>
        <source>Sa&amp;mples</source>
        <translation>样本(&amp;M)</translation>
    </message>
    <message>
        <source>The file or folder before pruning, if the open file was pruned by another program and its zeros are treated as pruned.</source>
        <translation>剪枝之前的文件或文件夹，适用于在别处剪枝、且打开文件中的零视为已剪枝的情况。</translation>
    </message>
    <message>
        <source>New script…</source>
        <translation>新建脚本…</translation>
    </message>
    <message>
        <source>Save a script to start from, made for this file</source>
        <translation>保存一个为此文件生成的初始脚本</translation>
    </message>
    <message>
        <source>Choose a script that was used before</source>
        <translation>选择以前用过的脚本</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>样本</translation>
    </message>
    <message>
        <source>Maximum number of samples, such as images, or windows or sentences of a text. It is the argument &apos;limit&apos; of a script.</source>
        <translation>样本数上限，例如图像，或文本的窗口或句子。对脚本而言是参数 &apos;limit&apos;。</translation>
    </message>
    <message>
        <source>all</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>种子</translation>
    </message>
    <message>
        <source>See&amp;d</source>
        <translation>种子(&amp;D)</translation>
    </message>
    <message>
        <source>Unpruned model</source>
        <translation>未剪枝模型</translation>
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
        <source>Note of this state</source>
        <translation>此状态的备注</translation>
    </message>
    <message>
        <source>Name of this state; leave it empty to show the step</source>
        <translation>此状态的名称；留空则显示步骤</translation>
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
    <name>States</name>
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
        <source>{metric}: {what}</source>
        <translation>{metric}：{what}</translation>
    </message>
    <message>
        <source>bytes</source>
        <translation>字节</translation>
    </message>
    <message>
        <source>note</source>
        <translation>备注</translation>
    </message>
</context>
<context>
    <name>StatisticsController</name>
    <message>
        <source>This is the open file. Choose another file for the statistics.</source>
        <translation>这是已打开的文件。请为统计量选择其他文件。</translation>
    </message>
    <message>
        <source>Collecting statistics</source>
        <translation>正在收集统计量</translation>
    </message>
    <message>
        <source>Collecting was cancelled: no file was written.</source>
        <translation>收集已取消：未写入文件。</translation>
    </message>
    <message>
        <source>Statistics of 1 tensor collected from {rows} rows of inputs.</source>
        <translation>已从 {rows} 行输入收集 1 个张量的统计。</translation>
    </message>
    <message>
        <source>Statistics of {n} tensors collected from {rows} rows of inputs.</source>
        <translation>已从 {rows} 行输入收集 {n} 个张量的统计。</translation>
    </message>
    <message>
        <source>No statistics were collected for these tensors, because they are not used in a matrix product: {names}.</source>
        <translation>未收集以下张量的统计，因为它们未用于矩阵乘法：{names}。</translation>
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
        <source>L2 norm²</source>
        <translation>L2 范数²</translation>
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
        <source>{norm} retained (whole model)</source>
        <translation>{norm}保留率（整个模型）</translation>
    </message>
    <message>
        <source>{norm} retained (step&apos;s tensors)</source>
        <translation>{norm} 保留（此步骤的张量）</translation>
    </message>
    <message>
        <source>{norm} retained (pruning only)</source>
        <translation>{norm}保留率（仅剪枝）</translation>
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
        <source>Newly pruned</source>
        <translation>新剪枝</translation>
    </message>
    <message>
        <source>Weights pruned</source>
        <translation>被剪枝的权重</translation>
    </message>
    <message>
        <source>Pruned by this step, of the weights that remained in its tensors.</source>
        <translation>此步骤剪枝的部分，相对于其张量中剩余的权重。</translation>
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
        <source>Tensors that this step prunes, by rules or check marks</source>
        <translation>由规则或勾选决定的、此步骤剪枝的张量</translation>
    </message>
    <message>
        <source>{sum} of the remaining weights after this step, relative to the value before it, over the tensors of this step.</source>
        <translation>此步骤之后剩余权重的{sum}，相对于此步骤之前，针对此步骤的张量。</translation>
    </message>
    <message>
        <source>{sum} of the remaining weights, relative to the opened file, over the whole model.</source>
        <translation>剩余权重的{sum}，相对于打开时的文件，针对整个模型。</translation>
    </message>
    <message>
        <source>{sum} of the remaining weights with their original values, relative to the opened file, over the whole model: the effect of pruning alone, without repair or recovery.</source>
        <translation>剩余权重按文件中的值的{sum}，相对于打开时的文件，针对整个模型：修复之前剪枝所留下的。</translation>
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
        <source>Save picture</source>
        <translation>保存图片</translation>
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
        <source>The file is uploaded when you press the button. An existing object of this name is replaced.</source>
        <translation>按下按钮时上传。同名对象将被替换。</translation>
    </message>
    <message>
        <source>Will be written to {path}.</source>
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
        <source>See its weights</source>
        <translation>查看权重</translation>
    </message>
    <message>
        <source>Choose how much to prune</source>
        <translation>选择剪枝量</translation>
    </message>
    <message>
        <source>Prune</source>
        <translation>剪枝</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>重做</translation>
    </message>
    <message>
        <source>The sample is a small network that reads handwritten digits. The tree lists its tensors; checked ones will be pruned. Click any tensor.</source>
        <translation>示例是一个识别手写数字的小型网络。树中列出它的张量；勾选的张量会被剪枝。请点击任意一个张量。</translation>
    </message>
    <message>
        <source>The picture shows every weight of the tensor. Open the Distribution tab to see how the magnitudes are distributed.</source>
        <translation>图中显示张量的每个权重。打开“分布”标签页查看幅值如何分布。</translation>
    </message>
    <message>
        <source>Drag the slider, or type an amount such as 50 %. The preview is updated immediately: weights to be pruned are hatched in orange, in the tree and in the picture.</source>
        <translation>拖动滑块，或输入数量，例如 50 %。预览会立即更新：将被剪枝的权重在树和图中以橙色斜线标出。</translation>
    </message>
    <message>
        <source>The button shows how many weights will be pruned. Click it or press {keys}. The file on disk is not changed.</source>
        <translation>按钮上显示将剪枝多少个权重。点击按钮或按 {keys}。磁盘上的文件不会改变。</translation>
    </message>
    <message>
        <source>The history lists the state after every step. Click Opened there, or press {keys} to undo.</source>
        <translation>历史中列出每个步骤之后的状态。点击其中的“已打开”，或按 {keys} 撤销。</translation>
    </message>
    <message>
        <source>Nothing is lost: click the last state, or press {keys} to redo.</source>
        <translation>没有丢失任何内容：点击最后一个状态，或按 {keys} 重做。</translation>
    </message>
    <message>
        <source>Evaluate</source>
        <translation>评估</translation>
    </message>
    <message>
        <source>Tools &gt; Evaluate… measures the model with a script, a text or images. The Quality tab and the history show the result of each state.</source>
        <translation>工具 &gt; 评估… 用脚本、文本或图像测量模型。“质量”标签页和历史记录显示每个状态的结果。</translation>
    </message>
    <message>
        <source>Repair</source>
        <translation>修复</translation>
    </message>
    <message>
        <source>Prune &gt; Repair… ({keys}) adjusts the remaining weights so that the output of each layer stays close to the original. It takes seconds and no training.</source>
        <translation>剪枝 &gt; 修复…（{keys}）调整其余权重，使每层的输出接近原始模型。只需数秒，无需训练。</translation>
    </message>
    <message>
        <source>Recover</source>
        <translation>恢复训练</translation>
    </message>
    <message>
        <source>Prune &gt; Recover… ({keys}) trains the remaining weights while pruned ones stay zero. It takes longer than a repair and restores more.</source>
        <translation>剪枝 &gt; 恢复…（{keys}）训练其余权重，被剪枝的权重保持为零。比修复耗时更长，恢复效果更好。</translation>
    </message>
    <message>
        <source>Shrink</source>
        <translation>缩减</translation>
    </message>
    <message>
        <source>Zeros do not make a model faster by themselves. Tools &gt; Shrink… removes whole neurons, heads, channels or layers, and writes a smaller model.</source>
        <translation>仅有零并不会使模型更快。工具 &gt; 缩减… 移除整个神经元、头、通道或层，并写出较小的模型。</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>Export… ({keys}) writes the pruned model to a new file, in the format that you choose. The guide (F1) explains each of these steps.</source>
        <translation>导出…（{keys}）以您选择的格式将剪枝后的模型写入新文件。指南（F1）解释了每个步骤。</translation>
    </message>
</context>
<context>
    <name>TraceController</name>
    <message>
        <source>Tracing the model</source>
        <translation>正在追踪模型</translation>
    </message>
    <message>
        <source>Model traced: its connections, channel groups and graph are known.</source>
        <translation>模型已追踪：其连接、通道组和计算图已知。</translation>
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
        <source>Filter by layer type</source>
        <translation>按层类型筛选</translation>
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
        <source>Show all tensors as a sortable list instead of the tree</source>
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
        <source>All types</source>
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
        <source>Layer type</source>
        <translation>层类型</translation>
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
        <source>dtype</source>
        <translation>dtype</translation>
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
    <name>UnionRow</name>
    <message>
        <source>Layers whose outputs are added share their channels. With this method each of these layers chooses different channels, and all of them are pruned. The method Channel groups chooses the same channels for all of these layers.</source>
        <translation>输出相加的层共享通道。使用此方法时，这些层各自选择不同的通道，并且全部被剪枝。“通道组”方法为所有这些层选择相同的通道。</translation>
    </message>
    <message>
        <source>Channel groups</source>
        <translation>通道组</translation>
    </message>
    <message>
        <source>Choose the method Channel groups</source>
        <translation>选择“通道组”方法</translation>
    </message>
    <message>
        <source>▲ With dependents, {channels} of the channels and {weights} of the weights are pruned, not {requested}.</source>
        <translation>▲ 连同依赖的张量，{channels} 的通道和 {weights} 的权重会被剪枝，而不是 {requested}。</translation>
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
        <source>Choose UTF-8 text files. Tokens not used in them are removed; for these texts the outputs stay the same.</source>
        <translation>选择 UTF-8 文本文件。它们未使用的词元会被裁去；对这些文本，模型的计算结果不变。</translation>
    </message>
    <message>
        <source>IDs…</source>
        <translation>ID…</translation>
    </message>
    <message>
        <source>Choose a text file with the IDs of the tokens to keep: one on each line, or a range such as 20-31.</source>
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
        <source>IDs in {name}</source>
        <translation>{name} 中的 ID</translation>
    </message>
    <message>
        <source>The rows of the embedding to keep, according to the tokenizer.json next to the model: all, all up to the last token, those of tokens that texts use, or those listed in a file.</source>
        <translation>保留嵌入的哪些行，依据模型旁的 tokenizer.json：全部、直到其最后一个词元、文本所用词元的行，或文件中列出的行。</translation>
    </message>
    <message>
        <source>IDs to keep</source>
        <translation>要保留的 ID</translation>
    </message>
    <message>
        <source>Texts to use</source>
        <translation>使用的文本</translation>
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
        <translation>在步骤 {n} 中剪枝：{label}</translation>
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
        <source>[{place}] was {value}</source>
        <translation>[{place}] 原为 {value}</translation>
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
        <source>Contrast limits…</source>
        <translation>对比度界限…</translation>
    </message>
    <message>
        <source>Reset contrast limits</source>
        <translation>重置对比度界限</translation>
    </message>
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
        <source>value without mask</source>
        <translation>不含掩码的值</translation>
    </message>
    <message>
        <source>{scale} (kept weights)</source>
        <translation>{scale}（保留的权重）</translation>
    </message>
    <message>
        <source>{share} of the shown values are outside the limits and have the first or last color.</source>
        <translation>{share} 的所示数值超出界限，使用首端或末端的颜色。</translation>
    </message>
    <message>
        <source>{share} of weights have a magnitude above {scale}. They share the last color.</source>
        <translation>{share} 的权重幅值高于 {scale}。它们共用最后一种颜色。</translation>
    </message>
    <message>
        <source>{share} clipped</source>
        <translation>{share} 超出</translation>
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
        <source>index {which} of dim {dim}</source>
        <translation>维度 {dim} 的索引 {which}</translation>
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
        <source>The form prunes the units of the cut. Apply the step, repair or recover the new state, and export it shrunk.</source>
        <translation>表单将剪枝要移除的单元。请应用此步骤，修复或恢复训练新状态，再以缩减形式导出。</translation>
    </message>
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
        <source>{text} ({form}).</source>
        <translation>{text}（{form}）。</translation>
    </message>
    <message>
        <source>{text}.</source>
        <translation>{text}。</translation>
    </message>
    <message>
        <source>{form} in {n}</source>
        <translation>其中 {n} 个：{form}</translation>
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
