# Let Windows open files with a bundle of Pruneapp, for you alone; -Remove takes it back.
#     powershell -File file_types.ps1 -Program C:\Apps\pruneapp\pruneapp.exe
#     powershell -File file_types.ps1 -Remove
param([string]$Program, [switch]$Remove)
$ErrorActionPreference = "Stop"
$classes = "HKCU:\Software\Classes"
$name = "Pruneapp.Checkpoint"
$types = ".safetensors", ".prune", ".pt", ".pth", ".pt2", ".ckpt", ".onnx", ".gguf", ".npz"
if ($Remove) {
    Remove-Item -Recurse -Force -ErrorAction SilentlyContinue "$classes\$name"
    foreach ($type in $types) {
        Remove-ItemProperty -ErrorAction SilentlyContinue "$classes\$type\OpenWithProgids" $name
    }
    exit 0
}
if (-not (Test-Path $Program)) { throw "There is no program at '$Program'. Name pruneapp.exe." }
$program_path = (Resolve-Path $Program).Path
New-Item -Force "$classes\$name\shell\open\command" | Out-Null
Set-ItemProperty "$classes\$name" "(default)" "Neural network checkpoint"
Set-ItemProperty "$classes\$name\shell\open\command" "(default)" "`"$program_path`" `"%1`""
New-Item -Force "$classes\$name\DefaultIcon" | Out-Null
Set-ItemProperty "$classes\$name\DefaultIcon" "(default)" "$program_path,0"
# Offered under Open with; what opens these files now still does.
foreach ($type in $types) {
    New-Item -Force "$classes\$type\OpenWithProgids" | Out-Null
    New-ItemProperty -Force "$classes\$type\OpenWithProgids" -Name $name -PropertyType String -Value "" | Out-Null
}
