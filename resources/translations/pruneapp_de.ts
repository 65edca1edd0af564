<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de_DE" sourcelanguage="en">
<context>
    <name>AboutDialog</name>
    <message>
        <source>About Pruneapp</source>
        <translation>Über Pruneapp</translation>
    </message>
    <message>
        <source>Prune neural networks by pointing and clicking. MIT License.
Nothing is uploaded unless you name a URL as the target. Files are read, never run.</source>
        <translation>Neuronale Netze per Mausklick prunen. MIT-Lizenz.
Nichts wird hochgeladen, außer wenn Sie eine URL als Ziel angeben. Dateien werden gelesen, nie ausgeführt.</translation>
    </message>
    <message>
        <source>Licenses</source>
        <translation>Lizenzen</translation>
    </message>
    <message>
        <source>Package</source>
        <translation>Paket</translation>
    </message>
    <message>
        <source>Version</source>
        <translation>Version</translation>
    </message>
    <message>
        <source>License</source>
        <translation>Lizenz</translation>
    </message>
    <message>
        <source>Text of the license</source>
        <translation>Lizenztext</translation>
    </message>
    <message>
        <source>The package contains no text of its license.</source>
        <translation>Das Paket enthält keinen Lizenztext.</translation>
    </message>
    <message>
        <source>Copy versions, system and the last error for a problem report.</source>
        <translation>Versionen, System und den letzten Fehler für einen Problembericht kopieren.</translation>
    </message>
    <message>
        <source>Copy report</source>
        <translation>Bericht kopieren</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>not installed</source>
        <translation>nicht installiert</translation>
    </message>
    <message>
        <source>System</source>
        <translation>System</translation>
    </message>
    <message>
        <source>New versions: {place}</source>
        <translation>Neue Versionen: {place}</translation>
    </message>
    <message>
        <source>New versions</source>
        <translation>Neue Versionen</translation>
    </message>
    <message>
        <source>see the text</source>
        <translation>siehe Text</translation>
    </message>
</context>
<context>
    <name>Actions</name>
    <message>
        <source>&amp;File</source>
        <extracomment>menu</extracomment>
        <translation>&amp;Datei</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <extracomment>menu</extracomment>
        <translation>&amp;Bearbeiten</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <extracomment>menu</extracomment>
        <translation>&amp;Ansicht</translation>
    </message>
    <message>
        <source>&amp;Prune</source>
        <extracomment>menu</extracomment>
        <translation>&amp;Pruning</translation>
    </message>
    <message>
        <source>&amp;Tools</source>
        <extracomment>menu</extracomment>
        <translation>&amp;Werkzeuge</translation>
    </message>
    <message>
        <source>&amp;Window</source>
        <extracomment>menu</extracomment>
        <translation>&amp;Fenster</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <extracomment>menu</extracomment>
        <translation>&amp;Hilfe</translation>
    </message>
    <message>
        <source>Open &amp;recent</source>
        <extracomment>menu</extracomment>
        <translation>&amp;Zuletzt geöffnet</translation>
    </message>
    <message>
        <source>&amp;Manual edit</source>
        <extracomment>menu</extracomment>
        <translation>&amp;Manuelle Änderung</translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <extracomment>menu</extracomment>
        <translation>&amp;Farbschema</translation>
    </message>
    <message>
        <source>Lan&amp;guage</source>
        <extracomment>menu</extracomment>
        <translation>Spr&amp;ache</translation>
    </message>
    <message>
        <source>&amp;Open…</source>
        <extracomment>command</extracomment>
        <translation>Ö&amp;ffnen…</translation>
    </message>
    <message>
        <source>Open a checkpoint</source>
        <extracomment>command</extracomment>
        <translation>Einen Checkpoint öffnen</translation>
    </message>
    <message>
        <source>Open &amp;folder…</source>
        <extracomment>command</extracomment>
        <translation>&amp;Ordner öffnen…</translation>
    </message>
    <message>
        <source>Open a model folder: a file of weights, or shards with their index</source>
        <extracomment>command</extracomment>
        <translation>Einen Modellordner öffnen: eine Datei mit Gewichten oder Shards mit ihrem Index</translation>
    </message>
    <message>
        <source>Open &amp;location…</source>
        <extracomment>command</extracomment>
        <translation>&amp;Adresse öffnen…</translation>
    </message>
    <message>
        <source>Open a path or the URL of an object store (s3://…)</source>
        <extracomment>command</extracomment>
        <translation>Einen Pfad oder die URL eines Objektspeichers öffnen (s3://…)</translation>
    </message>
    <message>
        <source>Open in &amp;new window…</source>
        <extracomment>command</extracomment>
        <translation>In &amp;neuem Fenster öffnen…</translation>
    </message>
    <message>
        <source>Open a checkpoint in a window of its own</source>
        <extracomment>command</extracomment>
        <translation>Einen Checkpoint in einem eigenen Fenster öffnen</translation>
    </message>
    <message>
        <source>Try the sa&amp;mple</source>
        <extracomment>command</extracomment>
        <translation>Bei&amp;spiel öffnen</translation>
    </message>
    <message>
        <source>Open the small model included with Pruneapp</source>
        <extracomment>command</extracomment>
        <translation>Das kleine Modell öffnen, das Pruneapp beiliegt</translation>
    </message>
    <message>
        <source>Recent file &amp;{n}</source>
        <extracomment>command</extracomment>
        <translation>Zuletzt geöffnete Datei &amp;{n}</translation>
    </message>
    <message>
        <source>&amp;Pin this file</source>
        <extracomment>command</extracomment>
        <translation>Diese Datei &amp;anheften</translation>
    </message>
    <message>
        <source>Keep the open file at the top of the recent files</source>
        <extracomment>command</extracomment>
        <translation>Die offene Datei oben in den zuletzt geöffneten Dateien halten</translation>
    </message>
    <message>
        <source>Remove &amp;missing files</source>
        <extracomment>command</extracomment>
        <translation>&amp;Fehlende Dateien entfernen</translation>
    </message>
    <message>
        <source>Remove files that were deleted or moved from the list</source>
        <extracomment>command</extracomment>
        <translation>Gelöschte oder verschobene Dateien aus der Liste entfernen</translation>
    </message>
    <message>
        <source>Clear kept &amp;histories…</source>
        <extracomment>command</extracomment>
        <translation>Behaltene &amp;Verläufe löschen…</translation>
    </message>
    <message>
        <source>Delete the undo history, metrics and scans that are kept of closed files</source>
        <extracomment>command</extracomment>
        <translation>Den Verlauf, die Metriken und die Scans löschen, die von geschlossenen Dateien behalten wurden</translation>
    </message>
    <message>
        <source>Choose state &amp;dict…</source>
        <extracomment>command</extracomment>
        <translation>State-&amp;Dict wählen…</translation>
    </message>
    <message>
        <source>Switch to another state dict in this file</source>
        <extracomment>command</extracomment>
        <translation>Zu einem anderen State-Dict dieser Datei wechseln</translation>
    </message>
    <message>
        <source>&amp;Save session</source>
        <extracomment>command</extracomment>
        <translation>Sitzung s&amp;peichern</translation>
    </message>
    <message>
        <source>Save masks, history and view, to continue later</source>
        <extracomment>command</extracomment>
        <translation>Masken, Verlauf und Ansicht speichern, um später weiterzuarbeiten</translation>
    </message>
    <message>
        <source>Save session &amp;as…</source>
        <extracomment>command</extracomment>
        <translation>Sitzung speichern &amp;unter…</translation>
    </message>
    <message>
        <source>Save the session to another file</source>
        <extracomment>command</extracomment>
        <translation>Die Sitzung in einer anderen Datei speichern</translation>
    </message>
    <message>
        <source>&amp;Export…</source>
        <extracomment>command</extracomment>
        <translation>&amp;Exportieren…</translation>
    </message>
    <message>
        <source>Write the pruned model to a file</source>
        <extracomment>command</extracomment>
        <translation>Das geprunte Modell in eine Datei schreiben</translation>
    </message>
    <message>
        <source>&amp;Close</source>
        <extracomment>command</extracomment>
        <translation>S&amp;chließen</translation>
    </message>
    <message>
        <source>Close this checkpoint</source>
        <extracomment>command</extracomment>
        <translation>Diesen Checkpoint schließen</translation>
    </message>
    <message>
        <source>New &amp;window</source>
        <extracomment>command</extracomment>
        <translation>Neues Fens&amp;ter</translation>
    </message>
    <message>
        <source>Open another window, without a file</source>
        <extracomment>command</extracomment>
        <translation>Ein weiteres Fenster ohne Datei öffnen</translation>
    </message>
    <message>
        <source>Close w&amp;indow</source>
        <extracomment>command</extracomment>
        <translation>Fenster schl&amp;ießen</translation>
    </message>
    <message>
        <source>Close this window</source>
        <extracomment>command</extracomment>
        <translation>Dieses Fenster schließen</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <extracomment>command</extracomment>
        <translation>&amp;Beenden</translation>
    </message>
    <message>
        <source>Close all windows</source>
        <extracomment>command</extracomment>
        <translation>Alle Fenster schließen</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <extracomment>command</extracomment>
        <translation>&amp;Rückgängig</translation>
    </message>
    <message>
        <source>Undo the last step</source>
        <extracomment>command</extracomment>
        <translation>Den letzten Schritt rückgängig machen</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <extracomment>command</extracomment>
        <translation>&amp;Wiederholen</translation>
    </message>
    <message>
        <source>Redo the step that was undone</source>
        <extracomment>command</extracomment>
        <translation>Den rückgängig gemachten Schritt wiederholen</translation>
    </message>
    <message>
        <source>&amp;Filter the tree</source>
        <extracomment>command</extracomment>
        <translation>Baum &amp;filtern</translation>
    </message>
    <message>
        <source>Show only tensors whose names match</source>
        <extracomment>command</extracomment>
        <translation>Nur Tensoren zeigen, deren Namen passen</translation>
    </message>
    <message>
        <source>C&amp;heck or uncheck selection</source>
        <extracomment>command</extracomment>
        <translation>Auswahl ankreu&amp;zen oder abwählen</translation>
    </message>
    <message>
        <source>Check the selected rows of the tree, or uncheck them if all are checked (Space there)</source>
        <extracomment>command</extracomment>
        <translation>Ausgewählte Zeilen des Baums ankreuzen oder, wenn alle angekreuzt sind, abwählen (dort Leertaste)</translation>
    </message>
    <message>
        <source>Check &amp;all shown</source>
        <extracomment>command</extracomment>
        <translation>&amp;Alle angezeigten ankreuzen</translation>
    </message>
    <message>
        <source>Check all tensors that match the filter</source>
        <extracomment>command</extracomment>
        <translation>Alle Tensoren ankreuzen, die zum Filter passen</translation>
    </message>
    <message>
        <source>U&amp;ncheck all</source>
        <extracomment>command</extracomment>
        <translation>Kei&amp;ne ankreuzen</translation>
    </message>
    <message>
        <source>Uncheck all tensors</source>
        <extracomment>command</extracomment>
        <translation>Alle Tensoren abwählen</translation>
    </message>
    <message>
        <source>Check &amp;default layers</source>
        <extracomment>command</extracomment>
        <translation>&amp;Übliche Schichten ankreuzen</translation>
    </message>
    <message>
        <source>Check weights with two or more dimensions, except embeddings and norms</source>
        <extracomment>command</extracomment>
        <translation>Gewichte mit zwei oder mehr Dimensionen ankreuzen, außer Embeddings und Norms</translation>
    </message>
    <message>
        <source>&amp;Copy name</source>
        <extracomment>command</extracomment>
        <translation>Namen &amp;kopieren</translation>
    </message>
    <message>
        <source>Copy the full name of the current tensor</source>
        <extracomment>command</extracomment>
        <translation>Den vollen Namen des aktuellen Tensors kopieren</translation>
    </message>
    <message>
        <source>Copy channel &amp;list</source>
        <extracomment>command</extracomment>
        <translation>Kanal&amp;liste kopieren</translation>
    </message>
    <message>
        <source>Copy the indices of the channels selected in Channels (Ctrl+C there)</source>
        <extracomment>command</extracomment>
        <translation>Die Indizes der unter „Kanäle“ gewählten Kanäle kopieren (dort Strg+C)</translation>
    </message>
    <message>
        <source>&amp;Paste channel list</source>
        <extracomment>command</extracomment>
        <translation>Kanalliste &amp;einfügen</translation>
    </message>
    <message>
        <source>Select in Channels the indices on the clipboard: 0-3, 7 (Ctrl+V there)</source>
        <extracomment>command</extracomment>
        <translation>Unter „Kanäle“ die Indizes der Zwischenablage wählen: 0-3, 7 (dort Strg+V)</translation>
    </message>
    <message>
        <source>L&amp;oad channel list…</source>
        <extracomment>command</extracomment>
        <translation>Kanalliste la&amp;den…</translation>
    </message>
    <message>
        <source>Select in Channels the indices in a text file</source>
        <extracomment>command</extracomment>
        <translation>Unter „Kanäle“ die Indizes einer Textdatei wählen</translation>
    </message>
    <message>
        <source>&amp;Save channel list…</source>
        <extracomment>command</extracomment>
        <translation>Kanalliste &amp;speichern…</translation>
    </message>
    <message>
        <source>Write the indices of the channels selected in Channels to a text file</source>
        <extracomment>command</extracomment>
        <translation>Die Indizes der unter „Kanäle“ gewählten Kanäle in eine Textdatei schreiben</translation>
    </message>
    <message>
        <source>Confir&amp;mations…</source>
        <extracomment>command</extracomment>
        <translation>Rückfra&amp;gen…</translation>
    </message>
    <message>
        <source>Choose which actions ask for confirmation</source>
        <extracomment>command</extracomment>
        <translation>Wählen, welche Aktionen vorher nachfragen</translation>
    </message>
    <message>
        <source>&amp;Weights</source>
        <extracomment>command</extracomment>
        <translation>&amp;Gewichte</translation>
    </message>
    <message>
        <source>Weights with the mask over them</source>
        <extracomment>command</extracomment>
        <translation>Gewichte mit der Maske darüber</translation>
    </message>
    <message>
        <source>&amp;Distribution</source>
        <extracomment>command</extracomment>
        <translation>&amp;Verteilung</translation>
    </message>
    <message>
        <source>Histogram of weight magnitudes</source>
        <extracomment>command</extracomment>
        <translation>Histogramm der Beträge der Gewichte</translation>
    </message>
    <message>
        <source>&amp;Channels</source>
        <extracomment>command</extracomment>
        <translation>&amp;Kanäle</translation>
    </message>
    <message>
        <source>Norm of each channel</source>
        <extracomment>command</extracomment>
        <translation>Norm jedes Kanals</translation>
    </message>
    <message>
        <source>&amp;Model</source>
        <extracomment>command</extracomment>
        <translation>&amp;Modell</translation>
    </message>
    <message>
        <source>Sparsity of each tensor</source>
        <extracomment>command</extracomment>
        <translation>Sparsity jedes Tensors</translation>
    </message>
    <message>
        <source>C&amp;ompare</source>
        <extracomment>command</extracomment>
        <translation>Ve&amp;rgleichen</translation>
    </message>
    <message>
        <source>Differences between two states or two files</source>
        <extracomment>command</extracomment>
        <translation>Unterschiede zweier Zustände oder zweier Dateien</translation>
    </message>
    <message>
        <source>&amp;Quality</source>
        <extracomment>command</extracomment>
        <translation>&amp;Qualität</translation>
    </message>
    <message>
        <source>Metric of each evaluated state against its sparsity</source>
        <extracomment>command</extracomment>
        <translation>Metrik jedes ausgewerteten Zustands über seiner Sparsity</translation>
    </message>
    <message>
        <source>&amp;Sensitivity</source>
        <extracomment>command</extracomment>
        <translation>&amp;Sensitivität</translation>
    </message>
    <message>
        <source>Damage of pruning each tensor alone, as scanned</source>
        <extracomment>command</extracomment>
        <translation>Schaden durch das Prunen jedes einzelnen Tensors, wie gescannt</translation>
    </message>
    <message>
        <source>Mas&amp;k on and off</source>
        <extracomment>command</extracomment>
        <translation>Maske ein &amp;und aus</translation>
    </message>
    <message>
        <source>Show or hide the mask</source>
        <extracomment>command</extracomment>
        <translation>Die Maske zeigen oder verbergen</translation>
    </message>
    <message>
        <source>Zoom &amp;in</source>
        <extracomment>command</extracomment>
        <translation>Vergr&amp;ößern</translation>
    </message>
    <message>
        <source>Zoom in</source>
        <extracomment>command</extracomment>
        <translation>Hineinzoomen</translation>
    </message>
    <message>
        <source>Zoom o&amp;ut</source>
        <extracomment>command</extracomment>
        <translation>Verkle&amp;inern</translation>
    </message>
    <message>
        <source>Zoom out</source>
        <extracomment>command</extracomment>
        <translation>Herauszoomen</translation>
    </message>
    <message>
        <source>&amp;Fit</source>
        <extracomment>command</extracomment>
        <translation>&amp;Einpassen</translation>
    </message>
    <message>
        <source>Show the whole tensor</source>
        <extracomment>command</extracomment>
        <translation>Den ganzen Tensor zeigen</translation>
    </message>
    <message>
        <source>&amp;Previous tensor</source>
        <extracomment>command</extracomment>
        <translation>V&amp;origer Tensor</translation>
    </message>
    <message>
        <source>Show the previous tensor</source>
        <extracomment>command</extracomment>
        <translation>Den vorigen Tensor zeigen</translation>
    </message>
    <message>
        <source>&amp;Next tensor</source>
        <extracomment>command</extracomment>
        <translation>&amp;Nächster Tensor</translation>
    </message>
    <message>
        <source>Show the next tensor</source>
        <extracomment>command</extracomment>
        <translation>Den nächsten Tensor zeigen</translation>
    </message>
    <message>
        <source>Tensors as a &amp;list</source>
        <extracomment>command</extracomment>
        <translation>Tensoren als &amp;Liste</translation>
    </message>
    <message>
        <source>Show all tensors as a sortable list instead of the tree</source>
        <extracomment>command</extracomment>
        <translation>Alle Tensoren als sortierbare Liste zeigen statt als Baum</translation>
    </message>
    <message>
        <source>History &amp;back</source>
        <extracomment>command</extracomment>
        <translation>Im Verlauf &amp;zurück</translation>
    </message>
    <message>
        <source>Go to the previous state</source>
        <extracomment>command</extracomment>
        <translation>Zum vorigen Zustand gehen</translation>
    </message>
    <message>
        <source>History fo&amp;rward</source>
        <extracomment>command</extracomment>
        <translation>Im Verlauf &amp;weiter</translation>
    </message>
    <message>
        <source>Go to the next state</source>
        <extracomment>command</extracomment>
        <translation>Zum nächsten Zustand gehen</translation>
    </message>
    <message>
        <source>&amp;System</source>
        <extracomment>command</extracomment>
        <translation>&amp;System</translation>
    </message>
    <message>
        <source>&amp;Light</source>
        <extracomment>command</extracomment>
        <translation>&amp;Hell</translation>
    </message>
    <message>
        <source>&amp;Dark</source>
        <extracomment>command</extracomment>
        <translation>&amp;Dunkel</translation>
    </message>
    <message>
        <source>&amp;High contrast, light</source>
        <extracomment>command</extracomment>
        <translation>Hoher Kontrast, h&amp;ell</translation>
    </message>
    <message>
        <source>High &amp;contrast, dark</source>
        <extracomment>command</extracomment>
        <translation>Hoher &amp;Kontrast, dunkel</translation>
    </message>
    <message>
        <source>Pre&amp;view</source>
        <extracomment>command</extracomment>
        <translation>&amp;Vorschau</translation>
    </message>
    <message>
        <source>Preview the step with the current settings</source>
        <extracomment>command</extracomment>
        <translation>Den Schritt mit den jetzigen Einstellungen vorab zeigen</translation>
    </message>
    <message>
        <source>Apply the pruning step</source>
        <extracomment>command</extracomment>
        <translation>Den Pruning-Schritt ausführen</translation>
    </message>
    <message>
        <source>Ite&amp;rative pruning…</source>
        <extracomment>command</extracomment>
        <translation>&amp;Iteratives Pruning…</translation>
    </message>
    <message>
        <source>Repeat the pruning step on a sparsity schedule; each round is a step in the history</source>
        <extracomment>command</extracomment>
        <translation>Den Pruning-Schritt nach einem Sparsity-Plan wiederholen; jede Runde ist ein Schritt im Verlauf</translation>
    </message>
    <message>
        <source>Choose the metho&amp;d</source>
        <extracomment>command</extracomment>
        <translation>Metho&amp;de wählen</translation>
    </message>
    <message>
        <source>Go to the method in the form</source>
        <extracomment>command</extracomment>
        <translation>Zur Methode im Formular gehen</translation>
    </message>
    <message>
        <source>Enter the am&amp;ount</source>
        <extracomment>command</extracomment>
        <translation>&amp;Umfang eingeben</translation>
    </message>
    <message>
        <source>Go to the amount in the form</source>
        <extracomment>command</extracomment>
        <translation>Zum Umfang im Formular gehen</translation>
    </message>
    <message>
        <source>&amp;Cancel</source>
        <extracomment>command</extracomment>
        <translation>&amp;Abbrechen</translation>
    </message>
    <message>
        <source>Cancel the running job, else clear the preview</source>
        <extracomment>command</extracomment>
        <translation>Den laufenden Auftrag abbrechen, sonst die Vorschau entfernen</translation>
    </message>
    <message>
        <source>Reset &amp;form</source>
        <extracomment>command</extracomment>
        <translation>&amp;Formular zurücksetzen</translation>
    </message>
    <message>
        <source>Set the rules, amounts and limits in the form back to their defaults</source>
        <extracomment>command</extracomment>
        <translation>Regeln, Umfänge und Grenzen im Formular auf die Voreinstellung zurücksetzen</translation>
    </message>
    <message>
        <source>&amp;Prune selection</source>
        <extracomment>command</extracomment>
        <translation>Auswahl &amp;prunen</translation>
    </message>
    <message>
        <source>Prune the selected channels or weights (Del)</source>
        <extracomment>command</extracomment>
        <translation>Die gewählten Kanäle oder Gewichte prunen (Entf)</translation>
    </message>
    <message>
        <source>&amp;Restore selection</source>
        <extracomment>command</extracomment>
        <translation>Auswahl &amp;wiederherstellen</translation>
    </message>
    <message>
        <source>Restore the selected channels or weights (R)</source>
        <extracomment>command</extracomment>
        <translation>Die gewählten Kanäle oder Gewichte wiederherstellen (R)</translation>
    </message>
    <message>
        <source>Pr&amp;otect selection</source>
        <extracomment>command</extracomment>
        <translation>Auswahl s&amp;chützen</translation>
    </message>
    <message>
        <source>Exclude the selection from all later pruning steps (P)</source>
        <extracomment>command</extracomment>
        <translation>Die Auswahl von allen späteren Pruning-Schritten ausnehmen (P)</translation>
    </message>
    <message>
        <source>&amp;Unprotect selection</source>
        <extracomment>command</extracomment>
        <translation>Schutz der Auswahl auf&amp;heben</translation>
    </message>
    <message>
        <source>Allow later steps to prune the selection again (Shift+P)</source>
        <extracomment>command</extracomment>
        <translation>Späteren Schritten erlauben, die Auswahl wieder zu prunen (Umschalt+P)</translation>
    </message>
    <message>
        <source>Apply to the same layer in all &amp;blocks</source>
        <extracomment>command</extracomment>
        <translation>Auf dieselbe Schicht in allen &amp;Blöcken anwenden</translation>
    </message>
    <message>
        <source>Apply manual edits to the same layer in all blocks; the tensors are listed first</source>
        <extracomment>command</extracomment>
        <translation>Manuelle Änderungen auf dieselbe Schicht in allen Blöcken anwenden; die Tensoren werden zuerst aufgeführt</translation>
    </message>
    <message>
        <source>Include matching bias and &amp;norm</source>
        <extracomment>command</extracomment>
        <translation>Zugehörige Biases und &amp;Norms einbeziehen</translation>
    </message>
    <message>
        <source>Apply manual edits of output channels (dim 0) to their bias and norm entries</source>
        <extracomment>command</extracomment>
        <translation>Manuelle Änderungen von Ausgangskanälen (Dim. 0) auf deren Einträge in Bias und Norm anwenden</translation>
    </message>
    <message>
        <source>Include all tensors of the &amp;group</source>
        <extracomment>command</extracomment>
        <translation>Alle Tensoren der &amp;Gruppe einbeziehen</translation>
    </message>
    <message>
        <source>Apply manual edits of channels to the same units in all tensors that have them</source>
        <extracomment>command</extracomment>
        <translation>Manuelle Änderungen von Kanälen auf dieselben Einheiten in allen Tensoren anwenden, die sie haben</translation>
    </message>
    <message>
        <source>Prune bias and norm of pruned &amp;channels</source>
        <extracomment>command</extracomment>
        <translation>Bias und Norm geprunter &amp;Kanäle prunen</translation>
    </message>
    <message>
        <source>Prune the bias and norm entries of fully pruned channels; otherwise a pruned filter still outputs a constant</source>
        <extracomment>command</extracomment>
        <translation>Die Einträge ganz geprunter Kanäle in Bias und Norm prunen; sonst gibt ein geprunter Filter weiter eine Konstante aus</translation>
    </message>
    <message>
        <source>&amp;Load masks…</source>
        <extracomment>command</extracomment>
        <translation>Masken &amp;laden…</translation>
    </message>
    <message>
        <source>Prune with masks from a file</source>
        <extracomment>command</extracomment>
        <translation>Mit Masken aus einer Datei prunen</translation>
    </message>
    <message>
        <source>Com&amp;bine masks with a file…</source>
        <extracomment>command</extracomment>
        <translation>Masken mit einer Datei ver&amp;knüpfen…</translation>
    </message>
    <message>
        <source>Compare masks with those of a file and combine them</source>
        <extracomment>command</extracomment>
        <translation>Masken mit denen einer Datei vergleichen und verknüpfen</translation>
    </message>
    <message>
        <source>Load importance &amp;scores…</source>
        <extracomment>command</extracomment>
        <translation>Wichtigkeits&amp;werte laden…</translation>
    </message>
    <message>
        <source>Rank weights by importance scores from a file</source>
        <extracomment>command</extracomment>
        <translation>Gewichte nach Wichtigkeitswerten aus einer Datei ordnen</translation>
    </message>
    <message>
        <source>Treat &amp;zeros as pruned</source>
        <extracomment>command</extracomment>
        <translation>&amp;Nullen als geprunt behandeln</translation>
    </message>
    <message>
        <source>Count existing zeros as pruned, so that amounts apply to the remaining weights</source>
        <extracomment>command</extracomment>
        <translation>Vorhandene Nullen als geprunt zählen, sodass Umfänge für die verbleibenden Gewichte gelten</translation>
    </message>
    <message>
        <source>Mak&amp;e permanent</source>
        <extracomment>command</extracomment>
        <translation>&amp;Endgültig machen</translation>
    </message>
    <message>
        <source>Replace pruned weights of the checked tensors by zeros, like torch.nn.utils.prune.remove</source>
        <extracomment>command</extracomment>
        <translation>Geprunte Gewichte der angekreuzten Tensoren durch Nullen ersetzen, wie torch.nn.utils.prune.remove</translation>
    </message>
    <message>
        <source>Repa&amp;ir…</source>
        <extracomment>command</extracomment>
        <translation>Repa&amp;rieren…</translation>
    </message>
    <message>
        <source>Change the remaining weights so that the outputs of pruned layers come out as before</source>
        <extracomment>command</extracomment>
        <translation>Die verbleibenden Gewichte so ändern, dass die Ausgaben geprunter Schichten wie zuvor ausfallen</translation>
    </message>
    <message>
        <source>Compare &amp;with a file…</source>
        <extracomment>command</extracomment>
        <translation>Mit einer &amp;Datei vergleichen…</translation>
    </message>
    <message>
        <source>Compare with another checkpoint, such as a fine-tuned one</source>
        <extracomment>command</extracomment>
        <translation>Mit einem anderen Checkpoint vergleichen, etwa einem feinabgestimmten</translation>
    </message>
    <message>
        <source>Chec&amp;k sparsity pattern…</source>
        <extracomment>command</extracomment>
        <translation>Sparsity-&amp;Muster prüfen…</translation>
    </message>
    <message>
        <source>Find tensors and groups that violate a pattern such as 2:4, and repair them</source>
        <extracomment>command</extracomment>
        <translation>Tensoren und Gruppen finden, die ein Muster wie 2:4 verletzen, und sie reparieren</translation>
    </message>
    <message>
        <source>&amp;Evaluate…</source>
        <extracomment>command</extracomment>
        <translation>&amp;Auswerten…</translation>
    </message>
    <message>
        <source>Choose an evaluation script, and measure the current state with it</source>
        <extracomment>command</extracomment>
        <translation>Ein Auswertungsskript wählen und den aktuellen Zustand damit messen</translation>
    </message>
    <message>
        <source>Evaluate &amp;this state</source>
        <extracomment>command</extracomment>
        <translation>Diesen &amp;Zustand auswerten</translation>
    </message>
    <message>
        <source>Measure the current state with the evaluation script</source>
        <extracomment>command</extracomment>
        <translation>Den aktuellen Zustand mit dem Auswertungsskript messen</translation>
    </message>
    <message>
        <source>Eval&amp;uate all states</source>
        <extracomment>command</extracomment>
        <translation>Alle Z&amp;ustände auswerten</translation>
    </message>
    <message>
        <source>Measure all states of the history that were not measured yet</source>
        <extracomment>command</extracomment>
        <translation>Alle Zustände des Verlaufs messen, die noch nicht gemessen sind</translation>
    </message>
    <message>
        <source>Scan sensiti&amp;vity…</source>
        <extracomment>command</extracomment>
        <translation>Sensiti&amp;vität scannen…</translation>
    </message>
    <message>
        <source>Prune each checked tensor alone to several amounts, and measure the model each time</source>
        <extracomment>command</extracomment>
        <translation>Jeden angekreuzten Tensor allein in mehreren Umfängen prunen und das Modell jedes Mal messen</translation>
    </message>
    <message>
        <source>All&amp;ocate…</source>
        <extracomment>command</extracomment>
        <translation>Zu&amp;teilen…</translation>
    </message>
    <message>
        <source>Choose the sparsity of each scanned tensor for the least predicted damage</source>
        <extracomment>command</extracomment>
        <translation>Die Sparsity jedes gescannten Tensors so wählen, dass der vorhergesagte Schaden am kleinsten ist</translation>
    </message>
    <message>
        <source>&amp;Save recipe…</source>
        <extracomment>command</extracomment>
        <translation>Rezept &amp;speichern…</translation>
    </message>
    <message>
        <source>Save the steps of the history as a recipe that can be edited and reapplied</source>
        <extracomment>command</extracomment>
        <translation>Die Schritte des Verlaufs als Rezept speichern, das sich bearbeiten und erneut anwenden lässt</translation>
    </message>
    <message>
        <source>&amp;Apply recipe…</source>
        <extracomment>command</extracomment>
        <translation>Rezept an&amp;wenden…</translation>
    </message>
    <message>
        <source>Apply the steps of a recipe, after checking that it matches this file</source>
        <extracomment>command</extracomment>
        <translation>Die Schritte eines Rezepts anwenden, nachdem geprüft ist, dass es zu dieser Datei passt</translation>
    </message>
    <message>
        <source>Copy as &amp;Python</source>
        <extracomment>command</extracomment>
        <translation>Als &amp;Python kopieren</translation>
    </message>
    <message>
        <source>Copy the history as a script that uses torch.nn.utils.prune</source>
        <extracomment>command</extracomment>
        <translation>Den Verlauf als Skript kopieren, das torch.nn.utils.prune benutzt</translation>
    </message>
    <message>
        <source>&amp;Load method from file…</source>
        <extracomment>command</extracomment>
        <translation>Methode aus Datei &amp;laden…</translation>
    </message>
    <message>
        <source>Load a custom pruning method; this runs its code</source>
        <extracomment>command</extracomment>
        <translation>Eine eigene Pruning-Methode laden; dabei läuft ihr Code</translation>
    </message>
    <message>
        <source>Plu&amp;gins…</source>
        <extracomment>command</extracomment>
        <translation>Plu&amp;gins…</translation>
    </message>
    <message>
        <source>Choose which installed packages may add methods and formats</source>
        <extracomment>command</extracomment>
        <translation>Auswählen, welche installierten Pakete Methoden und Formate ergänzen dürfen</translation>
    </message>
    <message>
        <source>&amp;Command palette…</source>
        <extracomment>command</extracomment>
        <translation>&amp;Befehlspalette…</translation>
    </message>
    <message>
        <source>Find a command, tensor, method or setting by name</source>
        <extracomment>command</extracomment>
        <translation>Befehl, Tensor, Methode oder Einstellung nach Namen finden</translation>
    </message>
    <message>
        <source>Window &amp;{n}</source>
        <extracomment>command</extracomment>
        <translation>Fenster &amp;{n}</translation>
    </message>
    <message>
        <source>&amp;Guide</source>
        <extracomment>command</extracomment>
        <translation>&amp;Anleitung</translation>
    </message>
    <message>
        <source>Open the guide</source>
        <extracomment>command</extracomment>
        <translation>Die Anleitung öffnen</translation>
    </message>
    <message>
        <source>&amp;Tour</source>
        <extracomment>command</extracomment>
        <translation>T&amp;our</translation>
    </message>
    <message>
        <source>Learn the main steps with the sample, in two minutes</source>
        <extracomment>command</extracomment>
        <translation>Die wichtigsten Schritte am Beispiel kennenlernen, in zwei Minuten</translation>
    </message>
    <message>
        <source>&amp;Keyboard shortcuts</source>
        <extracomment>command</extracomment>
        <translation>&amp;Tastenkürzel</translation>
    </message>
    <message>
        <source>List all keyboard shortcuts</source>
        <extracomment>command</extracomment>
        <translation>Alle Tastenkürzel aufführen</translation>
    </message>
    <message>
        <source>&amp;Change keyboard shortcuts…</source>
        <extracomment>command</extracomment>
        <translation>Tasten&amp;kürzel ändern…</translation>
    </message>
    <message>
        <source>Choose the keyboard shortcuts of commands</source>
        <extracomment>command</extracomment>
        <translation>Tastenkürzel der Befehle wählen</translation>
    </message>
    <message>
        <source>&amp;About Pruneapp</source>
        <extracomment>command</extracomment>
        <translation>&amp;Über Pruneapp</translation>
    </message>
    <message>
        <source>Versions, licenses, and a report for an issue</source>
        <extracomment>command</extracomment>
        <translation>Versionen, Lizenzen und ein Bericht für eine Fehlermeldung</translation>
    </message>
    <message>
        <source>Check or uncheck in the tree</source>
        <extracomment>keys</extracomment>
        <translation>Im Baum ankreuzen oder abwählen</translation>
    </message>
    <message>
        <source>Move the cursor in the picture</source>
        <extracomment>keys</extracomment>
        <translation>Den Cursor im Bild bewegen</translation>
    </message>
    <message>
        <source>Select from the cursor; move the threshold</source>
        <extracomment>keys</extracomment>
        <translation>Vom Cursor aus wählen; den Schwellenwert bewegen</translation>
    </message>
    <message>
        <source>First and last weight in the row of the cursor</source>
        <extracomment>keys</extracomment>
        <translation>Erstes und letztes Gewicht in der Zeile des Cursors</translation>
    </message>
    <message>
        <source>Move by a page</source>
        <extracomment>keys</extracomment>
        <translation>Eine Seite weiter</translation>
    </message>
    <message>
        <source>Select the row, column or channel at the cursor</source>
        <extracomment>keys</extracomment>
        <translation>Die Zeile, Spalte oder den Kanal am Cursor wählen</translation>
    </message>
    <message>
        <source>Select one channel or all channels, on the Channels page</source>
        <extracomment>keys</extracomment>
        <translation>Auf der Seite „Kanäle“ einen oder alle Kanäle wählen</translation>
    </message>
    <message>
        <source>Prune the selection</source>
        <extracomment>keys</extracomment>
        <translation>Die Auswahl prunen</translation>
    </message>
    <message>
        <source>Restore the selection</source>
        <extracomment>keys</extracomment>
        <translation>Die Auswahl wiederherstellen</translation>
    </message>
    <message>
        <source>Protect or unprotect the selection</source>
        <extracomment>keys</extracomment>
        <translation>Die Auswahl schützen oder ihren Schutz aufheben</translation>
    </message>
    <message>
        <source>Move the threshold or the channel cut</source>
        <extracomment>keys</extracomment>
        <translation>Den Schwellenwert oder den Kanalschnitt bewegen</translation>
    </message>
    <message>
        <source>Move the target, on the Quality page</source>
        <extracomment>keys</extracomment>
        <translation>Das Ziel verschieben, auf der Seite Qualität</translation>
    </message>
    <message>
        <source>Zoom a chart, and show all of it</source>
        <extracomment>keys</extracomment>
        <translation>Ein Diagramm zoomen und ganz zeigen</translation>
    </message>
    <message>
        <source>Show the data of the picture as a table</source>
        <extracomment>keys</extracomment>
        <translation>Die Daten des Bildes als Tabelle zeigen</translation>
    </message>
    <message>
        <source>Copy the selected rows or channels, select copied channels</source>
        <extracomment>keys</extracomment>
        <translation>Gewählte Zeilen oder Kanäle kopieren, kopierte Kanäle auswählen</translation>
    </message>
    <message>
        <source>Name a state of the history</source>
        <extracomment>keys</extracomment>
        <translation>Einen Zustand im Verlauf benennen</translation>
    </message>
    <message>
        <source>Open or press what has the focus</source>
        <extracomment>keys</extracomment>
        <translation>Öffnen oder drücken, was den Fokus hat</translation>
    </message>
    <message>
        <source>Go to the next or previous control</source>
        <extracomment>keys</extracomment>
        <translation>Zum nächsten oder vorigen Bedienelement</translation>
    </message>
</context>
<context>
    <name>AffectedTensor</name>
    <message>
        <source>{share} of norm² lost</source>
        <translation>{share} der Norm² verloren</translation>
    </message>
</context>
<context>
    <name>AfterRound</name>
    <message>
        <source>Recover after each round</source>
        <translation>Nach jeder Runde nachtrainieren</translation>
    </message>
    <message>
        <source>Train the remaining weights after each round, while pruned weights stay zero: for the outputs of the unpruned model on the inputs of calibrate, or by train of the script</source>
        <translation>Trainiert nach jeder Runde die verbleibenden Gewichte, während geprunte null bleiben: auf die Ausgaben des ungeprunten Modells für die Eingaben von calibrate, oder durch train des Skripts</translation>
    </message>
    <message>
        <source>no</source>
        <translation>nein</translation>
    </message>
    <message>
        <source>distillation, without labels</source>
        <translation>Destillation, ohne Labels</translation>
    </message>
    <message>
        <source>training of the script</source>
        <translation>Training des Skripts</translation>
    </message>
    <message>
        <source>Steps per round</source>
        <translation>Schritte je Runde</translation>
    </message>
    <message>
        <source>Steps of the distillation in each round; 300 in all rounds if it is empty</source>
        <translation>Schritte der Destillation in jeder Runde; ohne Angabe 300 in allen Runden</translation>
    </message>
    <message>
        <source>automatic</source>
        <translation>automatisch</translation>
    </message>
    <message>
        <source>Re&amp;wind weights</source>
        <translation>Gewichte &amp;zurücksetzen</translation>
    </message>
    <message>
        <source>Begin each recovery with the values before the first round and the masks of the round, as in experiments on lottery tickets</source>
        <translation>Beginnt jedes Training mit den Werten vor der ersten Runde und den Masken der Runde, wie in Versuchen zu Lottery Tickets</translation>
    </message>
    <message>
        <source>&amp;Evaluate after each round</source>
        <translation>Nach jeder Runde &amp;evaluieren</translation>
    </message>
    <message>
        <source>Measure the unpruned model and each round with the script</source>
        <translation>Misst das ungeprunte Modell und jede Runde mit dem Skript</translation>
    </message>
    <message>
        <source>Stop when the metric is worse than</source>
        <translation>Anhalten, wenn die Metrik schlechter ist um</translation>
    </message>
    <message>
        <source>Difference from the unpruned model, such as 0.01 in the unit of the metric or 1 % of its value. The last round within it is selected</source>
        <translation>Unterschied zum ungeprunten Modell, etwa 0.01 in der Einheit der Metrik oder 1 % ihres Werts. Die letzte Runde innerhalb davon wird gewählt</translation>
    </message>
    <message>
        <source>never</source>
        <translation>nie</translation>
    </message>
    <message>
        <source>&amp;Recover after each round</source>
        <translation>Nach jeder Runde &amp;nachtrainieren</translation>
    </message>
    <message>
        <source>S&amp;teps per round</source>
        <translation>Schritte &amp;je Runde</translation>
    </message>
    <message>
        <source>Stop when the metric is &amp;worse than</source>
        <translation>Anhalten, &amp;wenn die Metrik schlechter ist um</translation>
    </message>
</context>
<context>
    <name>Alarm</name>
    <message>
        <source>{what}:</source>
        <translation>{what}:</translation>
    </message>
    <message>
        <source>{what}. Click to select it.</source>
        <translation>{what}. Zum Auswählen klicken.</translation>
    </message>
    <message>
        <source>No warnings</source>
        <translation>Keine Warnungen</translation>
    </message>
    <message>
        <source>Selects the first of these tensors.</source>
        <translation>Wählt den ersten dieser Tensoren.</translation>
    </message>
</context>
<context>
    <name>AllBlocksDialog</name>
    <message>
        <source>Apply to the same layer in all blocks</source>
        <translation>Auf dieselbe Schicht in allen Blöcken anwenden</translation>
    </message>
    <message>
        <source>Pattern</source>
        <translation>Muster</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>Tensor</translation>
    </message>
    <message>
        <source>Included</source>
        <translation>Einbezogen</translation>
    </message>
    <message>
        <source>Changed</source>
        <translation>Geändert</translation>
    </message>
    <message>
        <source>Protected</source>
        <translation>Geschützt</translation>
    </message>
    <message>
        <source>Included tensors</source>
        <translation>Einbezogene Tensoren</translation>
    </message>
    <message>
        <source>Don&apos;t ask again</source>
        <translation>Nicht mehr fragen</translation>
    </message>
    <message>
        <source>{weights} weights change in {n} of {all} tensors, in one step.</source>
        <translation>{weights} Gewichte ändern sich in {n} von {all} Tensoren, in einem Schritt.</translation>
    </message>
    <message>
        <source>{n} protected weights are unchanged.</source>
        <translation>{n} geschützte Gewichte bleiben unverändert.</translation>
    </message>
    <message>
        <source>{n} weights were made permanent earlier and are still 0.</source>
        <translation>{n} Gewichte wurden zuvor endgültig gemacht und sind weiter 0.</translation>
    </message>
</context>
<context>
    <name>AllocationController</name>
    <message>
        <source>The step follows the state that was scanned, &apos;{state}&apos;, in a branch.</source>
        <translation>Der Schritt folgt in einem Zweig auf den gescannten Zustand „{state}“.</translation>
    </message>
    <message>
        <source>The scan repaired each tensor before the model was measured: repair the result, too.</source>
        <translation>Der Scan hat jeden Tensor repariert, bevor das Modell gemessen wurde: Reparieren Sie auch das Ergebnis.</translation>
    </message>
    <message>
        <source>The scan is not finished: {n} of {all} evaluations are measured. Scan again to continue it.</source>
        <translation>Der Scan ist nicht fertig: {n} von {all} Auswertungen sind gemessen. Scannen Sie erneut, um ihn fortzusetzen.</translation>
    </message>
    <message>
        <source>The script that measured the scan measures the result as well, on the data that it was chosen by. Measure it on other data, too.</source>
        <translation>Das Skript, das den Scan gemessen hat, misst auch das Ergebnis, und zwar auf den Daten, nach denen gewählt wurde. Messen Sie es auch auf anderen Daten.</translation>
    </message>
    <message>
        <source>The script that measured the scan measures the result as well, with another limit: their data may overlap. Measure it on other data, too.</source>
        <translation>Das Skript, das den Scan gemessen hat, misst auch das Ergebnis, mit einer anderen Begrenzung: Die Daten können sich überschneiden. Messen Sie es auch auf anderen Daten.</translation>
    </message>
    <message>
        <source>It is not known whether the result will be measured on other data than the scan.</source>
        <translation>Es ist nicht bekannt, ob das Ergebnis auf anderen Daten gemessen wird als der Scan.</translation>
    </message>
    <message>
        <source>Pruning</source>
        <translation>Pruning</translation>
    </message>
    <message>
        <source>Allocation {share}</source>
        <translation>Zuteilung {share}</translation>
    </message>
    <message>
        <source>Allocated: {metric} {predicted} predicted, {before} before.</source>
        <translation>Zugeteilt: {metric} {predicted} vorhergesagt, {before} zuvor.</translation>
    </message>
    <message>
        <source>Evaluate this state</source>
        <translation>Diesen Zustand auswerten</translation>
    </message>
    <message>
        <source>Allocation: {metric} {measured} measured, {predicted} predicted. {data}</source>
        <translation>Zuteilung: {metric} {measured} gemessen, {predicted} vorhergesagt. {data}</translation>
    </message>
    <message>
        <source>The unpruned model has exactly the value that it had in the scan, so the data seem to be the same.</source>
        <translation>Das ungeprunte Modell hat genau den Wert wie im Scan, also sind die Daten wohl dieselben.</translation>
    </message>
</context>
<context>
    <name>AllocationDialog</name>
    <message>
        <source>Allocate</source>
        <translation>Zuteilen</translation>
    </message>
    <message>
        <source>Prune</source>
        <translation>Prunen</translation>
    </message>
    <message>
        <source>Chooses how much of each scanned tensor is pruned, so that the total is met with the least damage that the scan predicts. The result is one step with a rule for each tensor. Change is that of the metric with one tensor alone pruned: the worst of all smaller amounts, so it may be larger than in the scan.</source>
        <translation>Wählt, wie viel von jedem gescannten Tensor geprunt wird, damit der Gesamtwert mit dem kleinsten vom Scan vorhergesagten Schaden erreicht wird. Das Ergebnis ist ein Schritt mit einer Regel je Tensor. „Änderung“ ist die der Metrik, wenn nur dieser eine Tensor geprunt ist, und zwar die schlechteste bis zu diesem Umfang; sie kann also größer sein als im Scan.</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>Tensor</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>Pruned</source>
        <translation>Geprunt</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>Änderung</translation>
    </message>
    <message>
        <source>Sparsity of each tensor</source>
        <translation>Sparsity jedes Tensors</translation>
    </message>
    <message>
        <source>{metric}: {before} before, {predicted} predicted if damages add up</source>
        <translation>{metric}: {before} zuvor, {predicted} vorhergesagt, wenn sich die Schäden addieren</translation>
    </message>
    <message>
        <source>1 tensor is not measured yet and stays as it is</source>
        <translation>1 Tensor ist noch nicht gemessen und bleibt, wie er ist</translation>
    </message>
    <message>
        <source>{n} tensors are not measured yet and stay as they are</source>
        <translation>{n} Tensoren sind noch nicht gemessen und bleiben, wie sie sind</translation>
    </message>
    <message>
        <source>{words}; {more}</source>
        <translation>{words}; {more}</translation>
    </message>
    <message>
        <source>Prune 1 weight</source>
        <translation>1 Gewicht prunen</translation>
    </message>
    <message>
        <source>Prune {n} weights</source>
        <translation>{n} Gewichte prunen</translation>
    </message>
</context>
<context>
    <name>AmountEditor</name>
    <message>
        <source>{label}, slider</source>
        <translation>{label}, Schieberegler</translation>
    </message>
    <message>
        <source>Enter a count instead of a percentage</source>
        <translation>Eine Anzahl statt eines Prozentsatzes eingeben</translation>
    </message>
    <message>
        <source>Enter a percentage from 0 to 100 %, or choose # to enter a count.</source>
        <translation>Geben Sie einen Prozentsatz von 0 bis 100 % ein, oder wählen Sie # für eine Anzahl.</translation>
    </message>
    <message>
        <source>Enter a percentage from 0 to 100 % with a decimal point, or a count.</source>
        <translation>Geben Sie einen Prozentsatz von 0 bis 100 % mit Dezimalpunkt oder eine Anzahl ein.</translation>
    </message>
    <message>
        <source>Enter a percentage from 0 to 100 %, or a count.</source>
        <translation>Geben Sie einen Prozentsatz von 0 bis 100 % oder eine Anzahl ein.</translation>
    </message>
</context>
<context>
    <name>AxesRow</name>
    <message>
        <source>Dimension shown as rows</source>
        <translation>Als Zeilen gezeigte Dimension</translation>
    </message>
    <message>
        <source>Dimension shown as columns</source>
        <translation>Als Spalten gezeigte Dimension</translation>
    </message>
    <message>
        <source>Rows</source>
        <translation>Zeilen</translation>
    </message>
    <message>
        <source>Columns</source>
        <translation>Spalten</translation>
    </message>
    <message>
        <source>all</source>
        <translation>alle</translation>
    </message>
    <message>
        <source>Index along {dim}</source>
        <translation>Index entlang {dim}</translation>
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
        <translation>{axis} je Key/Value-Head</translation>
    </message>
    <message>
        <source>Click a layer to remove it.</source>
        <translation>Klicken Sie auf eine Schicht, um sie zu entfernen.</translation>
    </message>
    <message>
        <source>Share of each group</source>
        <translation>Anteil jeder Gruppe</translation>
    </message>
    <message>
        <source> And {n} more.</source>
        <translation> Und {n} weitere.</translation>
    </message>
    <message>
        <source>There is no smaller size that the model&apos;s class takes.</source>
        <translation>Es gibt keine kleinere Größe, die die Klasse des Modells annimmt.</translation>
    </message>
    <message>
        <source>{n} of {all} stay: {exactness}</source>
        <translation>{n} von {all} bleiben: {exactness}</translation>
    </message>
    <message>
        <source>nothing chosen</source>
        <translation>nichts gewählt</translation>
    </message>
    <message>
        <source>no dead layers</source>
        <translation>keine toten Schichten</translation>
    </message>
    <message>
        <source>no dead units to cut</source>
        <translation>keine toten Einheiten zu entfernen</translation>
    </message>
    <message>
        <source>A layer that does nothing is cut anyway. Click another to remove it.</source>
        <translation>Eine Schicht, die nichts tut, wird ohnehin entfernt. Klicken Sie auf eine andere, um sie zu entfernen.</translation>
    </message>
    <message>
        <source>Dead units are cut. The slider also cuts this share of the units of each group, those that rank lowest; the number that stays of each is rounded up to the multiple.</source>
        <translation>Tote Einheiten werden entfernt. Der Regler entfernt auch diesen Anteil der Einheiten jeder Gruppe, die mit dem niedrigsten Rang; die Anzahl, die von jeder bleibt, wird auf das Vielfache aufgerundet.</translation>
    </message>
    <message>
        <source>The slider cuts the experts that rank lowest.</source>
        <translation>Der Regler entfernt die Experten mit dem niedrigsten Rang.</translation>
    </message>
    <message>
        <source>Units that are dead in every layer are cut. The slider cuts those that rank lowest, too.</source>
        <translation>Einheiten, die in jeder Schicht tot sind, werden entfernt. Der Regler entfernt auch die mit dem niedrigsten Rang.</translation>
    </message>
</context>
<context>
    <name>BarChartView</name>
    <message>
        <source>Order</source>
        <translation>Reihenfolge</translation>
    </message>
    <message>
        <source>Order of the bars</source>
        <translation>Reihenfolge der Balken</translation>
    </message>
    <message>
        <source>kept</source>
        <translation>behalten</translation>
    </message>
    <message>
        <source>pruned</source>
        <translation>geprunt</translation>
    </message>
    <message>
        <source>to be pruned</source>
        <translation>zu prunen</translation>
    </message>
</context>
<context>
    <name>BoundEditor</name>
    <message>
        <source>no limit</source>
        <translation>keine Grenze</translation>
    </message>
</context>
<context>
    <name>BusyIndicator</name>
    <message>
        <source>Updating…</source>
        <translation>Wird aktualisiert…</translation>
    </message>
</context>
<context>
    <name>Cells</name>
    <message>
        <source>Below this module: {what}.</source>
        <translation>Unter diesem Modul: {what}.</translation>
    </message>
    <message>
        <source>Tensors in here that are excluded: {n}</source>
        <translation>Ausgenommene Tensoren hierin: {n}</translation>
    </message>
    <message>
        <source>Excluded: embeddings</source>
        <translation>Ausgenommen: Embeddings</translation>
    </message>
    <message>
        <source>Excluded: first layer</source>
        <translation>Ausgenommen: erste Schicht</translation>
    </message>
    <message>
        <source>Excluded: last layer</source>
        <translation>Ausgenommen: letzte Schicht</translation>
    </message>
    <message>
        <source>Excluded by rule {n}</source>
        <translation>Ausgenommen durch Regel {n}</translation>
    </message>
    <message>
        <source>Rule {n} applies</source>
        <translation>Regel {n} gilt</translation>
    </message>
    <message>
        <source>Below this module: 1 tensor, pruned together with {name}.</source>
        <translation>Unter diesem Modul: 1 Tensor, der zusammen mit {name} geprunt wird.</translation>
    </message>
    <message>
        <source>Below this module: {n} tensors, pruned together with {name}.</source>
        <translation>Unter diesem Modul: {n} Tensoren, die zusammen mit {name} geprunt werden.</translation>
    </message>
    <message>
        <source>{units} of {place}: pruned together with {names}</source>
        <translation>{units} von {place}: geprunt zusammen mit {names}</translation>
    </message>
    <message>
        <source>{units}: pruned together with {names}</source>
        <translation>{units}: geprunt zusammen mit {names}</translation>
    </message>
    <message>
        <source>{names} and {n} more</source>
        <translation>{names} und {n} weitere</translation>
    </message>
    <message>
        <source>{text}.</source>
        <translation>{text}.</translation>
    </message>
    <message>
        <source>(no name)</source>
        <translation>(kein Name)</translation>
    </message>
    <message>
        <source>{name} · tied to {other}</source>
        <translation>{name} · gekoppelt mit {other}</translation>
    </message>
    <message>
        <source>buffer</source>
        <translation>Puffer</translation>
    </message>
    <message>
        <source>The same tensor as {other}: pruned once, counted once.</source>
        <translation>Derselbe Tensor wie {other}: einmal geprunt, einmal gezählt.</translation>
    </message>
    <message>
        <source>Pruned only if you check it and confirm: {why}.</source>
        <translation>Wird nur geprunt, wenn Sie ihn ankreuzen und bestätigen: {why}.</translation>
    </message>
    <message>
        <source>Not prunable: {why}.</source>
        <translation>Nicht prunbar: {why}.</translation>
    </message>
    <message>
        <source>The model</source>
        <translation>Das Modell</translation>
    </message>
    <message>
        <source>Nothing was checked: no tensor of {name} can be pruned.</source>
        <translation>Nichts wurde angekreuzt: Kein Tensor von {name} kann geprunt werden.</translation>
    </message>
    <message>
        <source>Nothing was checked: {name} has only norms and biases. Check them one by one, or all by “Check all below” in the context menu.</source>
        <translation>Nichts wurde angekreuzt: {name} hat nur Norms und Biases. Kreuzen Sie sie einzeln an oder alle über „Alle darunter ankreuzen“ im Kontextmenü.</translation>
    </message>
    <message>
        <source>in the file: {name}</source>
        <translation>in der Datei: {name}</translation>
    </message>
    <message>
        <source>in transformers: {name}</source>
        <translation>in transformers: {name}</translation>
    </message>
    <message>
        <source>{n} blocks of the same layers and sizes</source>
        <translation>{n} Blöcke mit den gleichen Schichten und Größen</translation>
    </message>
    <message>
        <source>A buffer: computed, not learned. Only its own check box checks it.</source>
        <translation>Ein Puffer: berechnet, nicht gelernt. Nur sein eigenes Kästchen kreuzt ihn an.</translation>
    </message>
    <message>
        <source>{pruned} of {all} parameters pruned</source>
        <translation>{pruned} von {all} Parametern geprunt</translation>
    </message>
    <message>
        <source>{n} elements in buffers</source>
        <translation>{n} Elemente in Puffern</translation>
    </message>
    <message>
        <source>{share} pruned. {why}</source>
        <translation>{share} geprunt. {why}</translation>
    </message>
    <message>
        <source>not prunable</source>
        <translation>nicht prunbar</translation>
    </message>
    <message>
        <source>{share} pruned</source>
        <translation>{share} geprunt</translation>
    </message>
    <message>
        <source>{share} pruned, {after} after the step</source>
        <translation>{share} geprunt, {after} nach dem Schritt</translation>
    </message>
    <message>
        <source>Danger</source>
        <translation>Gefahr</translation>
    </message>
</context>
<context>
    <name>ChannelListController</name>
    <message>
        <source>Copied 1 index.</source>
        <translation>1 Index kopiert.</translation>
    </message>
    <message>
        <source>Copied {n} indices.</source>
        <translation>{n} Indizes kopiert.</translation>
    </message>
    <message>
        <source>Save channel list</source>
        <translation>Kanalliste speichern</translation>
    </message>
    <message>
        <source>Text ({patterns})</source>
        <translation>Text ({patterns})</translation>
    </message>
    <message>
        <source>Saved {file}.</source>
        <translation>{file} gespeichert.</translation>
    </message>
    <message>
        <source>Saving channel list</source>
        <translation>Kanalliste wird gespeichert</translation>
    </message>
    <message>
        <source>Load channel list</source>
        <translation>Kanalliste laden</translation>
    </message>
    <message>
        <source>Text ({patterns});;All files (*)</source>
        <translation>Text ({patterns});;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Selected 1 index.</source>
        <translation>1 Index gewählt.</translation>
    </message>
    <message>
        <source>Selected {n} indices.</source>
        <translation>{n} Indizes gewählt.</translation>
    </message>
</context>
<context>
    <name>ChannelsView</name>
    <message>
        <source>By index</source>
        <translation>Nach Index</translation>
    </message>
    <message>
        <source>By norm</source>
        <translation>Nach Norm</translation>
    </message>
    <message>
        <source>Measuring channels…</source>
        <translation>Kanäle werden gemessen…</translation>
    </message>
    <message>
        <source>Dimension</source>
        <translation>Dimension</translation>
    </message>
    <message>
        <source>Dimension whose slices are the channels, or units that lie along one</source>
        <translation>Dimension, deren Scheiben die Kanäle sind, oder Einheiten entlang einer Dimension</translation>
    </message>
    <message>
        <source>Norm</source>
        <translation>Norm</translation>
    </message>
    <message>
        <source>Norm of the channels</source>
        <translation>Norm der Kanäle</translation>
    </message>
    <message>
        <source>Select a tensor with two or more dimensions in the tree.</source>
        <translation>Wählen Sie im Baum einen Tensor mit zwei oder mehr Dimensionen.</translation>
    </message>
    <message>
        <source>Norms of the channels</source>
        <translation>Normen der Kanäle</translation>
    </message>
    <message>
        <source>units, sorted by norm</source>
        <translation>Einheiten, nach Norm geordnet</translation>
    </message>
    <message>
        <source>unit</source>
        <translation>Einheit</translation>
    </message>
    <message>
        <source>channels, sorted by norm</source>
        <translation>Kanäle, nach Norm geordnet</translation>
    </message>
    <message>
        <source>channel</source>
        <translation>Kanal</translation>
    </message>
    <message>
        <source>{channels} (columns of {n}: the largest of each state)</source>
        <translation>{channels} (Spalten zu je {n}: die größten jedes Zustands)</translation>
    </message>
    <message>
        <source>channel {index}:  {norm} {value},  {state}</source>
        <translation>Kanal {index}:  {norm} {value},  {state}</translation>
    </message>
    <message>
        <source>unit {index} ({channels}):  {norm} {value},  {state}</source>
        <translation>Einheit {index} ({channels}):  {norm} {value},  {state}</translation>
    </message>
    <message>
        <source>1 channel</source>
        <translation>1 Kanal</translation>
    </message>
    <message>
        <source>{n} channels</source>
        <translation>{n} Kanäle</translation>
    </message>
    <message>
        <source>{left} of {whole}</source>
        <translation>{left} von {whole}</translation>
    </message>
    <message>
        <source>, {after} after the step</source>
        <translation>, {after} nach dem Schritt</translation>
    </message>
    <message>
        <source>{n} pruned</source>
        <translation>{n} geprunt</translation>
    </message>
    <message>
        <source>{n} partly pruned</source>
        <translation>{n} teils geprunt</translation>
    </message>
    <message>
        <source>{n} to be pruned</source>
        <translation>{n} zu prunen</translation>
    </message>
    <message>
        <source>{n} protected</source>
        <translation>{n} geschützt</translation>
    </message>
    <message>
        <source>{n} partly protected</source>
        <translation>{n} teils geschützt</translation>
    </message>
    <message>
        <source>{n} units</source>
        <translation>{n} Einheiten</translation>
    </message>
    <message>
        <source>all kept</source>
        <translation>alle behalten</translation>
    </message>
    <message>
        <source>protected</source>
        <translation>geschützt</translation>
    </message>
    <message>
        <source>Partly protected: structured methods do not prune the channel; unstructured methods prune its unprotected weights only.</source>
        <translation>Teils geschützt: Strukturierte Methoden prunen den Kanal nicht; unstrukturierte prunen nur seine ungeschützten Gewichte.</translation>
    </message>
    <message>
        <source>partly protected</source>
        <translation>teils geschützt</translation>
    </message>
    <message>
        <source>{norm} left</source>
        <translation>{norm} übrig</translation>
    </message>
    <message>
        <source>{norm} after the step</source>
        <translation>{norm} nach dem Schritt</translation>
    </message>
    <message>
        <source>share of weights kept</source>
        <translation>Anteil behaltener Gewichte</translation>
    </message>
    <message>
        <source>share kept after the step</source>
        <translation>nach dem Schritt behaltener Anteil</translation>
    </message>
    <message>
        <source>state</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>click or drag to choose units</source>
        <translation>klicken oder ziehen, um Einheiten zu wählen</translation>
    </message>
    <message>
        <source>1 unit selected</source>
        <translation>1 Einheit gewählt</translation>
    </message>
    <message>
        <source>{n} units selected</source>
        <translation>{n} Einheiten gewählt</translation>
    </message>
    <message>
        <source>, in {n} tensors</source>
        <translation>, in {n} Tensoren</translation>
    </message>
    <message>
        <source>click or drag to choose channels</source>
        <translation>klicken oder ziehen, um Kanäle zu wählen</translation>
    </message>
    <message>
        <source>1 channel selected</source>
        <translation>1 Kanal gewählt</translation>
    </message>
    <message>
        <source>{n} channels selected</source>
        <translation>{n} Kanäle gewählt</translation>
    </message>
    <message>
        <source>{channels}, {norm} {total}</source>
        <translation>{channels}, {norm} {total}</translation>
    </message>
    <message>
        <source>{channels}, sum of {norm}s {total}</source>
        <translation>{channels}, Summe der {norm} {total}</translation>
    </message>
    <message>
        <source>{dim}: {units} ({n})</source>
        <translation>{dim}: {units} ({n})</translation>
    </message>
    <message>
        <source>Frobenius</source>
        <translation>Frobenius</translation>
    </message>
    <message>
        <source>nuclear</source>
        <translation>nuklear</translation>
    </message>
    <message>
        <source>Frobenius norm</source>
        <translation>Frobeniusnorm</translation>
    </message>
    <message>
        <source>nuclear norm</source>
        <translation>nukleare Norm</translation>
    </message>
    <message>
        <source>{label} norm</source>
        <translation>{label}-Norm</translation>
    </message>
    <message>
        <source>to be pruned</source>
        <translation>zu prunen</translation>
    </message>
    <message>
        <source>pruned</source>
        <translation>geprunt</translation>
    </message>
    <message>
        <source>kept</source>
        <translation>behalten</translation>
    </message>
    <message>
        <source>{now} of its weights kept, {then} after the step</source>
        <translation>{now} der Gewichte behalten, {then} nach dem Schritt</translation>
    </message>
    <message>
        <source>{share} of its weights kept</source>
        <translation>{share} der Gewichte behalten</translation>
    </message>
    <message>
        <source>{state}, partly protected</source>
        <translation>{state}, teils geschützt</translation>
    </message>
    <message>
        <source>{state}, protected</source>
        <translation>{state}, geschützt</translation>
    </message>
</context>
<context>
    <name>CombineController</name>
    <message>
        <source>Combine masks with a file</source>
        <translation>Masken mit einer Datei verknüpfen</translation>
    </message>
    <message>
        <source>Reading masks</source>
        <translation>Masken werden gelesen</translation>
    </message>
    <message>
        <source>Combining masks</source>
        <translation>Masken werden verknüpft</translation>
    </message>
</context>
<context>
    <name>CombineDialog</name>
    <message>
        <source>Combine masks</source>
        <translation>Masken verknüpfen</translation>
    </message>
    <message>
        <source>Other file: {file}. {n} tensors are in both files. Overlap of the pruned weights (intersection over union): {share}.</source>
        <translation>Andere Datei: {file}. {n} Tensoren sind in beiden Dateien. Überlappung der geprunten Gewichte (Schnitt durch Vereinigung): {share}.</translation>
    </message>
    <message>
        <source>The other file has no masks: its zeros count as pruned, except in biases, norms and embeddings that have no pruned weights in this file.</source>
        <translation>Die andere Datei hat keine Masken: Ihre Nullen zählen als geprunt, außer in Biases, Norms und Embeddings, die in dieser Datei keine geprunten Gewichte haben.</translation>
    </message>
    <message>
        <source>Pruned in</source>
        <translation>Geprunt in</translation>
    </message>
    <message>
        <source>Both</source>
        <translation>Beide</translation>
    </message>
    <message>
        <source>Only in this file</source>
        <translation>Nur in dieser Datei</translation>
    </message>
    <message>
        <source>Only in the other file</source>
        <translation>Nur in der anderen Datei</translation>
    </message>
    <message>
        <source>Overlap</source>
        <translation>Überlappung</translation>
    </message>
    <message>
        <source>Mask overlap per tensor</source>
        <translation>Überlappung der Masken je Tensor</translation>
    </message>
    <message>
        <source>Union</source>
        <translation>Vereinigung</translation>
    </message>
    <message>
        <source>Also prune weights that are pruned only in the other file</source>
        <translation>Auch die Gewichte prunen, die nur in der anderen Datei geprunt sind</translation>
    </message>
    <message>
        <source>Intersection</source>
        <translation>Schnitt</translation>
    </message>
    <message>
        <source>Restore weights that are pruned only in this file</source>
        <translation>Die Gewichte wiederherstellen, die nur in dieser Datei geprunt sind</translation>
    </message>
    <message>
        <source>Restore weights that are pruned in both files</source>
        <translation>Die Gewichte wiederherstellen, die in beiden Dateien geprunt sind</translation>
    </message>
    <message>
        <source>Show differences</source>
        <translation>Unterschiede zeigen</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>Ergebnis</translation>
    </message>
    <message>
        <source>Prune {n} weights</source>
        <translation>{n} Gewichte prunen</translation>
    </message>
    <message>
        <source>Restore {n} weights</source>
        <translation>{n} Gewichte wiederherstellen</translation>
    </message>
    <message>
        <source>No changes</source>
        <translation>Keine Änderungen</translation>
    </message>
</context>
<context>
    <name>CommandConsentDialog</name>
    <message>
        <source>Command line</source>
        <translation>Befehlszeile</translation>
    </message>
    <message>
        <source>It runs without a shell, once for each state that is evaluated: {checkpoint} stands for the opened file, or for a temporary file with a pruned state. The program can read and change your files and use the network, as if you started it yourself. Only run what you know.</source>
        <translation>Sie läuft ohne Shell, einmal für jeden ausgewerteten Zustand: {checkpoint} steht für die geöffnete Datei oder für eine temporäre Datei mit einem geprunten Zustand. Das Programm kann Ihre Dateien lesen und ändern und das Netz benutzen, als hätten Sie es selbst gestartet. Führen Sie nur aus, was Sie kennen.</translation>
    </message>
    <message>
        <source>Program</source>
        <translation>Programm</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>Run command line</source>
        <translation>Befehlszeile ausführen</translation>
    </message>
    <message>
        <source>Run this command line? It is new.</source>
        <translation>Diese Befehlszeile ausführen? Sie ist neu.</translation>
    </message>
</context>
<context>
    <name>CommandPalette</name>
    <message>
        <source>Command palette</source>
        <translation>Befehlspalette</translation>
    </message>
    <message>
        <source>Type part of the name of a command, tensor, method or setting</source>
        <translation>Einen Teil des Namens eines Befehls, Tensors, einer Methode oder Einstellung eingeben</translation>
    </message>
    <message>
        <source>Part of a name</source>
        <translation>Teil eines Namens</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Shortcut or kind</source>
        <translation>Kürzel oder Art</translation>
    </message>
    <message>
        <source>Matches</source>
        <translation>Treffer</translation>
    </message>
    <message>
        <source>No matches.</source>
        <translation>Keine Treffer.</translation>
    </message>
    <message>
        <source>{n} more tensors match.</source>
        <translation>{n} weitere Tensoren passen.</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>Tensor</translation>
    </message>
</context>
<context>
    <name>CompanionsRow</name>
    <message>
        <source>Also prune matching bias and norm entries</source>
        <translation>Einträge in Bias und Norm auch prunen</translation>
    </message>
    <message>
        <source>A pruned filter still outputs a constant if its norm layer has a bias (beta).</source>
        <translation>Ein geprunter Filter gibt weiter eine Konstante aus, wenn seine Norm-Schicht einen Bias (beta) hat.</translation>
    </message>
    <message>
        <source>No bias or norm layer was found for these tensors by name.</source>
        <translation>Dem Namen nach fand sich zu diesen Tensoren weder Bias noch Norm-Schicht.</translation>
    </message>
    <message>
        <source>{why} {n} of {m} tensors have a matching bias or norm.</source>
        <translation>{why} {n} von {m} Tensoren haben einen zugehörigen Bias oder eine Norm.</translation>
    </message>
    <message>
        <source>Matching entries are found by name, for example conv1 and bn1 in the same module. They do not count toward the amount.</source>
        <translation>Zugehörige Einträge werden nach Namen gefunden, zum Beispiel conv1 und bn1 im selben Modul. Sie zählen nicht zum Umfang.</translation>
    </message>
</context>
<context>
    <name>CompareController</name>
    <message>
        <source>Compare with a checkpoint</source>
        <translation>Mit einem Checkpoint vergleichen</translation>
    </message>
    <message>
        <source>Compare with a checkpoint in a folder</source>
        <translation>Mit einem Checkpoint in einem Ordner vergleichen</translation>
    </message>
    <message>
        <source>Comparing</source>
        <translation>Vergleich</translation>
    </message>
    <message>
        <source>Neither A nor B has been evaluated.</source>
        <translation>Weder A noch B wurde ausgewertet.</translation>
    </message>
    <message>
        <source>{state} is the only state to be compared, and does not differ from itself. Go to a later state, or choose two on the page Compare.</source>
        <translation>{state} ist der einzige Zustand zum Vergleichen und unterscheidet sich nicht von sich selbst. Gehen Sie zu einem späteren Zustand, oder wählen Sie zwei auf der Seite „Vergleichen“.</translation>
    </message>
    <message>
        <source>Nothing differs here between {a} and {b}.</source>
        <translation>Hier unterscheiden sich {a} und {b} nicht.</translation>
    </message>
</context>
<context>
    <name>CompareView</name>
    <message>
        <source>Most different first</source>
        <translation>Größte Unterschiede zuerst</translation>
    </message>
    <message>
        <source>In layer order</source>
        <translation>Nach Schichten geordnet</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>Maß</translation>
    </message>
    <message>
        <source>Measure of the difference; the readout and the table show all measures</source>
        <translation>Maß des Unterschieds; Anzeige und Tabelle zeigen alle Maße</translation>
    </message>
    <message>
        <source>Relative norm</source>
        <translation>Relative Norm</translation>
    </message>
    <message>
        <source>1 − cosine</source>
        <translation>1 − Kosinus</translation>
    </message>
    <message>
        <source>Different signs</source>
        <translation>Andere Vorzeichen</translation>
    </message>
    <message>
        <source>Unshared zeros</source>
        <translation>Nicht gemeinsame Nullen</translation>
    </message>
    <message>
        <source>Comparing…</source>
        <translation>Wird verglichen…</translation>
    </message>
    <message>
        <source>Differences of the tensors</source>
        <translation>Unterschiede der Tensoren</translation>
    </message>
    <message>
        <source>Neither side has a tensor.</source>
        <translation>Keine der Seiten hat einen Tensor.</translation>
    </message>
    <message>
        <source>Nothing differs: all {n} tensors are equal.</source>
        <translation>Kein Unterschied: Alle {n} Tensoren sind gleich.</translation>
    </message>
    <message>
        <source>Open a checkpoint to compare its states, or to compare it with another file.</source>
        <translation>Öffnen Sie einen Checkpoint, um seine Zustände oder ihn mit einer anderen Datei zu vergleichen.</translation>
    </message>
    <message>
        <source>There is only one state so far. Apply a pruning step, or choose another file as B.</source>
        <translation>Es gibt erst einen Zustand. Führen Sie einen Pruning-Schritt aus, oder wählen Sie für B eine andere Datei.</translation>
    </message>
    <message>
        <source>A and B are the same. Choose another state or file above.</source>
        <translation>A und B sind dasselbe. Wählen Sie oben einen anderen Zustand oder eine andere Datei.</translation>
    </message>
    <message>
        <source>Choose two states above to compare.</source>
        <translation>Wählen Sie oben zwei Zustände zum Vergleichen.</translation>
    </message>
    <message>
        <source>differing tensors</source>
        <translation>unterschiedliche Tensoren</translation>
    </message>
    <message>
        <source>{share} of the weights differ</source>
        <translation>{share} der Gewichte unterscheiden sich</translation>
    </message>
    <message>
        <source>relative norm {value}</source>
        <translation>relative Norm {value}</translation>
    </message>
    <message>
        <source>cosine {value}</source>
        <translation>Kosinus {value}</translation>
    </message>
    <message>
        <source>equal signs {value}</source>
        <translation>gleiche Vorzeichen {value}</translation>
    </message>
    <message>
        <source>shared zeros {value}</source>
        <translation>gemeinsame Nullen {value}</translation>
    </message>
    <message>
        <source>{some} of {all} tensors differ</source>
        <translation>{some} von {all} Tensoren unterscheiden sich</translation>
    </message>
    <message>
        <source>{n} only in A</source>
        <translation>{n} nur in A</translation>
    </message>
    <message>
        <source>{n} only in B</source>
        <translation>{n} nur in B</translation>
    </message>
    <message>
        <source>{n} with a different shape</source>
        <translation>{n} mit anderer Form</translation>
    </message>
    <message>
        <source>{n} that cannot be read</source>
        <translation>{n} nicht lesbar</translation>
    </message>
    <message>
        <source>;  {n} beyond the end of the axis</source>
        <translation>;  {n} jenseits des Achsenendes</translation>
    </message>
    <message>
        <source>tensor</source>
        <translation>Tensor</translation>
    </message>
    <message>
        <source>difference</source>
        <translation>Unterschied</translation>
    </message>
    <message>
        <source>weights that differ</source>
        <translation>unterschiedliche Gewichte</translation>
    </message>
    <message>
        <source>relative norm</source>
        <translation>relative Norm</translation>
    </message>
    <message>
        <source>cosine</source>
        <translation>Kosinus</translation>
    </message>
    <message>
        <source>equal signs</source>
        <translation>gleiche Vorzeichen</translation>
    </message>
    <message>
        <source>shared zeros</source>
        <translation>gemeinsame Nullen</translation>
    </message>
    <message>
        <source>identical</source>
        <translation>identisch</translation>
    </message>
    <message>
        <source>differs</source>
        <translation>verschieden</translation>
    </message>
    <message>
        <source>only in A</source>
        <translation>nur in A</translation>
    </message>
    <message>
        <source>only in B</source>
        <translation>nur in B</translation>
    </message>
    <message>
        <source>different shape or type, not compared</source>
        <translation>andere Form oder anderer Typ, nicht verglichen</translation>
    </message>
    <message>
        <source>cannot be read, not compared</source>
        <translation>nicht lesbar, nicht verglichen</translation>
    </message>
    <message>
        <source>difference, % of A</source>
        <translation>Unterschied, % von A</translation>
    </message>
    <message>
        <source>different signs, %</source>
        <translation>andere Vorzeichen, %</translation>
    </message>
    <message>
        <source>unshared zeros, %</source>
        <translation>nicht gemeinsame Nullen, %</translation>
    </message>
    <message>
        <source>{measure}; longer bars end in ▶</source>
        <translation>{measure}; längere Balken enden mit ▶</translation>
    </message>
</context>
<context>
    <name>ComparisonSource</name>
    <message>
        <source>Opening</source>
        <translation>Öffnen</translation>
    </message>
</context>
<context>
    <name>ConfigDiff</name>
    <message>
        <source>Changes of config.json</source>
        <translation>Änderungen an config.json</translation>
    </message>
</context>
<context>
    <name>ConsentDialog</name>
    <message>
        <source>Run</source>
        <translation>Ausführen</translation>
    </message>
</context>
<context>
    <name>CopyButton</name>
    <message>
        <source>✓ Copied</source>
        <translation>✓ Kopiert</translation>
    </message>
    <message>
        <source>Copy as text</source>
        <translation>Als Text kopieren</translation>
    </message>
</context>
<context>
    <name>Danger</name>
    <message>
        <source>little left</source>
        <translation>wenig übrig</translation>
    </message>
    <message>
        <source>all pruned</source>
        <translation>alles geprunt</translation>
    </message>
    <message>
        <source>All of its weights are pruned.</source>
        <translation>Alle seine Gewichte sind geprunt.</translation>
    </message>
    <message>
        <source>Only {share} of its weights are left.</source>
        <translation>Nur {share} seiner Gewichte sind übrig.</translation>
    </message>
    <message>
        <source>{share} of its weights are left, with {norm} of its norm².</source>
        <translation>{share} seiner Gewichte sind übrig, mit {norm} seiner Norm².</translation>
    </message>
    <message>
        <source>1 tensor is pruned completely</source>
        <translation>1 Tensor ist ganz geprunt</translation>
    </message>
    <message>
        <source>{n} tensors are pruned completely</source>
        <translation>{n} Tensoren sind ganz geprunt</translation>
    </message>
    <message>
        <source>little is left of 1 tensor</source>
        <translation>von 1 Tensor ist wenig übrig</translation>
    </message>
    <message>
        <source>little is left of {n} tensors</source>
        <translation>von {n} Tensoren ist wenig übrig</translation>
    </message>
    <message>
        <source>{what}: {names}.</source>
        <translation>{what}: {names}.</translation>
    </message>
</context>
<context>
    <name>DataKind</name>
    <message>
        <source>no data, random token ids</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no data, random inputs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Evaluation script</source>
        <translation>Auswertungs&amp;skript</translation>
    </message>
    <message>
        <source>A Python file that loads the model and runs inputs through it.</source>
        <translation>Eine Python-Datei, die das Modell lädt und Eingaben hindurchschickt.</translation>
    </message>
    <message>
        <source>&amp;Text file</source>
        <translation>&amp;Textdatei</translation>
    </message>
    <message>
        <source>A text for the model, which transformers loads from its folder. Evaluate measures the perplexity of a language model; of an encoder, how far the embeddings of the lines are those of the unpruned model.</source>
        <translation>Ein Text für das Modell, das transformers aus seinem Ordner lädt. Die Auswertung misst die Perplexität eines Sprachmodells; bei einem Encoder, wie sehr die Embeddings der Zeilen denen des ungeprunten Modells gleichen.</translation>
    </message>
    <message>
        <source>&amp;Images</source>
        <translation>&amp;Bilder</translation>
    </message>
    <message>
        <source>A folder of images for the classifier, which torchvision or timm builds. With a subfolder for each class of the model, Evaluate measures the accuracy; else, how far the outputs are those of the unpruned model.</source>
        <translation>Ein Ordner mit Bildern für den Klassifikator, den torchvision oder timm baut. Mit einem Unterordner je Klasse des Modells misst die Auswertung die Genauigkeit; sonst, wie sehr die Ausgaben denen des ungeprunten Modells gleichen.</translation>
    </message>
    <message>
        <source>&amp;No data</source>
        <translation>Kei&amp;ne Daten</translation>
    </message>
    <message>
        <source>Random token ids, the same each time: unlike any real input.</source>
        <translation>Zufällige Token-IDs, jedes Mal dieselben: anders als jede echte Eingabe.</translation>
    </message>
    <message>
        <source>&amp;Random inputs</source>
        <translation>&amp;Zufällige Eingaben</translation>
    </message>
    <message>
        <source>Random numbers, the same each time, in the shapes that the ONNX model declares: unlike any real input. Sizes that it leaves open are entered here, such as batch=1, height=224.</source>
        <translation>Zufallszahlen, jedes Mal dieselben, in den Formen, die das ONNX-Modell angibt: anders als echte Eingaben. Größen, die es offen lässt, werden hier eingegeben, etwa batch=1, height=224.</translation>
    </message>
    <message>
        <source>&amp;Statistics file</source>
        <translation>S&amp;tatistikdatei</translation>
    </message>
    <message>
        <source>Statistics of activations of the unpruned model.</source>
        <translation>Aktivierungsstatistik des ungeprunten Modells.</translation>
    </message>
    <message>
        <source>&amp;Command line</source>
        <translation>&amp;Befehlszeile</translation>
    </message>
    <message>
        <source>A program that evaluates a file: {checkpoint} stands for its path, {out} for that of the result, a JSON object or a number. Without {out}, the last one that it prints.</source>
        <translation>Ein Programm, das eine Datei auswertet: {checkpoint} steht für ihren Pfad, {out} für den des Ergebnisses, ein JSON-Objekt oder eine Zahl. Ohne {out} gilt das letzte, das es ausgibt.</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Python files ({patterns})</source>
        <translation>Python-Dateien ({patterns})</translation>
    </message>
    <message>
        <source>Statistics ({patterns})</source>
        <translation>Statistik ({patterns})</translation>
    </message>
</context>
<context>
    <name>DecisionDialog</name>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
</context>
<context>
    <name>Declarations</name>
    <message>
        <source>L1 unstructured (magnitude)</source>
        <extracomment>method l1_unstructured</extracomment>
        <translation>L1 unstrukturiert (Betrag)</translation>
    </message>
    <message>
        <source>Prunes the weights with the smallest magnitude. The usual baseline: most networks keep their accuracy up to about 30 % without retraining. Per tensor prunes the same fraction of each tensor; global ranks the weights of all selected tensors together, so that layers with small weights are pruned more. Zeros reduce the file size only if the file is compressed. Same as torch.nn.utils.prune.l1_unstructured and global_unstructured.</source>
        <extracomment>method l1_unstructured</extracomment>
        <translation>Prunt die Gewichte mit dem kleinsten Betrag. Die übliche Vergleichsgröße: Die meisten Netze behalten bis etwa 30 % ihre Genauigkeit ohne erneutes Training. „Je Tensor“ prunt denselben Anteil jedes Tensors; „global“ ordnet die Gewichte aller gewählten Tensoren gemeinsam, sodass Schichten mit kleinen Gewichten stärker geprunt werden. Nullen verkleinern die Datei nur, wenn sie komprimiert wird. Wie torch.nn.utils.prune.l1_unstructured und global_unstructured.</translation>
    </message>
    <message>
        <source>Amount</source>
        <extracomment>method l1_unstructured, amount</extracomment>
        <translation>Umfang</translation>
    </message>
    <message>
        <source>Fraction of remaining weights, or a number of weights.</source>
        <extracomment>method l1_unstructured, amount</extracomment>
        <translation>Anteil der verbleibenden Gewichte oder Anzahl von Gewichten.</translation>
    </message>
    <message>
        <source>L1 per row (unstructured)</source>
        <extracomment>method l1_per_row</extracomment>
        <translation>L1 je Zeile (unstrukturiert)</translation>
    </message>
    <message>
        <source>Prunes the weights of the smallest magnitude in each row, that is, per output neuron or filter, to the same sparsity. Use it for language models: no output loses nearly all of its inputs (Wanda compares weights within the same groups; Sun et al., 2024). A fraction is rounded in each row; a count or a target total is exact, so that some rows may lose one weight more.</source>
        <extracomment>method l1_per_row</extracomment>
        <translation>Prunt in jeder Zeile, also je Ausgabeneuron oder Filter, die Gewichte mit dem kleinsten Betrag, auf dieselbe Sparsity. Für Sprachmodelle: Keine Ausgabe verliert fast alle ihre Eingaben (Wanda vergleicht Gewichte in denselben Gruppen; Sun et al., 2024). Ein Anteil wird in jeder Zeile gerundet; eine Anzahl oder eine Gesamt-Sparsity gilt genau, sodass manche Zeilen ein Gewicht mehr verlieren können.</translation>
    </message>
    <message>
        <source>Normalized L1 (unstructured)</source>
        <extracomment>method l1_normalized</extracomment>
        <translation>Normiertes L1 (unstrukturiert)</translation>
    </message>
    <message>
        <source>Ranks the weights of all selected tensors by magnitude divided by a typical magnitude of their tensor. Use it instead of global L1 when layers differ in scale: layers of small weights are not pruned away first. Pruned weights are ignored; NaN and infinite weights count as 0 in the divisor.</source>
        <extracomment>method l1_normalized</extracomment>
        <translation>Ordnet die Gewichte aller gewählten Tensoren nach ihrem Betrag, geteilt durch einen typischen Betrag ihres Tensors. Statt des globalen L1, wenn sich Schichten im Maßstab unterscheiden: Schichten mit kleinen Gewichten werden nicht zuerst weggeprunt. Geprunte Gewichte bleiben außer Acht; NaN und unendliche Gewichte zählen im Teiler als 0.</translation>
    </message>
    <message>
        <source>Divide by</source>
        <extracomment>method l1_normalized, divide_by</extracomment>
        <translation>Teilen durch</translation>
    </message>
    <message>
        <source>Divisor of the magnitudes of a tensor before they are compared.</source>
        <extracomment>method l1_normalized, divide_by</extracomment>
        <translation>Wodurch die Beträge eines Tensors geteilt werden, bevor sie verglichen werden.</translation>
    </message>
    <message>
        <source>RMS</source>
        <extracomment>method l1_normalized, divide_by</extracomment>
        <translation>RMS</translation>
    </message>
    <message>
        <source>Square root of the mean of squares.</source>
        <extracomment>method l1_normalized, divide_by</extracomment>
        <translation>Wurzel aus dem Mittel der Quadrate.</translation>
    </message>
    <message>
        <source>Mean</source>
        <extracomment>method l1_normalized, divide_by</extracomment>
        <translation>Mittelwert</translation>
    </message>
    <message>
        <source>Mean of magnitudes.</source>
        <extracomment>method l1_normalized, divide_by</extracomment>
        <translation>Mittelwert der Beträge.</translation>
    </message>
    <message>
        <source>Frobenius norm</source>
        <extracomment>method l1_normalized, divide_by</extracomment>
        <translation>Frobeniusnorm</translation>
    </message>
    <message>
        <source>Prunes large tensors more.</source>
        <extracomment>method l1_normalized, divide_by</extracomment>
        <translation>Prunt große Tensoren stärker.</translation>
    </message>
    <message>
        <source>Largest</source>
        <extracomment>method l1_normalized, divide_by</extracomment>
        <translation>Größter</translation>
    </message>
    <message>
        <source>Largest magnitude.</source>
        <extracomment>method l1_normalized, divide_by</extracomment>
        <translation>Größter Betrag.</translation>
    </message>
    <message>
        <source>Relative importance (RIA)</source>
        <extracomment>method relative_importance</extracomment>
        <translation>Relative Wichtigkeit (RIA)</translation>
    </message>
    <message>
        <source>Prunes weights that are small relative to their row and their column, so that no neuron loses all of its inputs or outputs. Use it for language models, where it often keeps more accuracy than magnitude. It is the data-free part of RIA (a = 0; Zhang et al., 2024). Pruned weights are ignored. A convolution is treated as a matrix of filters by all other dimensions.</source>
        <extracomment>method relative_importance</extracomment>
        <translation>Prunt Gewichte, die im Verhältnis zu ihrer Zeile und Spalte klein sind, sodass kein Neuron alle Eingaben oder Ausgaben verliert. Für Sprachmodelle, wo es oft mehr Genauigkeit erhält als der Betrag. Es ist der Teil von RIA, der keine Daten braucht (a = 0; Zhang et al., 2024). Geprunte Gewichte bleiben außer Acht. Eine Faltung gilt als Matrix aus Filtern mal allen anderen Dimensionen.</translation>
    </message>
    <message>
        <source>Wanda (per row)</source>
        <extracomment>method wanda</extracomment>
        <translation>Wanda (je Zeile)</translation>
    </message>
    <message>
        <source>Prunes the weights with the smallest product of magnitude and size of their input in each row, that is, per output neuron or filter, to the same sparsity (Sun et al., 2024), rounded in each row. Use it for language models. It needs statistics of activations, but no retraining. On small convolutional networks, and from about 70 % on, it is often worse than magnitude: measure it.</source>
        <extracomment>method wanda</extracomment>
        <translation>Prunt in jeder Zeile, also je Ausgabeneuron oder Filter, die Gewichte mit dem kleinsten Produkt aus Betrag und Größe ihrer Eingabe, auf dieselbe Sparsity (Sun et al., 2024), in jeder Zeile gerundet. Für Sprachmodelle. Braucht eine Aktivierungsstatistik, aber kein erneutes Training. Bei kleinen Faltungsnetzen und ab etwa 70 % ist es oft schlechter als der Betrag: Messen Sie es.</translation>
    </message>
    <message>
        <source>Wanda (per tensor)</source>
        <extracomment>method wanda_per_tensor</extracomment>
        <translation>Wanda (je Tensor)</translation>
    </message>
    <message>
        <source>Prunes the weights of a tensor with the smallest product of magnitude and size of their input, whatever their row. Use it instead of Wanda per row for image models, and for layers whose rows are inputs (the Conv1D of transformers). It needs statistics of activations. Compare it with magnitude.</source>
        <extracomment>method wanda_per_tensor</extracomment>
        <translation>Prunt die Gewichte eines Tensors mit dem kleinsten Produkt aus Betrag und Größe ihrer Eingabe, gleich in welcher Zeile. Statt Wanda je Zeile für Bildmodelle und für Schichten, deren Zeilen Eingaben sind (Conv1D von transformers). Braucht eine Aktivierungsstatistik. Vergleichen Sie es mit dem Betrag.</translation>
    </message>
    <message>
        <source>Swaps (per row)</source>
        <extracomment>method swaps</extracomment>
        <translation>Vertauschen (je Zeile)</translation>
    </message>
    <message>
        <source>Begins with Wanda per row and exchanges a pruned with a kept weight of the same row as long as the error of the row&apos;s output falls (after SparseSwaps, 2025). Use it where pruned weights are not repaired: it removes about half of Wanda&apos;s error. It needs statistics with Gram matrices, and takes minutes for layers of thousands of inputs.</source>
        <extracomment>method swaps</extracomment>
        <translation>Beginnt mit Wanda je Zeile und tauscht ein gepruntes gegen ein behaltenes Gewicht derselben Zeile, solange der Fehler der Ausgabe der Zeile sinkt (nach SparseSwaps, 2025). Für geprunte Gewichte, die nicht repariert werden: Etwa die Hälfte des Fehlers von Wanda verschwindet. Braucht eine Statistik mit Gram-Matrizen und dauert bei Schichten mit Tausenden von Eingaben Minuten.</translation>
    </message>
    <message>
        <source>Exchanges</source>
        <extracomment>method swaps, rounds</extracomment>
        <translation>Vertauschungen</translation>
    </message>
    <message>
        <source>Maximum number of exchanges in each row; it ends sooner where none helps.</source>
        <extracomment>method swaps, rounds</extracomment>
        <translation>Höchstens so viele Vertauschungen je Zeile; es endet früher, wenn keine mehr hilft.</translation>
    </message>
    <message>
        <source>OWL (Wanda per row)</source>
        <extracomment>method owl</extracomment>
        <translation>OWL (Wanda je Zeile)</translation>
    </message>
    <message>
        <source>Outlier weighed layerwise sparsity (Yin et al., 2024): Wanda per row, but layers with more outliers among the scores stay denser. A layer is a numbered block, else a tensor. It is meant for large language models at 70 % and more. On small models it was mostly worse: compare it with Wanda, and prefer a sensitivity scan. It needs statistics of activations. Weights that are already pruned count toward the sparsity.</source>
        <extracomment>method owl</extracomment>
        <translation>Nach Ausreißern gewichtete Sparsity je Schicht (Yin et al., 2024): Wanda je Zeile, doch Schichten mit mehr Ausreißern unter den Werten bleiben dichter. Eine Schicht ist ein nummerierter Block, sonst ein Tensor. Gedacht für große Sprachmodelle ab 70 %. Bei kleinen Modellen war es meist schlechter: Vergleichen Sie es mit Wanda, und ziehen Sie einen Sensitivitäts-Scan vor. Braucht eine Aktivierungsstatistik. Bereits geprunte Gewichte zählen zur Sparsity.</translation>
    </message>
    <message>
        <source>Outlier threshold</source>
        <extracomment>method owl, outlier</extracomment>
        <translation>Ausreißerschwelle</translation>
    </message>
    <message>
        <source>Scores of more than this many times the mean of their layer are outliers (M in the paper).</source>
        <extracomment>method owl, outlier</extracomment>
        <translation>Werte über diesem Vielfachen des Mittels ihrer Schicht sind Ausreißer (M in der Arbeit).</translation>
    </message>
    <message>
        <source>Spread</source>
        <extracomment>method owl, spread</extracomment>
        <translation>Streuung</translation>
    </message>
    <message>
        <source>Half of the difference between the highest and lowest density of layers (lambda in the paper).</source>
        <extracomment>method owl, spread</extracomment>
        <translation>Hälfte des Abstands zwischen der höchsten und der niedrigsten Dichte der Schichten (Lambda in der Arbeit).</translation>
    </message>
    <message>
        <source>RIA (with activations)</source>
        <extracomment>method ria</extracomment>
        <translation>RIA (mit Aktivierungen)</translation>
    </message>
    <message>
        <source>Relative importance and activations (Zhang et al., 2024): ranks weights by their share of their row and of their column, times the root of the size of their input. Use it for language models; it is close to Wanda, and no neuron loses all of its inputs or outputs. It needs statistics of activations. Pruned weights are ignored.</source>
        <extracomment>method ria</extracomment>
        <translation>Relative Wichtigkeit und Aktivierungen (Zhang et al., 2024): ordnet Gewichte nach ihrem Anteil an Zeile und Spalte, mal der Wurzel aus der Größe ihrer Eingabe. Für Sprachmodelle; nahe an Wanda, und kein Neuron verliert alle Eingaben oder Ausgaben. Braucht eine Aktivierungsstatistik. Geprunte Gewichte bleiben außer Acht.</translation>
    </message>
    <message>
        <source>LAMP</source>
        <extracomment>method lamp</extracomment>
        <translation>LAMP</translation>
    </message>
    <message>
        <source>Layer-adaptive magnitude pruning (Lee et al., 2021). Ranks weights of all selected tensors by magnitude, normalized by the weights of the same layer that are at least as large, so that the sparsity of each layer follows from one global threshold. Use it for high sparsity without data: no layer collapses. Pruned and protected weights are not part of the score.</source>
        <extracomment>method lamp</extracomment>
        <translation>Schichtangepasstes Pruning nach Betrag (Lee et al., 2021). Ordnet Gewichte aller gewählten Tensoren nach Betrag, normiert durch die mindestens ebenso großen Gewichte derselben Schicht, sodass sich die Sparsity jeder Schicht aus einem globalen Schwellenwert ergibt. Für hohe Sparsity ohne Daten: Keine Schicht bricht zusammen. Geprunte und geschützte Gewichte gehen nicht in den Wert ein.</translation>
    </message>
    <message>
        <source>ERK</source>
        <extracomment>method erk</extracomment>
        <translation>ERK</translation>
    </message>
    <message>
        <source>Sets the density of each tensor in proportion to the sum of its dimensions divided by their product: large layers become sparser than small ones. Within a tensor, weights of the smallest magnitude are pruned. Use it for a layer-wise budget without data, as sparse training does (RigL; Evci et al., 2020). The ER variant ignores the kernel size of convolutions. Weights that are already pruned count toward the sparsity.</source>
        <extracomment>method erk</extracomment>
        <translation>Setzt die Dichte jedes Tensors ins Verhältnis zur Summe seiner Dimensionen, geteilt durch ihr Produkt: Große Schichten werden dünner besetzt als kleine. In einem Tensor werden die Gewichte mit dem kleinsten Betrag geprunt. Für eine Aufteilung nach Schichten ohne Daten, wie beim dünnbesetzten Training (RigL; Evci et al., 2020). Die Variante ER lässt die Kernelgröße von Faltungen außer Acht. Bereits geprunte Gewichte zählen zur Sparsity.</translation>
    </message>
    <message>
        <source>Variant</source>
        <extracomment>method erk, variant</extracomment>
        <translation>Variante</translation>
    </message>
    <message>
        <source>Whether the kernel height and width count.</source>
        <extracomment>method erk, variant</extracomment>
        <translation>Ob Höhe und Breite des Kernels zählen.</translation>
    </message>
    <message>
        <source>Erdős-Rényi kernel: includes height and width.</source>
        <extracomment>method erk, variant</extracomment>
        <translation>Erdős-Rényi-Kernel: mit Höhe und Breite.</translation>
    </message>
    <message>
        <source>ER</source>
        <extracomment>method erk, variant</extracomment>
        <translation>ER</translation>
    </message>
    <message>
        <source>Erdős-Rényi: input and output channels only.</source>
        <extracomment>method erk, variant</extracomment>
        <translation>Erdős-Rényi: nur Ein- und Ausgangskanäle.</translation>
    </message>
    <message>
        <source>Uniform+</source>
        <extracomment>method uniform_plus</extracomment>
        <translation>Uniform+</translation>
    </message>
    <message>
        <source>Prunes each tensor to the same sparsity, except that the first convolution stays dense and the last linear layer is pruned to at most 80 %, because these layers are the most sensitive (Gale et al., 2019). Within a tensor, weights of the smallest magnitude are pruned. First and last refer to the selected tensors. If the other layers cannot reach the target, the last layer is pruned further, then the first. Weights that are already pruned count.</source>
        <extracomment>method uniform_plus</extracomment>
        <translation>Prunt jeden Tensor auf dieselbe Sparsity, außer dass die erste Faltung dicht bleibt und die letzte lineare Schicht höchstens auf 80 % geprunt wird, weil diese Schichten am empfindlichsten sind (Gale et al., 2019). In einem Tensor werden die Gewichte mit dem kleinsten Betrag geprunt. „Erste“ und „letzte“ beziehen sich auf die gewählten Tensoren. Können die anderen Schichten das Ziel nicht erreichen, wird die letzte weiter geprunt, dann die erste. Bereits geprunte Gewichte zählen mit.</translation>
    </message>
    <message>
        <source>Random unstructured</source>
        <extracomment>method random_unstructured</extracomment>
        <translation>Zufällig unstrukturiert</translation>
    </message>
    <message>
        <source>Prunes weights at random, each with the same probability. Use it as a baseline: a useful ranking must do better. The result depends only on the seed, the tensor name and the weight index, so it is the same on every machine. Per tensor prunes the same fraction of each tensor; global draws from all selected tensors together. Like torch.nn.utils.prune.random_unstructured, with a reproducible generator.</source>
        <extracomment>method random_unstructured</extracomment>
        <translation>Prunt Gewichte zufällig, jedes mit derselben Wahrscheinlichkeit. Als Vergleich: Eine brauchbare Rangfolge muss besser sein. Das Ergebnis hängt nur vom Seed, vom Namen des Tensors und vom Index des Gewichts ab, ist also auf jedem Rechner dasselbe. „Je Tensor“ prunt denselben Anteil jedes Tensors; „global“ zieht aus allen gewählten Tensoren gemeinsam. Wie torch.nn.utils.prune.random_unstructured, mit reproduzierbarem Generator.</translation>
    </message>
    <message>
        <source>Seed</source>
        <extracomment>method random_unstructured, seed</extracomment>
        <translation>Seed</translation>
    </message>
    <message>
        <source>The same seed gives the same result on every machine.</source>
        <extracomment>method random_unstructured, seed</extracomment>
        <translation>Derselbe Seed ergibt auf jedem Rechner dasselbe.</translation>
    </message>
    <message>
        <source>Ln structured (channels)</source>
        <extracomment>method ln_structured</extracomment>
        <translation>Ln strukturiert (Kanäle)</translation>
    </message>
    <message>
        <source>Fraction of remaining channels, or a number.</source>
        <extracomment>method ln_structured, amount</extracomment>
        <translation>Anteil der verbleibenden Kanäle oder Anzahl von Kanälen.</translation>
    </message>
    <message>
        <source>Norm</source>
        <extracomment>method ln_structured, n</extracomment>
        <translation>Norm</translation>
    </message>
    <message>
        <source>Order of the norm, as in torch.linalg.norm: 1 is the sum of magnitudes, 2 the Euclidean norm, inf the maximum and -inf the minimum magnitude, 0 the number of nonzero weights, fro the same as 2, nuc the sum of singular values.</source>
        <extracomment>method ln_structured, n</extracomment>
        <translation>Ordnung der Norm, wie in torch.linalg.norm: 1 ist die Summe der Beträge, 2 die euklidische Norm, inf der größte und -inf der kleinste Betrag, 0 die Anzahl der Gewichte ungleich null, fro dasselbe wie 2, nuc die Summe der Singulärwerte.</translation>
    </message>
    <message>
        <source>Dimension</source>
        <extracomment>method ln_structured, dim</extracomment>
        <translation>Dimension</translation>
    </message>
    <message>
        <source>Dimension along which channels are pruned; 0 is the output channels.</source>
        <extracomment>method ln_structured, dim</extracomment>
        <translation>Dimension, entlang derer Kanäle geprunt werden; 0 sind die Ausgangskanäle.</translation>
    </message>
    <message>
        <source>FPGM (channels)</source>
        <extracomment>method fpgm</extracomment>
        <translation>FPGM (Kanäle)</translation>
    </message>
    <message>
        <source>Filter pruning via geometric median (He et al., 2019). Prunes the channels with the smallest total distance to all other channels of the layer, because the others can replace them. Unlike norm-based methods it may prune large filters and keep small ones. Distances are between signed weights (Torch-Pruning uses magnitudes). Pruned weights count as 0; pruned channels are ignored. Slow for layers with thousands of channels.</source>
        <extracomment>method fpgm</extracomment>
        <translation>Filter-Pruning nach dem geometrischen Median (He et al., 2019). Prunt die Kanäle mit dem kleinsten Gesamtabstand zu allen anderen Kanälen der Schicht, weil die anderen sie ersetzen können. Anders als nach Normen können große Filter geprunt und kleine behalten werden. Abstände sind die der Gewichte mit Vorzeichen (Torch-Pruning nimmt Beträge). Geprunte Gewichte zählen als 0; geprunte Kanäle bleiben außer Acht. Langsam bei Schichten mit Tausenden von Kanälen.</translation>
    </message>
    <message>
        <source>BatchNorm scale (channels)</source>
        <extracomment>method bn_scale</extracomment>
        <translation>BatchNorm-Skala (Kanäle)</translation>
    </message>
    <message>
        <source>Prunes filters whose BatchNorm scale (gamma) has the smallest magnitude (Network Slimming; Liu et al., 2017). Use it for networks trained with an L1 penalty on these scales; otherwise the scales say little about importance. Global ranks the filters of all selected convolutions together. The norm layer of a convolution is found by name. Also prune the matching bias and norm entries, so that a pruned filter outputs exactly zero.</source>
        <extracomment>method bn_scale</extracomment>
        <translation>Prunt Filter, deren BatchNorm-Skala (gamma) den kleinsten Betrag hat (Network Slimming; Liu et al., 2017). Für Netze, die mit einer L1-Strafe auf diesen Skalen trainiert wurden; sonst sagen die Skalen wenig über die Wichtigkeit. „Global“ ordnet die Filter aller gewählten Faltungen gemeinsam. Die Norm-Schicht einer Faltung wird nach Namen gefunden. Prunen Sie auch die zugehörigen Einträge in Bias und Norm, damit ein geprunter Filter genau null ausgibt.</translation>
    </message>
    <message>
        <source>Dimension of the output channels, the only one that norm scales apply to.</source>
        <extracomment>method bn_scale, dim</extracomment>
        <translation>Dimension der Ausgangskanäle, der einzigen, für die Norm-Skalen gelten.</translation>
    </message>
    <message>
        <source>Wanda structured (channels)</source>
        <extracomment>method wanda_structured</extracomment>
        <translation>Wanda strukturiert (Kanäle)</translation>
    </message>
    <message>
        <source>Prunes the channels with the smallest sum of magnitudes times sizes of their inputs: all weights of a filter, a neuron or an input at once. Use it along the input dimension (1) to find inputs that hardly carry a signal. It needs statistics of activations. Each tensor is pruned separately; pruned weights count as 0.</source>
        <extracomment>method wanda_structured</extracomment>
        <translation>Prunt die Kanäle mit der kleinsten Summe aus Beträgen mal Größen ihrer Eingaben: alle Gewichte eines Filters, eines Neurons oder einer Eingabe auf einmal. Entlang der Eingangsdimension (1) findet es Eingaben, die kaum ein Signal tragen. Braucht eine Aktivierungsstatistik. Jeder Tensor wird für sich geprunt; geprunte Gewichte zählen als 0.</translation>
    </message>
    <message>
        <source>Random structured (channels)</source>
        <extracomment>method random_structured</extracomment>
        <translation>Zufällig strukturiert (Kanäle)</translation>
    </message>
    <message>
        <source>Prunes channels at random, each with the same probability: all weights of a filter, a neuron or an input at once. Use it as a baseline for methods that rank channels. The result depends only on the seed, the tensor name and the channel index. Channels that are already pruned are ignored. Like torch.nn.utils.prune.random_structured, with a reproducible generator.</source>
        <extracomment>method random_structured</extracomment>
        <translation>Prunt Kanäle zufällig, jeden mit derselben Wahrscheinlichkeit: alle Gewichte eines Filters, eines Neurons oder einer Eingabe auf einmal. Als Vergleich für Methoden, die Kanäle ordnen. Das Ergebnis hängt nur vom Seed, vom Namen des Tensors und vom Index des Kanals ab. Bereits geprunte Kanäle bleiben außer Acht. Wie torch.nn.utils.prune.random_structured, mit reproduzierbarem Generator.</translation>
    </message>
    <message>
        <source>N:M semi-structured (2:4)</source>
        <extracomment>method n_m</extracomment>
        <translation>N:M semistrukturiert (2:4)</translation>
    </message>
    <message>
        <source>Keeps the N weights of the largest magnitude in each group of M. Use 2:4 for sparse tensor cores (NVIDIA Ampere and later), which compute such layers up to twice as fast (Mishra et al., 2021). Groups are formed along the input dimension; for convolutions, at the same kernel position. Weights that are already pruned count in their group; an incomplete group at the end is not pruned. At the same sparsity it costs more accuracy than unstructured pruning.</source>
        <extracomment>method n_m</extracomment>
        <translation>Behält in jeder Gruppe von M Gewichten die N mit dem größten Betrag. 2:4 ist für Sparse Tensor Cores (NVIDIA ab Ampere), die solche Schichten bis zu doppelt so schnell rechnen (Mishra et al., 2021). Gruppen liegen entlang der Eingangsdimension; bei Faltungen an derselben Stelle des Kernels. Bereits geprunte Gewichte zählen in ihrer Gruppe; eine unvollständige Gruppe am Ende wird nicht geprunt. Bei gleicher Sparsity kostet es mehr Genauigkeit als unstrukturiertes Pruning.</translation>
    </message>
    <message>
        <source>Pattern</source>
        <extracomment>method n_m, pattern</extracomment>
        <translation>Muster</translation>
    </message>
    <message>
        <source>Weights kept in each group: 2:4 keeps 2 of every 4.</source>
        <extracomment>method n_m, pattern</extracomment>
        <translation>In jeder Gruppe behaltene Gewichte: 2:4 behält 2 von je 4.</translation>
    </message>
    <message>
        <source>Dimension along which groups are formed; 1 is the input features of a linear layer or the input channels of a convolution.</source>
        <extracomment>method n_m, dim</extracomment>
        <translation>Dimension, entlang derer Gruppen liegen; 1 sind die Eingangsmerkmale einer linearen Schicht oder die Eingangskanäle einer Faltung.</translation>
    </message>
    <message>
        <source>Wanda N:M (2:4)</source>
        <extracomment>method wanda_n_m</extracomment>
        <translation>Wanda N:M (2:4)</translation>
    </message>
    <message>
        <source>Keeps the N weights of each group of M with the largest product of magnitude and size of their input. Use it for 2:4 if statistics of activations are available: at this sparsity it usually keeps more accuracy than magnitude (Sun et al., 2024). Groups and dimension are those of N:M semi-structured.</source>
        <extracomment>method wanda_n_m</extracomment>
        <translation>Behält in jeder Gruppe von M Gewichten die N mit dem größten Produkt aus Betrag und Größe ihrer Eingabe. Für 2:4, wenn eine Aktivierungsstatistik vorliegt: Bei dieser Sparsity erhält es meist mehr Genauigkeit als der Betrag (Sun et al., 2024). Gruppen und Dimension sind die von N:M semistrukturiert.</translation>
    </message>
    <message>
        <source>Swaps N:M (2:4)</source>
        <extracomment>method swaps_n_m</extracomment>
        <translation>Vertauschen N:M (2:4)</translation>
    </message>
    <message>
        <source>Begins with Wanda N:M and exchanges a pruned with a kept weight of the same group of M as long as the error of the row&apos;s output falls (after SparseSwaps, 2025). Use it for 2:4 where pruned weights are not repaired. It needs statistics with Gram matrices. Groups must be formed along the inputs.</source>
        <extracomment>method swaps_n_m</extracomment>
        <translation>Beginnt mit Wanda N:M und tauscht ein gepruntes gegen ein behaltenes Gewicht derselben Gruppe von M, solange der Fehler der Ausgabe der Zeile sinkt (nach SparseSwaps, 2025). Für 2:4, wenn geprunte Gewichte nicht repariert werden. Braucht eine Statistik mit Gram-Matrizen. Gruppen müssen entlang der Eingaben liegen.</translation>
    </message>
    <message>
        <source>Blocks</source>
        <extracomment>method blocks</extracomment>
        <translation>Blöcke</translation>
    </message>
    <message>
        <source>Prunes rectangular blocks of neighboring weights with the smallest mean magnitude. Use it for runtimes with block-sparse kernels, which skip such blocks. Larger blocks cost more accuracy. A convolution is treated as a matrix of filters by all other dimensions; incomplete blocks at the edges are scored by the mean of their weights.</source>
        <extracomment>method blocks</extracomment>
        <translation>Prunt rechteckige Blöcke benachbarter Gewichte mit dem kleinsten mittleren Betrag. Für Laufzeiten mit Kernels für dünnbesetzte Blöcke, die solche Blöcke überspringen. Größere Blöcke kosten mehr Genauigkeit. Eine Faltung gilt als Matrix aus Filtern mal allen anderen Dimensionen; unvollständige Blöcke am Rand werden nach dem Mittel ihrer Gewichte bewertet.</translation>
    </message>
    <message>
        <source>Fraction of remaining blocks, or a number of blocks.</source>
        <extracomment>method blocks, amount</extracomment>
        <translation>Anteil der verbleibenden Blöcke oder Anzahl von Blöcken.</translation>
    </message>
    <message>
        <source>Block</source>
        <extracomment>method blocks, block</extracomment>
        <translation>Block</translation>
    </message>
    <message>
        <source>Rows by columns of a block; a convolution is treated as filters by all other dimensions.</source>
        <extracomment>method blocks, block</extracomment>
        <translation>Zeilen mal Spalten eines Blocks; eine Faltung gilt als Filter mal alle anderen Dimensionen.</translation>
    </message>
    <message>
        <source>Measure</source>
        <extracomment>method blocks, measure</extracomment>
        <translation>Maß</translation>
    </message>
    <message>
        <source>How the weights of a block are scored.</source>
        <extracomment>method blocks, measure</extracomment>
        <translation>Wie die Gewichte eines Blocks bewertet werden.</translation>
    </message>
    <message>
        <source>Mean magnitude</source>
        <extracomment>method blocks, measure</extracomment>
        <translation>Mittlerer Betrag</translation>
    </message>
    <message>
        <source>Root mean square</source>
        <extracomment>method blocks, measure</extracomment>
        <translation>Quadratisches Mittel</translation>
    </message>
    <message>
        <source>Gives large weights more influence.</source>
        <extracomment>method blocks, measure</extracomment>
        <translation>Gibt großen Gewichten mehr Einfluss.</translation>
    </message>
    <message>
        <source>FFN neurons</source>
        <extracomment>method ffn_neurons</extracomment>
        <translation>FFN-Neuronen</translation>
    </message>
    <message>
        <source>Prunes whole neurons of the feed-forward layers of a transformer, the same number in each layer. They are pruned in every tensor that has a part in them, biases and norms included, so that the export &apos;shrunk&apos; can cut them out. Needs a model of a known type, with its config.json.</source>
        <extracomment>method ffn_neurons</extracomment>
        <translation>Prunt ganze Neuronen der Feed-Forward-Schichten eines Transformers, in jeder Schicht gleich viele. Sie werden in jedem Tensor geprunt, der einen Teil von ihnen hat, auch in Biases und Norms, sodass der Export „verkleinert“ sie entfernen kann. Braucht ein Modell bekannter Art mit seiner config.json.</translation>
    </message>
    <message>
        <source>Fraction of remaining units of each group, or a number.</source>
        <extracomment>method ffn_neurons, amount</extracomment>
        <translation>Anteil der verbleibenden Einheiten jeder Gruppe oder Anzahl von Einheiten.</translation>
    </message>
    <message>
        <source>Rank by</source>
        <extracomment>method ffn_neurons, by</extracomment>
        <translation>Rang nach</translation>
    </message>
    <message>
        <source>Score of a unit over all weights that it has in the tensors of its group: a norm, or one by statistics of activations.</source>
        <extracomment>method ffn_neurons, by</extracomment>
        <translation>Wert einer Einheit über alle Gewichte, die sie in den Tensoren ihrer Gruppe hat: eine Norm oder ein Wert nach der Aktivierungsstatistik.</translation>
    </message>
    <message>
        <source>L2 norm</source>
        <extracomment>method ffn_neurons, by</extracomment>
        <translation>L2-Norm</translation>
    </message>
    <message>
        <source>Root of the sum of squares.</source>
        <extracomment>method ffn_neurons, by</extracomment>
        <translation>Wurzel aus der Summe der Quadrate.</translation>
    </message>
    <message>
        <source>L1 norm</source>
        <extracomment>method ffn_neurons, by</extracomment>
        <translation>L1-Norm</translation>
    </message>
    <message>
        <source>Sum of magnitudes.</source>
        <extracomment>method ffn_neurons, by</extracomment>
        <translation>Summe der Beträge.</translation>
    </message>
    <message>
        <source>Sum of magnitudes, divided by the number of weights.</source>
        <extracomment>method ffn_neurons, by</extracomment>
        <translation>Summe der Beträge, geteilt durch die Anzahl der Gewichte.</translation>
    </message>
    <message>
        <source>Wanda (with activations)</source>
        <extracomment>method ffn_neurons, by</extracomment>
        <translation>Wanda (mit Aktivierungen)</translation>
    </message>
    <message>
        <source>Sum of squares of each weight times the root mean square of its input, in the tensors that the statistics know (Sun et al., 2024).</source>
        <extracomment>method ffn_neurons, by</extracomment>
        <translation>Summe der Quadrate jedes Gewichts mal dem quadratischen Mittel seiner Eingabe, in den Tensoren, die die Statistik kennt (Sun et al., 2024).</translation>
    </message>
    <message>
        <source>FLAP (fluctuation)</source>
        <extracomment>method ffn_neurons, by</extracomment>
        <translation>FLAP (Schwankung)</translation>
    </message>
    <message>
        <source>Sum of squares of each weight times the standard deviation of its input, in the tensors that read the unit (An et al., 2024).</source>
        <extracomment>method ffn_neurons, by</extracomment>
        <translation>Summe der Quadrate jedes Gewichts mal der Standardabweichung seiner Eingabe, in den Tensoren, die die Einheit lesen (An et al., 2024).</translation>
    </message>
    <message>
        <source>Multiple</source>
        <extracomment>method ffn_neurons, multiple</extracomment>
        <translation>Vielfaches</translation>
    </message>
    <message>
        <source>Prunes the channels with the smallest Ln norm along a dimension: all weights of a filter, a neuron or an input at once. Use it to make a network smaller: pruned channels can be removed from the architecture later. At the same sparsity it costs more accuracy than unstructured pruning. Each tensor is pruned separately; weights that are already pruned count as 0. Same as torch.nn.utils.prune.ln_structured.</source>
        <extracomment>method ln_structured</extracomment>
        <translation>Prunt die Kanäle mit der kleinsten Ln-Norm entlang einer Dimension: alle Gewichte eines Filters, eines Neurons oder einer Eingabe auf einmal. Um ein Netz kleiner zu machen: Geprunte Kanäle lassen sich später aus der Architektur entfernen. Bei gleicher Sparsity kostet es mehr Genauigkeit als unstrukturiertes Pruning. Jeder Tensor wird für sich geprunt; bereits geprunte Gewichte zählen als 0. Wie torch.nn.utils.prune.ln_structured.</translation>
    </message>
    <message>
        <source>The number of remaining units is rounded up to a multiple of this: some kernels reject other widths, others are slow with them. The export &apos;shrunk&apos; rounds in the same way.</source>
        <extracomment>method ffn_neurons, multiple</extracomment>
        <translation>Die Zahl der verbleibenden Einheiten wird auf ein Vielfaches hiervon aufgerundet: Manche Kernel lehnen andere Breiten ab, andere sind damit langsam. Der verkleinerte Export rundet ebenso.</translation>
    </message>
    <message>
        <source>As the export</source>
        <extracomment>method ffn_neurons, multiple</extracomment>
        <translation>Wie der Export</translation>
    </message>
    <message>
        <source>16 of ONNX models (8 of fewer than 32 channels), 8 of other channels, 64 of neurons.</source>
        <extracomment>method ffn_neurons, multiple</extracomment>
        <translation>16 bei ONNX-Modellen (8 bei weniger als 32 Kanälen), 8 bei anderen Kanälen, 64 bei Neuronen.</translation>
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
        <translation>Attention-Heads</translation>
    </message>
    <message>
        <source>Prunes whole key/value heads with their query heads, the same number in each layer. They are pruned in every tensor that has a part in them, biases and norms included, so that the export &apos;shrunk&apos; can cut them out. Not every model class allows fewer heads.</source>
        <extracomment>method attention_heads</extracomment>
        <translation>Prunt ganze Key/Value-Heads mit ihren Query-Heads, in jeder Schicht gleich viele. Sie werden in jedem Tensor geprunt, der einen Teil von ihnen hat, auch in Biases und Norms, sodass der Export „verkleinert“ sie entfernen kann. Nicht jede Modellklasse lässt weniger Heads zu.</translation>
    </message>
    <message>
        <source>Layers</source>
        <extracomment>method layers</extracomment>
        <translation>Schichten</translation>
    </message>
    <message>
        <source>Prunes what whole layers write into the residual stream, so that they pass on their inputs unchanged. The export &apos;shrunk&apos; leaves them out.</source>
        <extracomment>method layers</extracomment>
        <translation>Prunt, was ganze Schichten in den Residualstrom schreiben, sodass sie weitergeben, was sie bekamen. Der Export „verkleinert“ lässt sie weg.</translation>
    </message>
    <message>
        <source>Channel groups</source>
        <extracomment>method channel_groups</extracomment>
        <translation>Kanalgruppen</translation>
    </message>
    <message>
        <source>Prunes channels of convolutions with everything that depends on them. They are pruned in every tensor that has a part in them, biases and norms included, so that the export &apos;shrunk&apos; can cut them out. Needs a file that holds its graph, or known blocks.</source>
        <extracomment>method channel_groups</extracomment>
        <translation>Prunt Kanäle von Faltungen mit allem, was von ihnen abhängt. Sie werden in jedem Tensor geprunt, der einen Teil von ihnen hat, auch in Biases und Norms, sodass der Export „verkleinert“ sie entfernen kann. Braucht eine Datei, die ihren Graphen enthält, oder bekannte Blöcke.</translation>
    </message>
    <message>
        <source>Custom mask from file…</source>
        <extracomment>method custom_from_mask</extracomment>
        <translation>Eigene Maske aus Datei…</translation>
    </message>
    <message>
        <source>Applies masks from a file: weights are pruned where the mask is 0. The file is a checkpoint that holds the masks under the names of the tensors, or under NAME_mask. Weights that are already pruned stay pruned. Same as torch.nn.utils.prune.custom_from_mask.</source>
        <extracomment>method custom_from_mask</extracomment>
        <translation>Wendet Masken aus einer Datei an: Gewichte werden geprunt, wo die Maske 0 ist. Die Datei ist ein Checkpoint, der die Masken unter den Namen der Tensoren oder unter NAME_mask enthält. Bereits geprunte Gewichte bleiben geprunt. Wie torch.nn.utils.prune.custom_from_mask.</translation>
    </message>
    <message>
        <source>Identity (no pruning)</source>
        <extracomment>method identity</extracomment>
        <translation>Identität (kein Pruning)</translation>
    </message>
    <message>
        <source>Prunes nothing, but adds a mask of ones to each selected tensor without a mask. Use it before a resumable export, so that a script can continue pruning these tensors with torch. As the last of several rules it excludes tensors from those before. Same as torch.nn.utils.prune.identity.</source>
        <extracomment>method identity</extracomment>
        <translation>Prunt nichts, gibt aber jedem gewählten Tensor ohne Maske eine Maske aus Einsen. Vor einem fortsetzbaren Export, damit ein Skript diese Tensoren mit torch weiter prunen kann. Als letzte von mehreren Regeln nimmt sie Tensoren von den früheren aus. Wie torch.nn.utils.prune.identity.</translation>
    </message>
    <message>
        <source>safetensors, dense</source>
        <extracomment>format safetensors</extracomment>
        <translation>safetensors, dicht</translation>
    </message>
    <message>
        <source>Weights with zeros where they are pruned. The most compatible format.</source>
        <extracomment>format safetensors</extracomment>
        <translation>Gewichte mit Nullen, wo sie geprunt sind. Das Format mit der besten Kompatibilität.</translation>
    </message>
    <message>
        <source>Loads in transformers from a folder with config.json.</source>
        <extracomment>format safetensors</extracomment>
        <translation>Lädt in transformers aus einem Ordner mit config.json.</translation>
    </message>
    <message>
        <source>Zeros do not reduce the size of a dense file.</source>
        <extracomment>format safetensors</extracomment>
        <translation>Nullen verkleinern eine dichte Datei nicht.</translation>
    </message>
    <message>
        <source>and libraries built on it</source>
        <extracomment>format safetensors, safetensors</extracomment>
        <translation>und Bibliotheken, die darauf aufbauen</translation>
    </message>
    <message>
        <source>if it has the class that config.json names; tested with 5.23</source>
        <extracomment>format safetensors, transformers</extracomment>
        <translation>wenn es die Klasse hat, die config.json nennt; geprüft mit 5.23</translation>
    </message>
    <message>
        <source>with safetensors.torch.load_file</source>
        <extracomment>format safetensors, torch</extracomment>
        <translation>mit safetensors.torch.load_file</translation>
    </message>
    <message>
        <source>detect zeros themselves</source>
        <extracomment>format safetensors, TensorRT, OpenVINO</extracomment>
        <translation>erkennen Nullen selbst</translation>
    </message>
    <message>
        <source>Type</source>
        <extracomment>format safetensors, dtype</extracomment>
        <translation>Typ</translation>
    </message>
    <message>
        <source>Data type of the written weights: unchanged, or rounded to 16 bits.</source>
        <extracomment>format safetensors, dtype</extracomment>
        <translation>Datentyp der geschriebenen Gewichte: unverändert oder auf 16 Bit gerundet.</translation>
    </message>
    <message>
        <source>Keep dtype</source>
        <extracomment>format safetensors, dtype</extracomment>
        <translation>dtype behalten</translation>
    </message>
    <message>
        <source>float16</source>
        <extracomment>format safetensors, dtype</extracomment>
        <translation>float16</translation>
    </message>
    <message>
        <source>11 significant bits; values up to 65,504.</source>
        <extracomment>format safetensors, dtype</extracomment>
        <translation>11 signifikante Bits; Werte bis 65.504.</translation>
    </message>
    <message>
        <source>bfloat16</source>
        <extracomment>format safetensors, dtype</extracomment>
        <translation>bfloat16</translation>
    </message>
    <message>
        <source>8 significant bits; same range as float32.</source>
        <extracomment>format safetensors, dtype</extracomment>
        <translation>8 signifikante Bits; Wertebereich wie float32.</translation>
    </message>
    <message>
        <source>Max shard size</source>
        <extracomment>format safetensors, max_shard_size</extracomment>
        <translation>Maximale Shard-Größe</translation>
    </message>
    <message>
        <source>Write a folder of shards up to this size, with an index file as in transformers and the other files of the model.</source>
        <extracomment>format safetensors, max_shard_size</extracomment>
        <translation>Einen Ordner mit Shards bis zu dieser Größe schreiben, mit einer Indexdatei wie in transformers und den anderen Dateien des Modells.</translation>
    </message>
    <message>
        <source>as opened</source>
        <extracomment>format safetensors, max_shard_size</extracomment>
        <translation>wie geöffnet</translation>
    </message>
    <message>
        <source>torch state dict, dense</source>
        <extracomment>format torch</extracomment>
        <translation>torch-State-Dict, dicht</translation>
    </message>
    <message>
        <source>Weights with zeros where they are pruned, for torch.load. If the opened file is a torch file, its other contents are kept.</source>
        <extracomment>format torch</extracomment>
        <translation>Gewichte mit Nullen, wo sie geprunt sind, für torch.load. Ist die geöffnete Datei eine torch-Datei, bleibt ihr übriger Inhalt erhalten.</translation>
    </message>
    <message>
        <source>Optimizer state of pruned weights is unchanged.</source>
        <extracomment>format torch</extracomment>
        <translation>Der Optimiererzustand geprunter Gewichte bleibt unverändert.</translation>
    </message>
    <message>
        <source>float8 since 2.1; mmap=True works</source>
        <extracomment>format torch, torch.load</extracomment>
        <translation>float8 ab 2.1; mmap=True geht</translation>
    </message>
    <message>
        <source>as pytorch_model.bin beside a config.json</source>
        <extracomment>format torch, transformers</extracomment>
        <translation>als pytorch_model.bin neben einer config.json</translation>
    </message>
    <message>
        <source>Container</source>
        <extracomment>format torch, container</extracomment>
        <translation>Container</translation>
    </message>
    <message>
        <source>What a torch file is written as: the opened file with changed weights, or the state dict alone, without optimizer, objects and program.</source>
        <extracomment>format torch, container</extracomment>
        <translation>Wie eine torch-Datei geschrieben wird: als geöffnete Datei mit geänderten Gewichten oder nur als State-Dict, ohne Optimizer, Objekte und Programm.</translation>
    </message>
    <message>
        <source>Keep container</source>
        <extracomment>format torch, container</extracomment>
        <translation>Container behalten</translation>
    </message>
    <message>
        <source>State dict only</source>
        <extracomment>format torch, container</extracomment>
        <translation>Nur State-Dict</translation>
    </message>
    <message>
        <source>Resumable (weights and masks)</source>
        <extracomment>format resumable</extracomment>
        <translation>Fortsetzbar (Gewichte und Masken)</translation>
    </message>
    <message>
        <source>Original weights (NAME_orig) and masks (NAME_mask), as torch.nn.utils.prune stores them. Loads into a module pruned with torch, and opens in Pruneapp to continue or restore weights. Larger than the original, because each pruned tensor is stored twice. Use the suffix .safetensors, or .pt for a torch file.</source>
        <extracomment>format resumable</extracomment>
        <translation>Ursprüngliche Gewichte (NAME_orig) und Masken (NAME_mask), wie torch.nn.utils.prune sie speichert. Lädt in ein mit torch gepruntes Modul und öffnet sich in Pruneapp, um weiterzumachen oder Gewichte wiederherzustellen. Größer als das Original, weil jeder geprunte Tensor zweimal gespeichert ist. Verwenden Sie die Endung .safetensors, oder .pt für eine torch-Datei.</translation>
    </message>
    <message>
        <source>Contains masks and pruned values, so that training and pruning can continue.</source>
        <extracomment>format resumable</extracomment>
        <translation>Enthält Masken und geprunte Werte, sodass Training und Pruning weitergehen können.</translation>
    </message>
    <message>
        <source>Does not load into an unpruned module, because the names are NAME_orig and NAME_mask.</source>
        <extracomment>format resumable</extracomment>
        <translation>Lädt nicht in ein ungepruntes Modul, weil die Namen NAME_orig und NAME_mask sind.</translation>
    </message>
    <message>
        <source>Larger than the original file.</source>
        <extracomment>format resumable</extracomment>
        <translation>Größer als die ursprüngliche Datei.</translation>
    </message>
    <message>
        <source>load_state_dict of a pruned module</source>
        <extracomment>format resumable, torch.nn.utils.prune</extracomment>
        <translation>load_state_dict eines geprunten Moduls</translation>
    </message>
    <message>
        <source>to continue, or to restore pruned weights</source>
        <extracomment>format resumable, Pruneapp</extracomment>
        <translation>um weiterzumachen oder geprunte Gewichte wiederherzustellen</translation>
    </message>
    <message>
        <source>Masks only</source>
        <extracomment>format masks</extracomment>
        <translation>Nur Masken</translation>
    </message>
    <message>
        <source>One bit per weight of each pruned tensor, without the weights: together with the original file it restores the pruned model. NAME_mask holds eight weights per byte, lowest bit first; 1 is kept. Pruneapp and numpy.unpackbits read it.</source>
        <extracomment>format masks</extracomment>
        <translation>Ein Bit je Gewicht jedes geprunten Tensors, ohne die Gewichte: Mit der ursprünglichen Datei ergibt es das geprunte Modell. NAME_mask hat acht Gewichte je Byte, das niedrigste Bit zuerst; 1 ist behalten. Pruneapp und numpy.unpackbits lesen es.</translation>
    </message>
    <message>
        <source>Not a model: it contains no weights.</source>
        <extracomment>format masks</extracomment>
        <translation>Kein Modell: Es enthält keine Gewichte.</translation>
    </message>
    <message>
        <source>with &apos;Load masks&apos; and custom_from_mask</source>
        <extracomment>format masks, Pruneapp</extracomment>
        <translation>mit „Masken laden“ und custom_from_mask</translation>
    </message>
    <message>
        <source>as packed bits: numpy.unpackbits, bitorder=&apos;little&apos;</source>
        <extracomment>format masks, safetensors</extracomment>
        <translation>als gepackte Bits: numpy.unpackbits, bitorder=&apos;little&apos;</translation>
    </message>
    <message>
        <source>Compact (packed remaining weights)</source>
        <extracomment>format compact</extracomment>
        <translation>Kompakt (gepackte verbleibende Gewichte)</translation>
    </message>
    <message>
        <source>The smallest file: one mask bit per weight and the nonzero values, byte-shuffled and compressed, in a safetensors container. Pruneapp opens it like any checkpoint; a short reader for numpy can be written beside it.</source>
        <extracomment>format compact</extracomment>
        <translation>Die kleinste Datei: ein Maskenbit je Gewicht und die Werte ungleich null, byteweise umgeordnet und komprimiert, in einem safetensors-Container. Pruneapp öffnet sie wie jeden Checkpoint; ein kurzes Leseskript für numpy kann daneben geschrieben werden.</translation>
    </message>
    <message>
        <source>The smallest file, lossless.</source>
        <extracomment>format compact</extracomment>
        <translation>Die kleinste Datei, verlustfrei.</translation>
    </message>
    <message>
        <source>The smallest file, lossless for the weights; keep config.json and the tokenizer with it.</source>
        <extracomment>format compact</extracomment>
        <translation>Die kleinste Datei, verlustfrei für die Gewichte; bewahren Sie config.json und den Tokenizer dabei auf.</translation>
    </message>
    <message>
        <source>No other program loads it directly: expand it first, or use the reader script.</source>
        <extracomment>format compact</extracomment>
        <translation>Kein anderes Programm lädt sie direkt: Entpacken Sie sie zuerst, oder nehmen Sie das Leseskript.</translation>
    </message>
    <message>
        <source>opens it; pruneapp expand writes the dense file</source>
        <extracomment>format compact, Pruneapp</extracomment>
        <translation>öffnet sie; pruneapp expand schreibt die dichte Datei</translation>
    </message>
    <message>
        <source>numpy arrays or torch tensors, read on demand</source>
        <extracomment>format compact, pruneapp.load_compact</extracomment>
        <translation>numpy-Arrays oder torch-Tensoren, bei Bedarf gelesen</translation>
    </message>
    <message>
        <source>with read_compact.py, written beside the file</source>
        <extracomment>format compact, numpy and zstandard</extracomment>
        <translation>mit read_compact.py, neben die Datei geschrieben</translation>
    </message>
    <message>
        <source>Write reader script</source>
        <extracomment>format compact, reader_script</extracomment>
        <translation>Leseskript schreiben</translation>
    </message>
    <message>
        <source>A short Python script that reads the file with numpy and zstandard.</source>
        <extracomment>format compact, reader_script</extracomment>
        <translation>Ein kurzes Python-Skript, das die Datei mit numpy und zstandard liest.</translation>
    </message>
    <message>
        <source>torch state dict, compressed</source>
        <extracomment>format deflated</extracomment>
        <translation>torch-State-Dict, komprimiert</translation>
    </message>
    <message>
        <source>A torch file with DEFLATE compression: torch.load reads it directly. Loading is slower, because all tensors are decompressed.</source>
        <extracomment>format deflated</extracomment>
        <translation>Eine torch-Datei mit DEFLATE-Kompression: torch.load liest sie direkt. Das Laden ist langsamer, weil alle Tensoren entpackt werden.</translation>
    </message>
    <message>
        <source>Loads directly with torch.load, but not in transformers.</source>
        <extracomment>format deflated</extracomment>
        <translation>Lädt direkt mit torch.load, aber nicht in transformers.</translation>
    </message>
    <message>
        <source>Not compatible with torch.load(mmap=True) and transformers, which map uncompressed files.</source>
        <extracomment>format deflated</extracomment>
        <translation>Nicht kompatibel mit torch.load(mmap=True) und transformers, die unkomprimierte Dateien in den Speicher abbilden.</translation>
    </message>
    <message>
        <source>Contains only tensors; other entries of the opened file are not written.</source>
        <extracomment>format deflated</extracomment>
        <translation>Enthält nur Tensoren; andere Einträge der geöffneten Datei werden nicht geschrieben.</translation>
    </message>
    <message>
        <source>without mmap=True; float8 since 2.1</source>
        <extracomment>format deflated, torch.load</extracomment>
        <translation>ohne mmap=True; float8 ab 2.1</translation>
    </message>
    <message>
        <source>safetensors, compressed with zstd</source>
        <extracomment>format zst</extracomment>
        <translation>safetensors, mit zstd komprimiert</translation>
    </message>
    <message>
        <source>The dense file in one zstd frame. Any zstd tool decompresses it to exactly the dense safetensors export.</source>
        <extracomment>format zst</extracomment>
        <translation>Die dichte Datei in einem zstd-Frame. Jedes zstd-Werkzeug entpackt sie genau zum dichten safetensors-Export.</translation>
    </message>
    <message>
        <source>Decompresses with zstd or 7-Zip to exactly the safetensors file.</source>
        <extracomment>format zst</extracomment>
        <translation>Entpackt sich mit zstd oder 7-Zip genau zur safetensors-Datei.</translation>
    </message>
    <message>
        <source>Decompress it to model.safetensors beside config.json and the tokenizer, and transformers loads it.</source>
        <extracomment>format zst</extracomment>
        <translation>Entpacken Sie sie zu model.safetensors neben config.json und dem Tokenizer, dann lädt transformers sie.</translation>
    </message>
    <message>
        <source>Must be decompressed before loading.</source>
        <extracomment>format zst</extracomment>
        <translation>Muss vor dem Laden entpackt werden.</translation>
    </message>
    <message>
        <source>decompresses it to a safetensors file</source>
        <extracomment>format zst, zstd -d</extracomment>
        <translation>entpackt sie zu einer safetensors-Datei</translation>
    </message>
    <message>
        <source>and 7-Zip ZS, PeaZip</source>
        <extracomment>format zst, 7-Zip</extracomment>
        <translation>und 7-Zip ZS, PeaZip</translation>
    </message>
    <message>
        <source>decompresses it without other tools</source>
        <extracomment>format zst, pruneapp expand</extracomment>
        <translation>entpackt sie ohne andere Werkzeuge</translation>
    </message>
    <message>
        <source>Compression level</source>
        <extracomment>format zst, compression_level</extracomment>
        <translation>Kompressionsstufe</translation>
    </message>
    <message>
        <source>1 is fastest; 12 gives the smallest file and takes about 12 times as long.</source>
        <extracomment>format zst, compression_level</extracomment>
        <translation>1 ist am schnellsten; 12 ergibt die kleinste Datei und dauert etwa 12-mal so lange.</translation>
    </message>
    <message>
        <source>torch state dict, sparse (CSR)</source>
        <extracomment>format csr</extracomment>
        <translation>torch-State-Dict, dünnbesetzt (CSR)</translation>
    </message>
    <message>
        <source>Pruned matrices in torch&apos;s CSR layout where that is smaller; all other tensors are dense. For programs that compute with sparse tensors. To save disk space, use compact or a compressed format.</source>
        <extracomment>format csr</extracomment>
        <translation>Geprunte Matrizen im CSR-Layout von torch, wo das kleiner ist; alle anderen Tensoren sind dicht. Für Programme, die mit dünnbesetzten Tensoren rechnen. Um Platz zu sparen, nehmen Sie „kompakt“ oder ein komprimiertes Format.</translation>
    </message>
    <message>
        <source>CSR is larger than dense below 67 % zeros in 16 bits, 50 % in float32 and 33 % in float64.</source>
        <extracomment>format csr</extracomment>
        <translation>CSR ist größer als dicht bei weniger als 67 % Nullen in 16 Bit, 50 % in float32 und 33 % in float64.</translation>
    </message>
    <message>
        <source>Convolutions, embeddings and float8 tensors stay dense. Only tensors are written.</source>
        <extracomment>format csr</extracomment>
        <translation>Faltungen, Embeddings und float8-Tensoren bleiben dicht. Nur Tensoren werden geschrieben.</translation>
    </message>
    <message>
        <source>Load with load_state_dict(…, assign=True); 16-bit tensors need to_dense(). Not compatible with transformers.</source>
        <extracomment>format csr</extracomment>
        <translation>Mit load_state_dict(…, assign=True) laden; 16-Bit-Tensoren brauchen to_dense(). Nicht kompatibel mit transformers.</translation>
    </message>
    <message>
        <source>2.13, also with mmap=True; then load_state_dict(…, assign=True) or to_dense()</source>
        <extracomment>format csr, torch.load</extracomment>
        <translation>2.13, auch mit mmap=True; dann load_state_dict(…, assign=True) oder to_dense()</translation>
    </message>
    <message>
        <source>as dense weights with zeros, to continue</source>
        <extracomment>format csr, Pruneapp</extracomment>
        <translation>als dichte Gewichte mit Nullen, um weiterzumachen</translation>
    </message>
    <message>
        <source>numpy archive</source>
        <extracomment>format npz</extracomment>
        <translation>numpy-Archiv</translation>
    </message>
    <message>
        <source>One array per tensor, zeros in place, for programs that read numpy: numpy.load, JAX, MLX and others.</source>
        <extracomment>format npz</extracomment>
        <translation>Ein Array je Tensor, mit Nullen an ihren Stellen, für Programme, die numpy lesen: numpy.load, JAX, MLX und andere.</translation>
    </message>
    <message>
        <source>Zeros do not reduce the size unless the arrays are compressed.</source>
        <extracomment>format npz</extracomment>
        <translation>Nullen verringern die Größe nur, wenn die Arrays komprimiert werden.</translation>
    </message>
    <message>
        <source>Contains only tensors. Tied tensors are stored once for each name.</source>
        <extracomment>format npz</extracomment>
        <translation>Enthält nur Tensoren. Gebundene Tensoren werden unter jedem Namen einmal gespeichert.</translation>
    </message>
    <message>
        <source>bfloat16 and float8 as raw bytes, for a view of ml_dtypes</source>
        <extracomment>format npz, numpy.load</extracomment>
        <translation>bfloat16 und float8 als rohe Bytes, für eine Ansicht mit ml_dtypes</translation>
    </message>
    <message>
        <source>MLX reads V2 as bfloat16</source>
        <extracomment>format npz, MLX, JAX</extracomment>
        <translation>MLX liest V2 als bfloat16</translation>
    </message>
    <message>
        <source>Compress</source>
        <extracomment>format npz, compressed</extracomment>
        <translation>Komprimieren</translation>
    </message>
    <message>
        <source>Compress the arrays with DEFLATE, as numpy.savez_compressed does. Loading is slower.</source>
        <extracomment>format npz, compressed</extracomment>
        <translation>Die Arrays mit DEFLATE komprimieren, wie numpy.savez_compressed. Das Laden dauert länger.</translation>
    </message>
    <message>
        <source>ONNX, dense</source>
        <extracomment>format onnx</extracomment>
        <translation>ONNX, dicht</translation>
    </message>
    <message>
        <source>The opened ONNX model with zeros where it is pruned. Everything else in it stays as it is; data in files beside the model is moved into it, or into one new file if the model has more than 2 GiB.</source>
        <extracomment>format onnx</extracomment>
        <translation>Das geöffnete ONNX-Modell mit Nullen, wo es geprunt ist. Alles andere darin bleibt unverändert; Daten in Dateien neben dem Modell kommen hinein oder, wenn das Modell mehr als 2 GiB hat, in eine neue Datei.</translation>
    </message>
    <message>
        <source>and whatever runs the original</source>
        <extracomment>format onnx, ONNX Runtime</extracomment>
        <translation>und was immer das Original ausführt</translation>
    </message>
    <message>
        <source>torch.export program, dense</source>
        <extracomment>format pt2</extracomment>
        <translation>torch.export-Programm, dicht</translation>
    </message>
    <message>
        <source>The opened program of torch.export with zeros where it is pruned. Everything else in it stays as it is: the graph, its constants and its example inputs.</source>
        <extracomment>format pt2</extracomment>
        <translation>Das geöffnete Programm von torch.export mit Nullen, wo es geprunt ist. Alles andere darin bleibt, wie es ist: der Graph, seine Konstanten und seine Beispieleingaben.</translation>
    </message>
    <message>
        <source>pickle as opened</source>
        <extracomment>format pickle</extracomment>
        <translation>Pickle wie geöffnet</translation>
    </message>
    <message>
        <source>The opened pickle with zeros where weights are pruned; everything else in it is kept. For detectron2 and Caffe2.</source>
        <extracomment>format pickle</extracomment>
        <translation>Das geöffnete Pickle mit Nullen, wo Gewichte geprunt sind; alles andere darin bleibt erhalten. Für detectron2 und Caffe2.</translation>
    </message>
    <message>
        <source>Zeros do not reduce the size of a pickle.</source>
        <extracomment>format pickle</extracomment>
        <translation>Nullen verringern die Größe eines Pickles nicht.</translation>
    </message>
    <message>
        <source>as the opened file</source>
        <extracomment>format pickle, detectron2, pickle.load</extracomment>
        <translation>wie die geöffnete Datei</translation>
    </message>
    <message>
        <source>GGUF, dense</source>
        <extracomment>format gguf</extracomment>
        <translation>GGUF, dicht</translation>
    </message>
    <message>
        <source>The opened GGUF file with zeros where it is pruned. Everything else in it stays as it is: vocabulary, settings and quantized tensors.</source>
        <extracomment>format gguf</extracomment>
        <translation>Die geöffnete GGUF-Datei mit Nullen, wo sie geprunt ist. Alles andere darin bleibt unverändert: Vokabular, Einstellungen und quantisierte Tensoren.</translation>
    </message>
    <message>
        <source>Pruned weights are not quantized: use llama-quantize on the export.</source>
        <extracomment>format gguf</extracomment>
        <translation>Geprunte Gewichte werden nicht quantisiert: Wenden Sie llama-quantize auf den Export an.</translation>
    </message>
    <message>
        <source>Min sparsity per tensor</source>
        <extracomment>limits, min_sparsity</extracomment>
        <translation>Mindest-Sparsity je Tensor</translation>
    </message>
    <message>
        <source>Minimum sparsity of each tensor after the step.</source>
        <extracomment>limits, min_sparsity</extracomment>
        <translation>Mindest-Sparsity jedes Tensors nach dem Schritt.</translation>
    </message>
    <message>
        <source>Max sparsity per tensor</source>
        <extracomment>limits, max_sparsity</extracomment>
        <translation>Höchst-Sparsity je Tensor</translation>
    </message>
    <message>
        <source>Maximum sparsity of each tensor after the step.</source>
        <extracomment>limits, max_sparsity</extracomment>
        <translation>Höchst-Sparsity jedes Tensors nach dem Schritt.</translation>
    </message>
    <message>
        <source>Target total sparsity</source>
        <extracomment>limits, target_sparsity</extracomment>
        <translation>Angestrebte Gesamt-Sparsity</translation>
    </message>
    <message>
        <source>Sparsity of all selected tensors together after the step, instead of an amount: a fraction of their weights, or a number of weights.</source>
        <extracomment>limits, target_sparsity</extracomment>
        <translation>Sparsity aller gewählten Tensoren zusammen nach dem Schritt, statt eines Umfangs: ein Anteil ihrer Gewichte oder eine Anzahl von Gewichten.</translation>
    </message>
    <message>
        <source>Exclude</source>
        <extracomment>limits, exclude</extracomment>
        <translation>Ausnehmen</translation>
    </message>
    <message>
        <source>Tensors that the step does not change: embeddings, and the first and the last layer.</source>
        <extracomment>limits, exclude</extracomment>
        <translation>Tensoren, die der Schritt nicht ändert: Embeddings sowie die erste und die letzte Schicht.</translation>
    </message>
    <message>
        <source>Embeddings</source>
        <extracomment>limits, exclude</extracomment>
        <translation>Embeddings</translation>
    </message>
    <message>
        <source>Token and position embeddings.</source>
        <extracomment>limits, exclude</extracomment>
        <translation>Embeddings von Tokens und Positionen.</translation>
    </message>
    <message>
        <source>First layer</source>
        <extracomment>limits, exclude</extracomment>
        <translation>Erste Schicht</translation>
    </message>
    <message>
        <source>The first block of the model in order of execution, by its names.</source>
        <extracomment>limits, exclude</extracomment>
        <translation>Der erste Block des Modells in der Reihenfolge der Ausführung, nach seinen Namen.</translation>
    </message>
    <message>
        <source>Last layer</source>
        <extracomment>limits, exclude</extracomment>
        <translation>Letzte Schicht</translation>
    </message>
    <message>
        <source>The last block of the model in order of execution, by its names.</source>
        <extracomment>limits, exclude</extracomment>
        <translation>Der letzte Block des Modells in der Reihenfolge der Ausführung, nach seinen Namen.</translation>
    </message>
    <message>
        <source>Final sparsity</source>
        <extracomment>schedule, final</extracomment>
        <translation>End-Sparsity</translation>
    </message>
    <message>
        <source>Sparsity of these tensors after the last round, including what is already pruned: a fraction, or a number of weights.</source>
        <extracomment>schedule, final</extracomment>
        <translation>Sparsity dieser Tensoren nach der letzten Runde, mit dem, was schon geprunt ist: ein Anteil oder eine Anzahl von Gewichten.</translation>
    </message>
    <message>
        <source>Rounds</source>
        <extracomment>schedule, steps</extracomment>
        <translation>Runden</translation>
    </message>
    <message>
        <source>Number of steps added to the history.</source>
        <extracomment>schedule, steps</extracomment>
        <translation>Anzahl der Schritte, die dem Verlauf hinzugefügt werden.</translation>
    </message>
    <message>
        <source>Schedule</source>
        <extracomment>schedule, path</extracomment>
        <translation>Plan</translation>
    </message>
    <message>
        <source>How the sparsity grows from round to round.</source>
        <extracomment>schedule, path</extracomment>
        <translation>Wie die Sparsity von Runde zu Runde wächst.</translation>
    </message>
    <message>
        <source>Linear</source>
        <extracomment>schedule, path</extracomment>
        <translation>Linear</translation>
    </message>
    <message>
        <source>The same number of weights in each round.</source>
        <extracomment>schedule, path</extracomment>
        <translation>In jeder Runde gleich viele Gewichte.</translation>
    </message>
    <message>
        <source>Cubic</source>
        <extracomment>schedule, path</extracomment>
        <translation>Kubisch</translation>
    </message>
    <message>
        <source>More weights in early rounds, fewer in late ones (Zhu and Gupta, 2017).</source>
        <extracomment>schedule, path</extracomment>
        <translation>Mehr Gewichte in frühen Runden, weniger in späten (Zhu und Gupta, 2017).</translation>
    </message>
    <message>
        <source>Iterations</source>
        <extracomment>repair, iterations</extracomment>
        <translation>Iterationen</translation>
    </message>
    <message>
        <source>Iterations of conjugate gradients. More iterations take longer and come nearer to the outputs on these inputs.</source>
        <extracomment>repair, iterations</extracomment>
        <translation>Iterationen der konjugierten Gradienten. Mehr Iterationen dauern länger und kommen den Ausgaben auf diesen Eingaben näher.</translation>
    </message>
    <message>
        <source>Damping</source>
        <extracomment>repair, damping</extracomment>
        <translation>Dämpfung</translation>
    </message>
    <message>
        <source>Added to the diagonal of the Gram matrix, relative to its mean. Higher values change the weights less.</source>
        <extracomment>repair, damping</extracomment>
        <translation>Was zur Diagonale der Gram-Matrix addiert wird, relativ zu ihrem Mittel. Höhere Werte ändern die Gewichte weniger.</translation>
    </message>
    <message>
        <source>Adjust norms</source>
        <extracomment>repair, norms</extracomment>
        <translation>Norms anpassen</translation>
    </message>
    <message>
        <source>Change the running variances of norms as those of the outputs of repaired layers change.</source>
        <extracomment>repair, norms</extracomment>
        <translation>Die laufenden Varianzen der Norms so ändern, wie sich die der Ausgaben reparierter Schichten ändern.</translation>
    </message>
    <message>
        <source>Sequential</source>
        <extracomment>repair, sequential</extracomment>
        <translation>Nacheinander</translation>
    </message>
    <message>
        <source>Collect the inputs of each layer after the layers before it are repaired, and repair it for the outputs of the unpruned model. The inputs are run once more for each layer.</source>
        <extracomment>repair, sequential</extracomment>
        <translation>Die Eingaben jeder Schicht sammeln, nachdem die Schichten davor repariert sind, und sie auf die Ausgaben des ungeprunten Modells hin reparieren. Die Eingaben laufen für jede Schicht noch einmal durch.</translation>
    </message>
    <message>
        <source>Memory</source>
        <extracomment>repair, memory</extracomment>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Limit for the Gram matrices that are summed at once; with less memory, the inputs are run several times.</source>
        <extracomment>repair, memory</extracomment>
        <translation>Grenze für die Gram-Matrizen, die zugleich summiert werden; mit weniger Speicher laufen die Eingaben mehrmals durch.</translation>
    </message>
    <message>
        <source>any</source>
        <extracomment>repair, memory</extracomment>
        <translation>beliebig</translation>
    </message>
    <message>
        <source>Sparsity of all scanned tensors together: a fraction of their weights, or a number.</source>
        <extracomment>allocation, target_sparsity</extracomment>
        <translation>Sparsity aller gescannten Tensoren zusammen: ein Anteil ihrer Gewichte oder eine Anzahl.</translation>
    </message>
    <message>
        <source>Theme</source>
        <extracomment>settings, theme</extracomment>
        <translation>Farbschema</translation>
    </message>
    <message>
        <source>Light, dark, high contrast, or the system setting.</source>
        <extracomment>settings, theme</extracomment>
        <translation>Hell, dunkel, hoher Kontrast oder wie im System.</translation>
    </message>
    <message>
        <source>System</source>
        <extracomment>settings, theme</extracomment>
        <translation>System</translation>
    </message>
    <message>
        <source>Light</source>
        <extracomment>settings, theme</extracomment>
        <translation>Hell</translation>
    </message>
    <message>
        <source>Dark</source>
        <extracomment>settings, theme</extracomment>
        <translation>Dunkel</translation>
    </message>
    <message>
        <source>High contrast, light</source>
        <extracomment>settings, theme</extracomment>
        <translation>Hoher Kontrast, hell</translation>
    </message>
    <message>
        <source>High contrast, dark</source>
        <extracomment>settings, theme</extracomment>
        <translation>Hoher Kontrast, dunkel</translation>
    </message>
    <message>
        <source>Language</source>
        <extracomment>settings, language</extracomment>
        <translation>Sprache</translation>
    </message>
    <message>
        <source>Language of the window. Files and the command line are in English.</source>
        <extracomment>settings, language</extracomment>
        <translation>Sprache des Fensters. Dateien und die Befehlszeile sind auf Englisch.</translation>
    </message>
    <message>
        <source>Device</source>
        <extracomment>settings, device</extracomment>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>Device that computes masks. The result is the same on all devices.</source>
        <extracomment>settings, device</extracomment>
        <translation>Gerät, das Masken berechnet. Das Ergebnis ist auf allen Geräten dasselbe.</translation>
    </message>
    <message>
        <source>Automatic</source>
        <extracomment>settings, device</extracomment>
        <translation>Automatisch</translation>
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
        <translation>Vor eigenen Methoden warnen</translation>
    </message>
    <message>
        <source>Ask before loading a .py file with a pruning method, because loading runs its code.</source>
        <extracomment>settings, warn_own_methods</extracomment>
        <translation>Fragen, bevor eine .py-Datei mit einer Pruning-Methode geladen wird, weil dabei ihr Code läuft.</translation>
    </message>
    <message>
        <source>Confirm manual edits in all blocks</source>
        <extracomment>settings, ask_all_blocks</extracomment>
        <translation>Manuelle Änderungen in allen Blöcken bestätigen</translation>
    </message>
    <message>
        <source>List the tensors before a manual edit applies to the same layer in all blocks.</source>
        <extracomment>settings, ask_all_blocks</extracomment>
        <translation>Die Tensoren aufführen, bevor eine manuelle Änderung für dieselbe Schicht in allen Blöcken gilt.</translation>
    </message>
    <message>
        <source>Include bias and norm</source>
        <extracomment>settings, with_companions</extracomment>
        <translation>Bias und Norm einbeziehen</translation>
    </message>
    <message>
        <source>Apply manual edits of channels to their bias and norm entries.</source>
        <extracomment>settings, with_companions</extracomment>
        <translation>Manuelle Änderungen von Kanälen auf deren Einträge in Bias und Norm anwenden.</translation>
    </message>
    <message>
        <source>Tensors as a list</source>
        <extracomment>settings, tensor_list</extracomment>
        <translation>Tensoren als Liste</translation>
    </message>
    <message>
        <source>Show all tensors as a list instead of the tree of modules.</source>
        <extracomment>settings, tensor_list</extracomment>
        <translation>Alle Tensoren als Liste zeigen statt als Baum der Module.</translation>
    </message>
    <message>
        <source>Notify when long jobs end</source>
        <extracomment>settings, notify</extracomment>
        <translation>Benachrichtigen, wenn lange Aufgaben enden</translation>
    </message>
    <message>
        <source>Show a notification when a job of more than 10 seconds ends in the background.</source>
        <extracomment>settings, notify</extracomment>
        <translation>Eine Benachrichtigung zeigen, wenn eine Aufgabe von mehr als 10 Sekunden im Hintergrund endet.</translation>
    </message>
    <message>
        <source>Keep the history of closed files</source>
        <extracomment>settings, keep_histories</extracomment>
        <translation>Den Verlauf geschlossener Dateien behalten</translation>
    </message>
    <message>
        <source>Restore undo history, metrics and scans when one of the last ten files is opened again.</source>
        <extracomment>settings, keep_histories</extracomment>
        <translation>Verlauf, Metriken und Scans wiederherstellen, wenn eine der letzten zehn Dateien wieder geöffnet wird.</translation>
    </message>
    <message>
        <source>Motion</source>
        <extracomment>settings, motion</extracomment>
        <translation>Bewegung</translation>
    </message>
    <message>
        <source>Whether bars and menus are animated.</source>
        <extracomment>settings, motion</extracomment>
        <translation>Ob Balken und Menüs animiert sind.</translation>
    </message>
    <message>
        <source>Full</source>
        <extracomment>settings, motion</extracomment>
        <translation>Voll</translation>
    </message>
    <message>
        <source>Reduced</source>
        <extracomment>settings, motion</extracomment>
        <translation>Verringert</translation>
    </message>
    <message>
        <source>line</source>
        <extracomment>axis of the picture</extracomment>
        <translation>Zeile</translation>
    </message>
    <message>
        <source>position</source>
        <extracomment>axis of the picture</extracomment>
        <translation>Position</translation>
    </message>
    <message>
        <source>dim 0</source>
        <extracomment>axis of the picture</extracomment>
        <translation>Dim. 0</translation>
    </message>
    <message>
        <source>dim 1</source>
        <extracomment>axis of the picture</extracomment>
        <translation>Dim. 1</translation>
    </message>
    <message>
        <source>output channel</source>
        <extracomment>axis of the picture</extracomment>
        <translation>Ausgangskanal</translation>
    </message>
    <message>
        <source>input channel</source>
        <extracomment>axis of the picture</extracomment>
        <translation>Eingangskanal</translation>
    </message>
    <message>
        <source>kernel position</source>
        <extracomment>axis of the picture</extracomment>
        <translation>Kernel-Position</translation>
    </message>
    <message>
        <source>out</source>
        <extracomment>index in the picture</extracomment>
        <translation>Ausgang</translation>
    </message>
    <message>
        <source>in</source>
        <extracomment>index in the picture</extracomment>
        <translation>Eingang</translation>
    </message>
    <message>
        <source>kernel row</source>
        <extracomment>axis of the picture</extracomment>
        <translation>Kernel-Zeile</translation>
    </message>
    <message>
        <source>kernel column</source>
        <extracomment>axis of the picture</extracomment>
        <translation>Kernel-Spalte</translation>
    </message>
    <message>
        <source>kernel depth</source>
        <extracomment>axis of the picture</extracomment>
        <translation>Kernel-Tiefe</translation>
    </message>
    <message>
        <source>dim 2</source>
        <extracomment>axis of the picture</extracomment>
        <translation>Dim. 2</translation>
    </message>
    <message>
        <source>dim 4</source>
        <extracomment>axis of the picture</extracomment>
        <translation>Dim. 4</translation>
    </message>
    <message>
        <source>dim 3</source>
        <extracomment>axis of the picture</extracomment>
        <translation>Dim. 3</translation>
    </message>
    <message>
        <source>dim 5</source>
        <extracomment>axis of the picture</extracomment>
        <translation>Dim. 5</translation>
    </message>
    <message>
        <source>output feature</source>
        <extracomment>axis of the picture</extracomment>
        <translation>Ausgangsmerkmal</translation>
    </message>
    <message>
        <source>input feature</source>
        <extracomment>axis of the picture</extracomment>
        <translation>Eingangsmerkmal</translation>
    </message>
    <message>
        <source>entry</source>
        <extracomment>axis of the picture</extracomment>
        <translation>Eintrag</translation>
    </message>
    <message>
        <source>feature</source>
        <extracomment>axis of the picture</extracomment>
        <translation>Merkmal</translation>
    </message>
    <message>
        <source>Key/value heads</source>
        <extracomment>axis</extracomment>
        <translation>Key/Value-Heads</translation>
    </message>
    <message>
        <source>key/value heads</source>
        <extracomment>axis, in a sentence</extracomment>
        <translation>Key/Value-Heads</translation>
    </message>
    <message>
        <source>Query heads</source>
        <extracomment>axis</extracomment>
        <translation>Query-Heads</translation>
    </message>
    <message>
        <source>query heads</source>
        <extracomment>axis, in a sentence</extracomment>
        <translation>Query-Heads</translation>
    </message>
    <message>
        <source>Experts</source>
        <extracomment>axis</extracomment>
        <translation>Experten</translation>
    </message>
    <message>
        <source>experts</source>
        <extracomment>axis, in a sentence</extracomment>
        <translation>Experten</translation>
    </message>
    <message>
        <source>layers</source>
        <extracomment>axis, in a sentence</extracomment>
        <translation>Schichten</translation>
    </message>
    <message>
        <source>Vocabulary</source>
        <extracomment>axis</extracomment>
        <translation>Vokabular</translation>
    </message>
    <message>
        <source>vocabulary</source>
        <extracomment>axis, in a sentence</extracomment>
        <translation>Vokabular</translation>
    </message>
    <message>
        <source>Channels</source>
        <extracomment>axis</extracomment>
        <translation>Kanäle</translation>
    </message>
    <message>
        <source>channels</source>
        <extracomment>axis, in a sentence</extracomment>
        <translation>Kanäle</translation>
    </message>
</context>
<context>
    <name>DependentsRow</name>
    <message>
        <source>With everything that depends on it</source>
        <translation>Mit allem, was davon abhängt</translation>
    </message>
    <message>
        <source>With everything that depends on it (not known)</source>
        <translation>Mit allem, was davon abhängt (nicht bekannt)</translation>
    </message>
    <message>
        <source>Also prunes what other tensors have of the pruned channels: columns of the next layer, biases, norms. They do not count toward the amount, and protected weights stay.</source>
        <translation>Prunt auch, was andere Tensoren von den geprunten Kanälen haben: Spalten der nächsten Schicht, Biases, Norms. Sie zählen nicht zum Umfang, und geschützte Gewichte bleiben.</translation>
    </message>
    <message>
        <source>Off by default: {why}</source>
        <translation>Standardmäßig aus: {why}</translation>
    </message>
    <message>
        <source>{names}.</source>
        <translation>{names}.</translation>
    </message>
    <message>
        <source>On top of the amount, also prunes 1 tensor: {names}</source>
        <translation>Prunt über den Umfang hinaus auch 1 Tensor: {names}</translation>
    </message>
    <message>
        <source>On top of the amount, also prunes {n} tensors: {names}</source>
        <translation>Prunt über den Umfang hinaus auch {n} Tensoren: {names}</translation>
    </message>
    <message>
        <source>On top of the amount, would also prune 1 tensor: {names}</source>
        <translation>Würde über den Umfang hinaus auch 1 Tensor prunen: {names}</translation>
    </message>
    <message>
        <source>On top of the amount, would also prune {n} tensors: {names}</source>
        <translation>Würde über den Umfang hinaus auch {n} Tensoren prunen: {names}</translation>
    </message>
    <message>
        <source>On top of the amount, would also prune 1 tensor.</source>
        <translation>Würde über den Umfang hinaus auch 1 Tensor prunen.</translation>
    </message>
    <message>
        <source>On top of the amount, would also prune {n} tensors.</source>
        <translation>Würde über den Umfang hinaus auch {n} Tensoren prunen.</translation>
    </message>
    <message>
        <source>{name} rows</source>
        <translation>Zeilen von {name}</translation>
    </message>
    <message>
        <source>{name} columns</source>
        <translation>Spalten von {name}</translation>
    </message>
    <message>
        <source>{name} outputs</source>
        <translation>Ausgänge von {name}</translation>
    </message>
    <message>
        <source>{name} inputs</source>
        <translation>Eingänge von {name}</translation>
    </message>
    <message>
        <source>{name} dim {dim}</source>
        <translation>{name}, Dim. {dim}</translation>
    </message>
    <message>
        <source>No other tensor is pruned with {name}.</source>
        <translation>Mit {name} wird kein anderer Tensor geprunt.</translation>
    </message>
    <message>
        <source>No other tensor is pruned with {n} of {m} tensors, such as {name}.</source>
        <translation>Mit {n} von {m} Tensoren wie {name} wird kein anderer Tensor geprunt.</translation>
    </message>
</context>
<context>
    <name>Desktop</name>
    <message>
        <source>{job}: failed</source>
        <translation>{job}: fehlgeschlagen</translation>
    </message>
    <message>
        <source>{job}: finished</source>
        <translation>{job}: abgeschlossen</translation>
    </message>
    <message>
        <source>A file is being written.</source>
        <translation>Eine Datei wird geschrieben.</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Anzeigen</translation>
    </message>
</context>
<context>
    <name>DimEditor</name>
    <message>
        <source>−1: last dimension</source>
        <translation>−1: letzte Dimension</translation>
    </message>
</context>
<context>
    <name>Dims</name>
    <message>
        <source>entries</source>
        <translation>Einträge</translation>
    </message>
    <message>
        <source>features</source>
        <translation>Merkmale</translation>
    </message>
    <message>
        <source>outputs</source>
        <translation>Ausgänge</translation>
    </message>
    <message>
        <source>inputs</source>
        <translation>Eingänge</translation>
    </message>
    <message>
        <source>output channels</source>
        <translation>Ausgangskanäle</translation>
    </message>
    <message>
        <source>input channels</source>
        <translation>Eingangskanäle</translation>
    </message>
    <message>
        <source>kernel rows</source>
        <translation>Kernel-Zeilen</translation>
    </message>
    <message>
        <source>kernel columns</source>
        <translation>Kernel-Spalten</translation>
    </message>
    <message>
        <source>kernel</source>
        <translation>Kernel</translation>
    </message>
    <message>
        <source>kernel depth</source>
        <translation>Kernel-Tiefe</translation>
    </message>
    <message>
        <source>dimension</source>
        <translation>Dimension</translation>
    </message>
</context>
<context>
    <name>DistributionView</name>
    <message>
        <source>Computing histogram…</source>
        <translation>Histogramm wird berechnet…</translation>
    </message>
    <message>
        <source>Count</source>
        <translation>Zählung</translation>
    </message>
    <message>
        <source>Histogram of magnitudes, of magnitudes on a logarithmic axis, or of signed values</source>
        <translation>Histogramm der Beträge, der Beträge auf logarithmischer Achse oder der Werte mit Vorzeichen</translation>
    </message>
    <message>
        <source>Magnitudes</source>
        <translation>Beträge</translation>
    </message>
    <message>
        <source>Log magnitudes</source>
        <translation>Beträge (log.)</translation>
    </message>
    <message>
        <source>Signed values</source>
        <translation>Mit Vorzeichen</translation>
    </message>
    <message>
        <source>Log counts</source>
        <translation>Anzahl (log.)</translation>
    </message>
    <message>
        <source>Logarithmic count axis</source>
        <translation>Logarithmische Achse der Anzahl</translation>
    </message>
    <message>
        <source>Threshold</source>
        <translation>Schwellenwert</translation>
    </message>
    <message>
        <source>Weights of smaller magnitude are to be pruned. Enter a magnitude or use the arrow keys; in the chart, drag the line or press Shift and an arrow key.</source>
        <translation>Gewichte mit kleinerem Betrag werden geprunt. Geben Sie einen Betrag ein oder benutzen Sie die Pfeiltasten; im Diagramm ziehen Sie die Linie, oder drücken Sie Umschalt und eine Pfeiltaste.</translation>
    </message>
    <message>
        <source>number of weights</source>
        <translation>Anzahl der Gewichte</translation>
    </message>
    <message>
        <source>Distribution of magnitudes</source>
        <translation>Verteilung der Beträge</translation>
    </message>
    <message>
        <source>Distribution of magnitudes, logarithmic</source>
        <translation>Verteilung der Beträge, logarithmisch</translation>
    </message>
    <message>
        <source>Distribution of values</source>
        <translation>Verteilung der Werte</translation>
    </message>
    <message>
        <source>{low} to {high}:  {kept} kept, {pruned} pruned</source>
        <translation>{low} bis {high}:  {kept} behalten, {pruned} geprunt</translation>
    </message>
    <message>
        <source>, {to_prune} to be pruned</source>
        <translation>, {to_prune} zu prunen</translation>
    </message>
    <message>
        <source>no weights</source>
        <translation>keine Gewichte</translation>
    </message>
    <message>
        <source>{n} weights, {share} pruned</source>
        <translation>{n} Gewichte, {share} geprunt</translation>
    </message>
    <message>
        <source>, {share} to be pruned</source>
        <translation>, {share} zu prunen</translation>
    </message>
    <message>
        <source>, {n} NaN or infinite</source>
        <translation>, {n} NaN oder unendlich</translation>
    </message>
    <message>
        <source>below {threshold}: {about}{n} weights, {share}</source>
        <translation>unter {threshold}: {about}{n} Gewichte, {share}</translation>
    </message>
    <message>
        <source>below {threshold}: {about}{n} weights, {share} of the remaining</source>
        <translation>unter {threshold}: {about}{n} Gewichte, {share} der verbleibenden</translation>
    </message>
    <message>
        <source>≈ </source>
        <translation>≈ </translation>
    </message>
    <message>
        <source>last bar: {n} weights from {limit} to {largest}</source>
        <translation>letzter Balken: {n} Gewichte von {limit} bis {largest}</translation>
    </message>
    <message>
        <source>first and last bar: {n} weights from ±{limit} to ±{largest}</source>
        <translation>erster und letzter Balken: {n} Gewichte von ±{limit} bis ±{largest}</translation>
    </message>
    <message>
        <source>from</source>
        <translation>von</translation>
    </message>
    <message>
        <source>to</source>
        <translation>bis</translation>
    </message>
    <message>
        <source>kept</source>
        <translation>behalten</translation>
    </message>
    <message>
        <source>pruned</source>
        <translation>geprunt</translation>
    </message>
    <message>
        <source>to be pruned</source>
        <translation>zu prunen</translation>
    </message>
    <message>
        <source>kept after</source>
        <translation>danach behalten</translation>
    </message>
    <message>
        <source>weight magnitude</source>
        <translation>Betrag des Gewichts</translation>
    </message>
    <message>
        <source>weight magnitude (log scale)</source>
        <translation>Betrag des Gewichts (log. Skala)</translation>
    </message>
    <message>
        <source>weight value</source>
        <translation>Wert des Gewichts</translation>
    </message>
    <message>
        <source>✕ Enter a magnitude of 0 or more (got &apos;{text}&apos;).</source>
        <translation>✕ Geben Sie einen Betrag von 0 oder mehr ein (statt „{text}“).</translation>
    </message>
</context>
<context>
    <name>DocumentViews</name>
    <message>
        <source>Modules</source>
        <translation>Module</translation>
    </message>
    <message>
        <source>Prune</source>
        <translation>Prunen</translation>
    </message>
</context>
<context>
    <name>Done</name>
    <message>
        <source>Last action</source>
        <translation>Letzte Aktion</translation>
    </message>
</context>
<context>
    <name>ElidedLabel</name>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
</context>
<context>
    <name>EmptyPage</name>
    <message>
        <source>Drop a checkpoint here</source>
        <translation>Legen Sie hier einen Checkpoint ab</translation>
    </message>
    <message>
        <source>.safetensors, .pt, .pth, .bin, .ckpt, or a model folder</source>
        <translation>.safetensors, .pt, .pth, .bin, .ckpt oder ein Modellordner</translation>
    </message>
    <message>
        <source>Nothing is uploaded unless you name a URL as the target.
Files are read, never run.</source>
        <translation>Nichts wird hochgeladen, außer wenn Sie eine URL als Ziel angeben.
Dateien werden gelesen, nie ausgeführt.</translation>
    </message>
    <message>
        <source>Open…</source>
        <translation>Öffnen…</translation>
    </message>
    <message>
        <source>Open a file</source>
        <translation>Eine Datei öffnen</translation>
    </message>
    <message>
        <source>Open a model folder</source>
        <translation>Einen Modellordner öffnen</translation>
    </message>
    <message>
        <source>Missing: {folder}</source>
        <translation>Fehlt: {folder}</translation>
    </message>
    <message>
        <source>This file was not found.</source>
        <translation>Diese Datei wurde nicht gefunden.</translation>
    </message>
    <message>
        <source>Unpin {path}</source>
        <translation>{path} lösen</translation>
    </message>
    <message>
        <source>Pin {path}</source>
        <translation>{path} anheften</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>Lösen</translation>
    </message>
    <message>
        <source>Pin to the top of the recent files</source>
        <translation>Oben in den zuletzt geöffneten Dateien anheften</translation>
    </message>
    <message>
        <source>Remove {path}</source>
        <translation>{path} entfernen</translation>
    </message>
    <message>
        <source>Remove from the recent files</source>
        <translation>Aus den zuletzt geöffneten Dateien entfernen</translation>
    </message>
    <message>
        <source>Open folder…</source>
        <translation>Ordner öffnen…</translation>
    </message>
    <message>
        <source>Try the sample</source>
        <translation>Beispiel öffnen</translation>
    </message>
    <message>
        <source>Open a small network included with Pruneapp</source>
        <translation>Ein kleines Netz öffnen, das Pruneapp beiliegt</translation>
    </message>
    <message>
        <source>Take the tour</source>
        <translation>Tour beginnen</translation>
    </message>
    <message>
        <source>Learn the main steps with the sample</source>
        <translation>Die wichtigsten Schritte am Beispiel kennenlernen</translation>
    </message>
    <message>
        <source>Welcome to Pruneapp</source>
        <translation>Willkommen bei Pruneapp</translation>
    </message>
    <message>
        <source>Drop a checkpoint here, or choose a file or the folder of a model.</source>
        <translation>Ziehen Sie einen Checkpoint hierher, oder wählen Sie eine Datei oder einen Modellordner.</translation>
    </message>
    <message>
        <source>A small network that reads handwritten digits.</source>
        <translation>Ein kleines Netz, das handgeschriebene Ziffern liest.</translation>
    </message>
    <message>
        <source>The main steps in two minutes, with the sample. End it any time.</source>
        <translation>Die wichtigsten Schritte in zwei Minuten, am Beispiel. Jederzeit zu beenden.</translation>
    </message>
    <message>
        <source>Recent files</source>
        <translation>Zuletzt geöffnet</translation>
    </message>
    <message>
        <source>Open {path}</source>
        <translation>{path} öffnen</translation>
    </message>
</context>
<context>
    <name>EvaluateDialog</name>
    <message>
        <source>Evaluate</source>
        <translation>Auswerten</translation>
    </message>
    <message>
        <source>Metrics of the model, measured in a separate process: first of the unpruned model, three times, which gives the noise; then of the current state. Further states are measured when you ask for them in the history.</source>
        <translation>Metriken des Modells, in einem eigenen Prozess gemessen: zuerst die des ungeprunten Modells, dreimal, was das Rauschen ergibt; dann die des aktuellen Zustands. Weitere Zustände werden gemessen, wenn Sie es im Verlauf verlangen.</translation>
    </message>
    <message>
        <source>Ne&amp;w script…</source>
        <translation>Neues S&amp;kript…</translation>
    </message>
    <message>
        <source>Save a script to start from, made for this file</source>
        <translation>Ein Skript als Anfang speichern, das zu dieser Datei passt</translation>
    </message>
</context>
<context>
    <name>EvaluationController</name>
    <message>
        <source>All states have been evaluated already.</source>
        <translation>Alle Zustände sind schon ausgewertet.</translation>
    </message>
    <message>
        <source>New evaluation script</source>
        <translation>Neues Auswertungsskript</translation>
    </message>
    <message>
        <source>Python files ({patterns})</source>
        <translation>Python-Dateien ({patterns})</translation>
    </message>
    <message>
        <source>Saving the script</source>
        <translation>Skript wird gespeichert</translation>
    </message>
    <message>
        <source>Evaluation:</source>
        <translation>Auswertung:</translation>
    </message>
    <message>
        <source>Evaluation {n} of {count}:</source>
        <translation>Auswertung {n} von {count}:</translation>
    </message>
    <message>
        <source>Evaluation stopped.</source>
        <translation>Auswertung abgebrochen.</translation>
    </message>
    <message>
        <source>Evaluation stopped: {n} of {count} states were evaluated.</source>
        <translation>Auswertung abgebrochen: {n} von {count} Zuständen sind ausgewertet.</translation>
    </message>
    <message>
        <source>Counting multiply-adds:</source>
        <translation>Multiply-Adds werden gezählt:</translation>
    </message>
    <message>
        <source>Counting was stopped. Choose the axis again.</source>
        <translation>Die Zählung wurde abgebrochen. Wählen Sie die Achse noch einmal.</translation>
    </message>
    <message>
        <source>{method}, several rules</source>
        <translation>{method}, mehrere Regeln</translation>
    </message>
    <message>
        <source>Repair</source>
        <translation>Reparatur</translation>
    </message>
    <message>
        <source>Recovery</source>
        <translation>Wiederherstellung</translation>
    </message>
    <message>
        <source>other</source>
        <translation>anderes</translation>
    </message>
    <message>
        <source>The model is measured on the text that calibrated it: its metric will be better than on other texts.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Without labels, the agreement is measured on the images that calibrated the model: it will be lower on others. Accuracy is measured on others.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The same script measures the model: make sure that evaluate uses other data than calibrate.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Measured before this session was opened. Evaluate again ({keys}) to compare with new results.</source>
        <translation>Gemessen, bevor diese Sitzung geöffnet wurde. Werten Sie erneut aus ({keys}), um mit neuen Ergebnissen zu vergleichen.</translation>
    </message>
    <message>
        <source>Multiply-adds are counted by the script: evaluate a state again ({keys}) to count them.</source>
        <translation>Multiply-Adds zählt das Skript: Werten Sie einen Zustand noch einmal aus ({keys}), dann sind sie da.</translation>
    </message>
    <message>
        <source>{words}.</source>
        <translation>{words}.</translation>
    </message>
    <message>
        <source>Measured with another script, Python or options.</source>
        <translation>Mit anderem Skript, Python oder anderen Optionen gemessen.</translation>
    </message>
    <message>
        <source>Counting multiply-adds…</source>
        <translation>Multiply-Adds werden gezählt…</translation>
    </message>
    <message>
        <source>being evaluated</source>
        <translation>wird ausgewertet</translation>
    </message>
    <message>
        <source>waiting to be evaluated</source>
        <translation>wartet auf die Auswertung</translation>
    </message>
    <message>
        <source>not evaluated</source>
        <translation>nicht ausgewertet</translation>
    </message>
</context>
<context>
    <name>ExportController</name>
    <message>
        <source>Shrinking</source>
        <translation>Verkleinern</translation>
    </message>
    <message>
        <source>Export of {name} cancelled: nothing was written.</source>
        <translation>Export von {name} abgebrochen: Nichts wurde geschrieben.</translation>
    </message>
    <message>
        <source>Exporting</source>
        <translation>Exportieren</translation>
    </message>
    <message>
        <source>Exporting on the cluster</source>
        <translation>Exportieren auf dem Cluster</translation>
    </message>
    <message>
        <source>The export was already written when it was cancelled.</source>
        <translation>Der Export war schon geschrieben, als er abgebrochen wurde.</translation>
    </message>
    <message>
        <source>Missing beside it: {names}.</source>
        <translation>Daneben fehlt: {names}.</translation>
    </message>
    <message>
        <source>No file manager was found to show &apos;{folder}&apos;. Open the folder manually.</source>
        <translation>Es fand sich keine Dateiverwaltung, um „{folder}“ zu zeigen. Öffnen Sie den Ordner selbst.</translation>
    </message>
</context>
<context>
    <name>ExportDialog</name>
    <message>
        <source>Export</source>
        <translation>Exportieren</translation>
    </message>
    <message>
        <source>What is written</source>
        <translation>Was geschrieben wird</translation>
    </message>
    <message>
        <source>Full size</source>
        <translation>Volle Größe</translation>
    </message>
    <message>
        <source>Tensors keep their shapes; what is pruned is 0.</source>
        <translation>Tensoren behalten ihre Form; Gepruntes ist 0.</translation>
    </message>
    <message>
        <source>Shrunk</source>
        <translation>Verkleinert</translation>
    </message>
    <message>
        <source>Dead units are cut out: smaller tensors, and a config.json for them.</source>
        <translation>Tote Einheiten werden entfernt: kleinere Tensoren und eine config.json dazu.</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Purpose</source>
        <translation>Zweck</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>Format</translation>
    </message>
    <message>
        <source>State {title}</source>
        <translation>Zustand {title}</translation>
    </message>
    <message>
        <source>  ·  {share} pruned</source>
        <translation>  ·  {share} geprunt</translation>
    </message>
    <message>
        <source>△ Nothing is pruned yet: the export is a copy.</source>
        <translation>△ Noch ist nichts geprunt: Der Export ist eine Kopie.</translation>
    </message>
    <message>
        <source>The step in the preview is not applied yet: press “{button}” first.</source>
        <translation>Der Schritt der Vorschau ist noch nicht ausgeführt: Drücken Sie erst „{button}“.</translation>
    </message>
    <message>
        <source>{action}, {size}</source>
        <translation>{action}, {size}</translation>
    </message>
    <message>
        <source>Replace original</source>
        <translation>Original ersetzen</translation>
    </message>
    <message>
        <source>Replace {n} files</source>
        <translation>{n} Dateien ersetzen</translation>
    </message>
    <message>
        <source>Replace file</source>
        <translation>Datei ersetzen</translation>
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
        <translation>Bild kopieren</translation>
    </message>
    <message>
        <source>Save PNG…</source>
        <translation>PNG speichern…</translation>
    </message>
    <message>
        <source>Save SVG…</source>
        <translation>SVG speichern…</translation>
    </message>
    <message>
        <source>Save CSV…</source>
        <translation>CSV speichern…</translation>
    </message>
    <message>
        <source>Save picture</source>
        <translation>Bild speichern</translation>
    </message>
    <message>
        <source>PNG picture (*.png)</source>
        <translation>PNG-Bild (*.png)</translation>
    </message>
    <message>
        <source>SVG drawing (*.svg)</source>
        <translation>SVG-Zeichnung (*.svg)</translation>
    </message>
    <message>
        <source>Save data</source>
        <translation>Daten speichern</translation>
    </message>
    <message>
        <source>Comma-separated values (*.csv)</source>
        <translation>Kommagetrennte Werte (*.csv)</translation>
    </message>
</context>
<context>
    <name>ExportPlace</name>
    <message>
        <source>Replaces the open model; a backup is kept as {names}.</source>
        <translation>Ersetzt das geöffnete Modell; eine Sicherung bleibt als {names}.</translation>
    </message>
    <message>
        <source>{name} already exists and will be replaced.</source>
        <translation>{name} gibt es schon und wird ersetzt.</translation>
    </message>
    <message>
        <source>{n} files already exist and will be replaced: {names}.</source>
        <translation>{n} Dateien gibt es schon und werden ersetzt: {names}.</translation>
    </message>
    <message>
        <source>{names} and {n} more</source>
        <translation>{names} und {n} weitere</translation>
    </message>
    <message>
        <source>Enter a folder.</source>
        <translation>Geben Sie einen Ordner ein.</translation>
    </message>
    <message>
        <source>Enter a file name.</source>
        <translation>Geben Sie einen Dateinamen ein.</translation>
    </message>
    <message>
        <source>A name cannot contain a null character.</source>
        <translation>Ein Name kann kein Nullzeichen enthalten.</translation>
    </message>
    <message>
        <source>There is no user {name}: enter the full path.</source>
        <translation>Es gibt keinen Benutzer {name}: Geben Sie den vollen Pfad ein.</translation>
    </message>
    <message>
        <source>An export to {name} is under way: wait until it is done, or enter another name.</source>
        <translation>Ein Export nach {name} läuft: Warten Sie, bis er fertig ist, oder geben Sie einen anderen Namen ein.</translation>
    </message>
    <message>
        <source>This is a folder: add a file name.</source>
        <translation>Das ist ein Ordner: Fügen Sie einen Dateinamen an.</translation>
    </message>
    <message>
        <source>{file} is a file, not a folder.</source>
        <translation>{file} ist eine Datei, kein Ordner.</translation>
    </message>
    <message>
        <source>The folder {folder} does not exist.</source>
        <translation>Den Ordner {folder} gibt es nicht.</translation>
    </message>
    <message>
        <source>This is a file: shards of a maximum size need a folder.</source>
        <translation>Das ist eine Datei: Shards begrenzter Größe brauchen einen Ordner.</translation>
    </message>
    <message>
        <source>This folder contains the open model: choose another.</source>
        <translation>Dieser Ordner enthält das geöffnete Modell: Wählen Sie einen anderen.</translation>
    </message>
    <message>
        <source>The export is a folder: remove {suffix}.</source>
        <translation>Der Export ist ein Ordner: Entfernen Sie {suffix}.</translation>
    </message>
</context>
<context>
    <name>ExportReportDialog</name>
    <message>
        <source>Exported</source>
        <translation>Exportiert</translation>
    </message>
    <message>
        <source>Undo still works: it reads the backup of the original.</source>
        <translation>Rückgängigmachen geht weiterhin: Es liest die Sicherung des Originals.</translation>
    </message>
    <message>
        <source>This is not the original model: units that were not dead were cut, and checks compare it with the original in which these are zero.</source>
        <translation>Das ist nicht das ursprüngliche Modell: Es wurden Einheiten entfernt, die nicht tot waren, und Prüfungen vergleichen es mit dem Original, in dem diese null sind.</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>Tensor</translation>
    </message>
    <message>
        <source>Pruned</source>
        <translation>Geprunt</translation>
    </message>
    <message>
        <source>Total</source>
        <translation>Gesamt</translation>
    </message>
    <message>
        <source>Sparsity</source>
        <translation>Sparsity</translation>
    </message>
    <message>
        <source>Sparsity of the tensors</source>
        <translation>Sparsity der Tensoren</translation>
    </message>
    <message>
        <source>How to load</source>
        <translation>Laden</translation>
    </message>
    <message>
        <source>Show in folder</source>
        <translation>Im Ordner zeigen</translation>
    </message>
    <message>
        <source>Open the folder that contains the file.</source>
        <translation>Den Ordner öffnen, der die Datei enthält.</translation>
    </message>
    <message>
        <source>Copy the whole report.</source>
        <translation>Den ganzen Bericht kopieren.</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Exported file</source>
        <translation>Exportierte Datei</translation>
    </message>
    <message>
        <source>File, size, checksum and notes.</source>
        <translation>Datei, Größe, Prüfsumme und Hinweise.</translation>
    </message>
    <message>
        <source>Pruning steps</source>
        <translation>Pruning-Schritte</translation>
    </message>
    <message>
        <source>{size} in 1 file</source>
        <translation>{size} in 1 Datei</translation>
    </message>
    <message>
        <source>{size} in {n} files</source>
        <translation>{size} in {n} Dateien</translation>
    </message>
    <message>
        <source> + {size} in 1 other</source>
        <translation> + {size} in 1 weiteren</translation>
    </message>
    <message>
        <source> + {size} in {n} others</source>
        <translation> + {size} in {n} weiteren</translation>
    </message>
    <message>
        <source>one per file, included in the copied text</source>
        <translation>eine je Datei, im kopierten Text enthalten</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>Format</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Checksum</source>
        <translation>Prüfsumme</translation>
    </message>
    <message>
        <source>Verified</source>
        <translation>Geprüft</translation>
    </message>
    <message>
        <source>✓ read back and compared</source>
        <translation>✓ zurückgelesen und verglichen</translation>
    </message>
    <message>
        <source>✕ not compared</source>
        <translation>✕ nicht verglichen</translation>
    </message>
    <message>
        <source>Cut out</source>
        <translation>Entfernt</translation>
    </message>
    <message>
        <source>Effect</source>
        <translation>Wirkung</translation>
    </message>
    <message>
        <source>{n} weights</source>
        <translation>{n} Gewichte</translation>
    </message>
    <message>
        <source>Backup of original</source>
        <translation>Sicherung des Originals</translation>
    </message>
</context>
<context>
    <name>ExportSizes</name>
    <message>
        <source>calculating…</source>
        <translation>wird berechnet…</translation>
    </message>
    <message>
        <source>Max shard size {size}; calculating…</source>
        <translation>Maximale Shard-Größe {size}; wird berechnet…</translation>
    </message>
    <message>
        <source>One file: everything fits into {size}.</source>
        <translation>Eine Datei: Alles passt in {size}.</translation>
    </message>
    <message>
        <source>{n} files, up to {size} each.</source>
        <translation>{n} Dateien, je höchstens {size}.</translation>
    </message>
    <message>
        <source>Computing the rounding error of {type}…</source>
        <translation>Rundungsfehler von {type} wird berechnet…</translation>
    </message>
    <message>
        <source>✕ The rounding error of {type} is not known. {why}</source>
        <translation>✕ Der Rundungsfehler von {type} ist nicht bekannt. {why}</translation>
    </message>
    <message>
        <source>Largest rounding error {error} ({name}).</source>
        <translation>Größter Rundungsfehler {error} ({name}).</translation>
    </message>
    <message>
        <source>Values rounded to 0: {n}.</source>
        <translation>Auf 0 gerundete Werte: {n}.</translation>
    </message>
    <message>
        <source>All values are exact.</source>
        <translation>Alle Werte sind exakt.</translation>
    </message>
    <message>
        <source>▲ {n} values in {tensors} tensors, most of them in {name}, exceed the range of {type} and become infinite.</source>
        <translation>▲ {n} Werte in {tensors} Tensoren, die meisten davon in {name}, übersteigen den Wertebereich von {type} und werden unendlich.</translation>
    </message>
    <message>
        <source>▲ 1 value in {name} exceeds the range of {type} and becomes infinite.</source>
        <translation>▲ 1 Wert in {name} übersteigt den Wertebereich von {type} und wird unendlich.</translation>
    </message>
    <message>
        <source>▲ {n} values in {name} exceed the range of {type} and become infinite.</source>
        <translation>▲ {n} Werte in {name} übersteigen den Wertebereich von {type} und werden unendlich.</translation>
    </message>
    <message>
        <source>About {size} (within 2 %)</source>
        <translation>Etwa {size} (auf 2 % genau)</translation>
    </message>
    <message>
        <source>since {version}</source>
        <translation>ab {version}</translation>
    </message>
    <message>
        <source>{format}, {type}</source>
        <translation>{format}, {type}</translation>
    </message>
</context>
<context>
    <name>Fields</name>
    <message>
        <source>Set by the target total sparsity.</source>
        <translation>Durch die angestrebte Gesamt-Sparsity bestimmt.</translation>
    </message>
    <message>
        <source>Allowed: {low} to {high}.</source>
        <translation>Erlaubt: {low} bis {high}.</translation>
    </message>
</context>
<context>
    <name>Figures</name>
    <message>
        <source>Whole model</source>
        <translation>Ganzes Modell</translation>
    </message>
    <message>
        <source>Tensors</source>
        <translation>Tensoren</translation>
    </message>
    <message>
        <source>Weights pruned</source>
        <translation>Geprunte Gewichte</translation>
    </message>
    <message>
        <source>Sparsity (whole model)</source>
        <translation>Sparsity (ganzes Modell)</translation>
    </message>
    <message>
        <source>Parameters remaining</source>
        <translation>Verbleibende Parameter</translation>
    </message>
    <message>
        <source>Dense file</source>
        <translation>Dichte Datei</translation>
    </message>
    <message>
        <source>Zeros take as much space as other values. A dense file gets smaller only if it is compressed or if whole channels are removed.</source>
        <translation>Nullen brauchen so viel Platz wie andere Werte. Eine dichte Datei wird nur kleiner, wenn sie komprimiert wird oder ganze Kanäle entfernt werden.</translation>
    </message>
    <message>
        <source>Compact file (uncompressed)</source>
        <translation>Kompakte Datei (unkomprimiert)</translation>
    </message>
    <message>
        <source>Upper bound without compression and rounding: remaining weights, one mask bit per weight, and metadata. The file is also compressed; the export dialog estimates its size.</source>
        <translation>Obergrenze ohne Kompression und Rundung: verbleibende Gewichte, ein Maskenbit je Gewicht und Metadaten. Die Datei wird auch komprimiert; der Exportdialog schätzt ihre Größe.</translation>
    </message>
</context>
<context>
    <name>FileSizes</name>
    <message>
        <source>up to {size}</source>
        <translation>bis zu {size}</translation>
    </message>
</context>
<context>
    <name>FolderRow</name>
    <message>
        <source>Destination folder</source>
        <translation>Zielordner</translation>
    </message>
    <message>
        <source>A folder that does not exist yet.</source>
        <translation>Ein Ordner, den es noch nicht gibt.</translation>
    </message>
    <message>
        <source>Browse…</source>
        <translation>Durchsuchen…</translation>
    </message>
    <message>
        <source>Choose the destination of the export.</source>
        <translation>Das Ziel des Exports wählen.</translation>
    </message>
    <message>
        <source>This already exists: name a new file.</source>
        <translation>Das gibt es schon: Geben Sie eine neue Datei an.</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>This is a file: name a new folder.</source>
        <translation>Das ist eine Datei: Nennen Sie einen neuen Ordner.</translation>
    </message>
    <message>
        <source>This already exists: name a new folder.</source>
        <translation>Das gibt es schon: Nennen Sie einen neuen Ordner.</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>Destination file</source>
        <translation>Zieldatei</translation>
    </message>
    <message>
        <source>A file that does not exist yet.</source>
        <translation>Eine Datei, die es noch nicht gibt.</translation>
    </message>
    <message>
        <source>Export to</source>
        <translation>Exportieren nach</translation>
    </message>
</context>
<context>
    <name>FormController</name>
    <message>
        <source>Load masks</source>
        <translation>Masken laden</translation>
    </message>
    <message>
        <source>Load importance scores</source>
        <translation>Wichtigkeitswerte laden</translation>
    </message>
    <message>
        <source>Load statistics of activations</source>
        <translation>Aktivierungsstatistik laden</translation>
    </message>
    <message>
        <source>Reading masks</source>
        <translation>Masken werden gelesen</translation>
    </message>
    <message>
        <source>Opening scores</source>
        <translation>Werte werden geöffnet</translation>
    </message>
    <message>
        <source>Opening statistics</source>
        <translation>Statistik wird geöffnet</translation>
    </message>
</context>
<context>
    <name>FormatDetails</name>
    <message>
        <source>Selected format</source>
        <translation>Gewähltes Format</translation>
    </message>
    <message>
        <source>Description, notes, compatibility and settings.</source>
        <translation>Beschreibung, Hinweise, Kompatibilität und Einstellungen.</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>Hinweise</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Compatible with</source>
        <translation>Kompatibel mit</translation>
    </message>
</context>
<context>
    <name>GuideDialog</name>
    <message>
        <source>Guide</source>
        <translation>Anleitung</translation>
    </message>
    <message>
        <source>Search  (Ctrl+F)</source>
        <translation>Suchen  (Strg+F)</translation>
    </message>
    <message>
        <source>Search in the guide</source>
        <translation>In der Anleitung suchen</translation>
    </message>
    <message>
        <source>Previous match (Shift+F3)</source>
        <translation>Voriger Treffer (Umschalt+F3)</translation>
    </message>
    <message>
        <source>Next match (F3)</source>
        <translation>Nächster Treffer (F3)</translation>
    </message>
    <message>
        <source>Contents</source>
        <translation>Inhalt</translation>
    </message>
    <message>
        <source>{place} of {all}</source>
        <translation>{place} von {all}</translation>
    </message>
    <message>
        <source>No match</source>
        <translation>Kein Treffer</translation>
    </message>
</context>
<context>
    <name>HistoryController</name>
    <message>
        <source>Redoing</source>
        <translation>Wiederholen</translation>
    </message>
    <message>
        <source>Undoing</source>
        <translation>Rückgängig machen</translation>
    </message>
    <message>
        <source>Switching branches</source>
        <translation>Zweig wird gewechselt</translation>
    </message>
    <message>
        <source>Rename state</source>
        <translation>Zustand umbenennen</translation>
    </message>
    <message>
        <source>Name of this state; leave it empty to show the step:</source>
        <translation>Name dieses Zustands; leer lassen, um den Schritt zu zeigen:</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Umbenennen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Deleting a branch</source>
        <translation>Zweig wird gelöscht</translation>
    </message>
    <message>
        <source>The state that follows it is deleted, too.</source>
        <translation>Der Zustand, der darauf folgt, wird auch gelöscht.</translation>
    </message>
    <message>
        <source>The {n} states that follow it are deleted, too.</source>
        <translation>Die {n} Zustände, die darauf folgen, werden auch gelöscht.</translation>
    </message>
</context>
<context>
    <name>HistoryStates</name>
    <message>
        <source>Undone. Click to redo up to this step.</source>
        <translation>Rückgängig gemacht. Klicken Sie, um bis zu diesem Schritt zu wiederholen.</translation>
    </message>
    <message>
        <source>On another branch. Click to go to this state.</source>
        <translation>Auf einem anderen Zweig. Klicken Sie, um zu diesem Zustand zu gehen.</translation>
    </message>
    <message>
        <source> (click the dot to evaluate it)</source>
        <translation> (klicken Sie auf den Punkt, um den Zustand auszuwerten)</translation>
    </message>
    <message>
        <source>{label}, current</source>
        <translation>{label}, aktuell</translation>
    </message>
    <message>
        <source>{label}, undone</source>
        <translation>{label}, rückgängig gemacht</translation>
    </message>
    <message>
        <source>{label}, on another branch</source>
        <translation>{label}, auf einem anderen Zweig</translation>
    </message>
    <message>
        <source>and {n} more lines</source>
        <translation>und {n} weitere Zeilen</translation>
    </message>
    <message>
        <source>and {n} more</source>
        <translation>und {n} weitere</translation>
    </message>
</context>
<context>
    <name>HistoryStrip</name>
    <message>
        <source>History</source>
        <translation>Verlauf</translation>
    </message>
    <message>
        <source>All states, from first to last; branches below each other. Press Return to go to a state, F2 to rename it, Delete to delete it with those that follow it.</source>
        <translation>Alle Zustände, vom ersten zum letzten; Zweige untereinander. Eingabetaste geht zu einem Zustand, F2 benennt ihn um, Entf löscht ihn mit denen, die folgen.</translation>
    </message>
    <message>
        <source>Go to this state	Return</source>
        <translation>Zu diesem Zustand gehen	Return</translation>
    </message>
    <message>
        <source>Rename…	F2</source>
        <translation>Umbenennen…	F2</translation>
    </message>
    <message>
        <source>The current state is this one, or follows it</source>
        <translation>Der aktuelle Zustand ist dieser oder folgt auf ihn</translation>
    </message>
    <message>
        <source>Delete this state and all that follow it</source>
        <translation>Diesen Zustand und alle löschen, die auf ihn folgen</translation>
    </message>
    <message>
        <source>Delete branch…	Del</source>
        <translation>Zweig löschen…	Entf</translation>
    </message>
</context>
<context>
    <name>JobStatus</name>
    <message>
        <source>Progress of the job</source>
        <translation>Fortschritt des Auftrags</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Cancel the job; nothing is changed (Esc)</source>
        <translation>Den Auftrag abbrechen; nichts wird geändert (Esc)</translation>
    </message>
    <message>
        <source>Cancelling…</source>
        <translation>Wird abgebrochen…</translation>
    </message>
    <message>
        <source>Cancelling: finishing the current write…</source>
        <translation>Wird abgebrochen: Der laufende Schreibvorgang endet…</translation>
    </message>
    <message>
        <source>{job}: {item}</source>
        <translation>{job}: {item}</translation>
    </message>
    <message>
        <source>{time} left</source>
        <translation>noch {time}</translation>
    </message>
    <message>
        <source>This may take a while.</source>
        <translation>Das kann etwas dauern.</translation>
    </message>
</context>
<context>
    <name>KeyField</name>
    <message>
        <source>Press the keys of a shortcut together</source>
        <translation>Die Tasten eines Kürzels zusammen drücken</translation>
    </message>
</context>
<context>
    <name>KeySheet</name>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>Tastenkürzel</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>Befehl</translation>
    </message>
    <message>
        <source>Shortcut</source>
        <translation>Kürzel</translation>
    </message>
    <message>
        <source>Commands and shortcuts</source>
        <translation>Befehle und Kürzel</translation>
    </message>
    <message>
        <source>Change…</source>
        <translation>Ändern…</translation>
    </message>
    <message>
        <source>Choose other shortcuts for commands</source>
        <translation>Andere Tastenkürzel für Befehle wählen</translation>
    </message>
</context>
<context>
    <name>Labels</name>
    <message>
        <source>{text}.</source>
        <translation>{text}.</translation>
    </message>
    <message>
        <source>{first}, {second}</source>
        <translation>{first}, {second}</translation>
    </message>
    <message>
        <source>{first};  {second}</source>
        <translation>{first};  {second}</translation>
    </message>
    <message>
        <source>{label}: {text}</source>
        <translation>{label}: {text}</translation>
    </message>
    <message>
        <source>{text} ({note})</source>
        <translation>{text} ({note})</translation>
    </message>
    <message>
        <source>{first}, {name}</source>
        <translation>{first}, {name}</translation>
    </message>
</context>
<context>
    <name>LayerStrip</name>
    <message>
        <source>Layers</source>
        <translation>Schichten</translation>
    </message>
    <message>
        <source>Layer {n} does nothing and is cut: computes the same</source>
        <translation>Schicht {n} bewirkt nichts und wird entfernt: rechnet dasselbe</translation>
    </message>
    <message>
        <source>Layer {n} is unlike the others and stays</source>
        <translation>Schicht {n} ist anders als die anderen und bleibt</translation>
    </message>
    <message>
        <source>Layer {n} is cut: changes what the model computes</source>
        <translation>Schicht {n} wird entfernt: ändert, was das Modell rechnet</translation>
    </message>
    <message>
        <source>Layer {n} stays</source>
        <translation>Schicht {n} bleibt</translation>
    </message>
    <message>
        <source>Arrows move, Space cuts or keeps a layer.</source>
        <translation>Pfeile bewegen, die Leertaste entfernt oder behält eine Schicht.</translation>
    </message>
</context>
<context>
    <name>Legend</name>
    <message>
        <source>Legend: {words}</source>
        <translation>Legende: {words}</translation>
    </message>
</context>
<context>
    <name>LimitsSection</name>
    <message>
        <source>Limit the sparsity per tensor and in total, and exclude layers</source>
        <translation>Die Sparsity je Tensor und insgesamt begrenzen und Schichten ausnehmen</translation>
    </message>
    <message>
        <source>Sparsity limits after this step: per tensor and in total.</source>
        <translation>Grenzen der Sparsity nach diesem Schritt: je Tensor und insgesamt.</translation>
    </message>
    <message>
        <source>From target file size…</source>
        <translation>Nach Dateigröße…</translation>
    </message>
    <message>
        <source>Compute the total sparsity at which a compact file fits a size</source>
        <translation>Die Gesamt-Sparsity berechnen, bei der eine kompakte Datei in eine Größe passt</translation>
    </message>
    <message>
        <source>Limits…</source>
        <translation>Grenzen…</translation>
    </message>
    <message>
        <source>Limits ({n})</source>
        <translation>Grenzen ({n})</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>Main</source>
        <translation>Hauptleiste</translation>
    </message>
    <message>
        <source>Run on</source>
        <translation>Ausführen auf</translation>
    </message>
    <message>
        <source>What computes masks; or a cluster that exports run on. The result is the same everywhere.</source>
        <translation>Was Masken berechnet; oder ein Cluster, auf dem Exporte laufen. Das Ergebnis ist überall dasselbe.</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>Automatisch</translation>
    </message>
</context>
<context>
    <name>ManualEditController</name>
    <message>
        <source>Finding channels</source>
        <translation>Kanäle werden gesucht</translation>
    </message>
    <message>
        <source>Applying manual edit</source>
        <translation>Manuelle Änderung wird angewendet</translation>
    </message>
    <message>
        <source>{done}; {n} protected weights unchanged</source>
        <translation>{done}; {n} geschützte Gewichte unverändert</translation>
    </message>
    <message>
        <source>{done}; {n} weights made permanent earlier are still 0</source>
        <translation>{done}; {n} zuvor endgültig gemachte Gewichte sind weiter 0</translation>
    </message>
    <message>
        <source>Prune {what} in {n} tensors</source>
        <translation>{what} in {n} Tensoren prunen</translation>
    </message>
    <message>
        <source>Restore {what} in {n} tensors</source>
        <translation>{what} in {n} Tensoren wiederherstellen</translation>
    </message>
    <message>
        <source>Protect {what} in {n} tensors</source>
        <translation>{what} in {n} Tensoren schützen</translation>
    </message>
    <message>
        <source>Unprotect {what} in {n} tensors</source>
        <translation>Schutz von {what} in {n} Tensoren aufheben</translation>
    </message>
    <message>
        <source>{n} weights</source>
        <translation>{n} Gewichte</translation>
    </message>
    <message>
        <source>{units} of {place}</source>
        <translation>{units} von {place}</translation>
    </message>
</context>
<context>
    <name>ManualEditOptions</name>
    <message>
        <source>Manual edit</source>
        <translation>Manuelle Änderung</translation>
    </message>
    <message>
        <source>Include bias and norm</source>
        <translation>Bias und Norm einbeziehen</translation>
    </message>
    <message>
        <source>Bias and norm</source>
        <translation>Bias und Norm</translation>
    </message>
    <message>
        <source>Apply to the same layer in all {n} blocks</source>
        <translation>Auf dieselbe Schicht in allen {n} Blöcken anwenden</translation>
    </message>
    <message>
        <source>Same layer in all {n} blocks</source>
        <translation>Dieselbe Schicht in allen {n} Blöcken</translation>
    </message>
    <message>
        <source>Manual edits apply to {pattern}; the tensors are listed before anything changes</source>
        <translation>Manuelle Änderungen gelten für {pattern}; die Tensoren werden aufgeführt, bevor sich etwas ändert</translation>
    </message>
    <message>
        <source>Include the group ({n} tensors)</source>
        <translation>Die Gruppe einbeziehen ({n} Tensoren)</translation>
    </message>
    <message>
        <source>Group ({n} tensors)</source>
        <translation>Gruppe ({n} Tensoren)</translation>
    </message>
    <message>
        <source>{names} and {n} more</source>
        <translation>{names} und {n} weitere</translation>
    </message>
    <message>
        <source>{units}: manual edits apply to {names}, too</source>
        <translation>{units}: Manuelle Änderungen gelten auch für {names}</translation>
    </message>
</context>
<context>
    <name>MaskDragController</name>
    <message>
        <source>Drop here to prune what is pruned in {tensors} of {file}.</source>
        <translation>Hier ablegen, um zu prunen, was in {tensors} von {file} geprunt ist.</translation>
    </message>
    <message>
        <source>Reading masks</source>
        <translation>Masken werden gelesen</translation>
    </message>
    <message>
        <source>Masks of {tensors} were taken from {file}. Left out, because they do not fit this file: {others}.</source>
        <translation>Masken von {tensors} aus {file} übernommen. Ausgelassen, weil sie nicht zu dieser Datei passen: {others}.</translation>
    </message>
    <message>
        <source>Masks of {tensors} were taken from {file}. Prune applies them.</source>
        <translation>Masken von {tensors} aus {file} übernommen. Prunen wendet sie an.</translation>
    </message>
    <message>
        <source>1 tensor</source>
        <translation>1 Tensor</translation>
    </message>
    <message>
        <source>{n} tensors</source>
        <translation>{n} Tensoren</translation>
    </message>
</context>
<context>
    <name>MenuButton</name>
    <message>
        <source>Copy or save this picture and its data</source>
        <translation>Dieses Bild und seine Daten kopieren oder speichern</translation>
    </message>
    <message>
        <source>Copy or save</source>
        <translation>Kopieren oder speichern</translation>
    </message>
</context>
<context>
    <name>ModeRow</name>
    <message>
        <source>Show</source>
        <translation>Zeigen</translation>
    </message>
    <message>
        <source>What the picture shows</source>
        <translation>Was das Bild zeigt</translation>
    </message>
    <message>
        <source>Magnitude</source>
        <translation>Betrag</translation>
    </message>
    <message>
        <source>Magnitudes with the mask over them</source>
        <translation>Beträge mit der Maske darüber</translation>
    </message>
    <message>
        <source>Signed</source>
        <translation>Mit Vorzeichen</translation>
    </message>
    <message>
        <source>Signed weights</source>
        <translation>Gewichte mit Vorzeichen</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>Ergebnis</translation>
    </message>
    <message>
        <source>Weights as exported: pruned weights are 0</source>
        <translation>Gewichte wie im Export: geprunte sind 0</translation>
    </message>
    <message>
        <source>Mask</source>
        <translation>Maske</translation>
    </message>
    <message>
        <source>Kept and pruned weights only</source>
        <translation>Nur behaltene und geprunte Gewichte</translation>
    </message>
    <message>
        <source>Mask opacity</source>
        <translation>Deckkraft der Maske</translation>
    </message>
    <message>
        <source>Axes</source>
        <translation>Achsen</translation>
    </message>
    <message>
        <source>choose the dimensions shown as rows and columns</source>
        <translation>wählen, welche Dimensionen Zeilen und Spalten sind</translation>
    </message>
    <message>
        <source>Mask opacity: {share} (M: show or hide)</source>
        <translation>Deckkraft der Maske: {share} (M: zeigen oder verbergen)</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>Unterschied</translation>
    </message>
    <message>
        <source>Difference: {label}</source>
        <translation>Unterschied: {label}</translation>
    </message>
</context>
<context>
    <name>ModelStatus</name>
    <message>
        <source>1 layer</source>
        <translation>1 Schicht</translation>
    </message>
    <message>
        <source>{n} layers</source>
        <translation>{n} Schichten</translation>
    </message>
    <message>
        <source>mixed: {dtypes}</source>
        <translation>gemischt: {dtypes}</translation>
    </message>
    <message>
        <source>{names} and {n} more</source>
        <translation>{names} und {n} weitere</translation>
    </message>
    <message>
        <source>An export as a folder copies: {names}</source>
        <translation>Ein Export als Ordner kopiert: {names}</translation>
    </message>
    <message>
        <source>No parameters</source>
        <translation>Keine Parameter</translation>
    </message>
    <message>
        <source>{n} parameters   ·   {share} pruned</source>
        <translation>{n} Parameter   ·   {share} geprunt</translation>
    </message>
    <message>
        <source>{n} parameters, {buffers} in buffers   ·   {share} pruned</source>
        <translation>{n} Parameter, {buffers} in Puffern   ·   {share} geprunt</translation>
    </message>
    <message>
        <source>{pruned} of {n} parameters pruned.</source>
        <translation>{pruned} von {n} Parametern geprunt.</translation>
    </message>
    <message>
        <source>In addition, {n} elements in buffers: running statistics, counters, positions, masks.</source>
        <translation>Daneben {n} Elemente in Puffern: laufende Statistiken, Zähler, Positionen, Masken.</translation>
    </message>
</context>
<context>
    <name>ModelView</name>
    <message>
        <source>In layer order</source>
        <translation>Nach Schichten geordnet</translation>
    </message>
    <message>
        <source>Most pruned first</source>
        <translation>Am stärksten geprunte zuerst</translation>
    </message>
    <message>
        <source>Largest first</source>
        <translation>Größte zuerst</translation>
    </message>
    <message>
        <source>Least norm² retained first</source>
        <translation>Kleinste erhaltene Norm² zuerst</translation>
    </message>
    <message>
        <source>By role</source>
        <translation>Nach Rolle</translation>
    </message>
    <message>
        <source>Pruned</source>
        <translation>Geprunt</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Norm² retained (whole model)</source>
        <translation>Erhaltene Norm² (ganzes Modell)</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Zeigen</translation>
    </message>
    <message>
        <source>Height of the bars</source>
        <translation>Höhe der Balken</translation>
    </message>
    <message>
        <source>Counting…</source>
        <translation>Wird gezählt…</translation>
    </message>
    <message>
        <source>Open a checkpoint to see the sparsity of its tensors.</source>
        <translation>Öffnen Sie einen Checkpoint, um die Sparsity seiner Tensoren zu sehen.</translation>
    </message>
    <message>
        <source>Sparsity of the tensors</source>
        <translation>Sparsity der Tensoren</translation>
    </message>
    <message>
        <source>Sizes of the tensors</source>
        <translation>Größen der Tensoren</translation>
    </message>
    <message>
        <source>Norm² retained per tensor</source>
        <translation>Erhaltene Norm² je Tensor</translation>
    </message>
    <message>
        <source>tensors</source>
        <translation>Tensoren</translation>
    </message>
    <message>
        <source>1 tensor; model {share} pruned</source>
        <translation>1 Tensor; Modell {share} geprunt</translation>
    </message>
    <message>
        <source>{n} tensors; model {share} pruned</source>
        <translation>{n} Tensoren; Modell {share} geprunt</translation>
    </message>
    <message>
        <source>, {then} after the step</source>
        <translation>, {then} nach dem Schritt</translation>
    </message>
    <message>
        <source>;  norm²: calculating…</source>
        <translation>;  Norm²: wird berechnet…</translation>
    </message>
    <message>
        <source>;  norm² retained {share}</source>
        <translation>;  Norm² zu {share} erhalten</translation>
    </message>
    <message>
        <source>;  only tensors that are usually pruned or have pruned weights are shown</source>
        <translation>;  gezeigt sind die üblicherweise geprunten und die mit geprunten Gewichten</translation>
    </message>
    <message>
        <source>tensor</source>
        <translation>Tensor</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>bytes</source>
        <translation>Bytes</translation>
    </message>
    <message>
        <source>pruned</source>
        <translation>geprunt</translation>
    </message>
    <message>
        <source>pruned after</source>
        <translation>danach geprunt</translation>
    </message>
    <message>
        <source>sparsity</source>
        <translation>Sparsity</translation>
    </message>
    <message>
        <source>sparsity after</source>
        <translation>Sparsity danach</translation>
    </message>
    <message>
        <source>norm² retained</source>
        <translation>erhaltene Norm²</translation>
    </message>
    <message>
        <source>norm² retained after</source>
        <translation>danach erhaltene Norm²</translation>
    </message>
    <message>
        <source>pruned, %</source>
        <translation>geprunt, %</translation>
    </message>
    <message>
        <source>size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>norm² retained, %</source>
        <translation>erhaltene Norm², %</translation>
    </message>
    <message>
        <source>{name}:  {now} → {then} pruned</source>
        <translation>{name}:  {now} → {then} geprunt</translation>
    </message>
    <message>
        <source>, norm² retained {norm} (this step)</source>
        <translation>, Norm² zu {norm} erhalten (dieser Schritt)</translation>
    </message>
    <message>
        <source>{name}:  {now} pruned, {some} of {all}</source>
        <translation>{name}:  {now} geprunt, {some} von {all}</translation>
    </message>
    <message>
        <source>, norm² retained {norm} since opening</source>
        <translation>, Norm² seit dem Öffnen zu {norm} erhalten</translation>
    </message>
    <message>
        <source>{n} tensors, {size}</source>
        <translation>{n} Tensoren, {size}</translation>
    </message>
    <message>
        <source>{name}:  {size}, {why}</source>
        <translation>{name}:  {size}, {why}</translation>
    </message>
    <message>
        <source>not pruned</source>
        <translation>nicht geprunt</translation>
    </message>
</context>
<context>
    <name>ModuleTree</name>
    <message>
        <source>Chosen by rules; {n} checked, not used</source>
        <translation>Nach Regeln; {n} angekreuzt, ungenutzt</translation>
    </message>
    <message>
        <source>1 tensor</source>
        <translation>1 Tensor</translation>
    </message>
    <message>
        <source>{n} tensors</source>
        <translation>{n} Tensoren</translation>
    </message>
    <message>
        <source>, {weights} weights checked</source>
        <translation>, {weights} Gewichte angekreuzt</translation>
    </message>
    <message>
        <source> checked</source>
        <translation> angekreuzt</translation>
    </message>
    <message>
        <source>; rules choose others</source>
        <translation>; Regeln wählen andere</translation>
    </message>
    <message>
        <source> · {n} not shown</source>
        <translation> · {n} nicht gezeigt</translation>
    </message>
    <message>
        <source>Check all of this type ({n})</source>
        <translation>Alle dieser Art ankreuzen ({n})</translation>
    </message>
    <message>
        <source>Uncheck the same role in all blocks ({n})</source>
        <translation>Dieselbe Rolle in allen Blöcken abwählen ({n})</translation>
    </message>
    <message>
        <source>Check the same role in all blocks ({n})</source>
        <translation>Dieselbe Rolle in allen Blöcken ankreuzen ({n})</translation>
    </message>
    <message>
        <source>Check all below</source>
        <translation>Alle darunter ankreuzen</translation>
    </message>
    <message>
        <source>Check only this</source>
        <translation>Nur diesen ankreuzen</translation>
    </message>
    <message>
        <source>Check the {n} selected rows</source>
        <translation>Die {n} gewählten Zeilen ankreuzen</translation>
    </message>
    <message>
        <source>Uncheck the {n} selected rows</source>
        <translation>Die {n} gewählten Zeilen abwählen</translation>
    </message>
    <message>
        <source>Copy rows</source>
        <translation>Zeilen kopieren</translation>
    </message>
    <message>
        <source>Uncheck all</source>
        <translation>Keine ankreuzen</translation>
    </message>
    <message>
        <source>Copy name</source>
        <translation>Namen kopieren</translation>
    </message>
</context>
<context>
    <name>NormEditor</name>
    <message>
        <source>L1, sum of magnitudes</source>
        <translation>L1, Summe der Beträge</translation>
    </message>
    <message>
        <source>L2, Euclidean</source>
        <translation>L2, euklidisch</translation>
    </message>
    <message>
        <source>maximum magnitude</source>
        <translation>größter Betrag</translation>
    </message>
    <message>
        <source>minimum magnitude</source>
        <translation>kleinster Betrag</translation>
    </message>
    <message>
        <source>Frobenius, same as 2</source>
        <translation>Frobenius, wie 2</translation>
    </message>
    <message>
        <source>nuclear, sum of singular values</source>
        <translation>nuklear, Summe der Singulärwerte</translation>
    </message>
</context>
<context>
    <name>NoticeBar</name>
    <message>
        <source>{n} older</source>
        <translation>{n} ältere</translation>
    </message>
    <message>
        <source>1 older notice</source>
        <translation>1 älterer Hinweis</translation>
    </message>
    <message>
        <source>{n} older notices</source>
        <translation>{n} ältere Hinweise</translation>
    </message>
</context>
<context>
    <name>NoticeRow</name>
    <message>
        <source>Error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Hinweis</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>Details</translation>
    </message>
    <message>
        <source>Close this notice</source>
        <translation>Diesen Hinweis schließen</translation>
    </message>
    <message>
        <source>Copy details</source>
        <translation>Details kopieren</translation>
    </message>
</context>
<context>
    <name>Notifications</name>
    <message>
        <source>Something went wrong in Pruneapp itself ({what}).</source>
        <translation>In Pruneapp selbst ging etwas schief ({what}).</translation>
    </message>
</context>
<context>
    <name>Numbers</name>
    <message>
        <source>{what} (%)</source>
        <translation>{what} (%)</translation>
    </message>
    <message>
        <source>one number</source>
        <translation>eine Zahl</translation>
    </message>
    <message>
        <source>{n} bytes</source>
        <translation>{n} Bytes</translation>
    </message>
    <message>
        <source>{n} s</source>
        <translation>{n} s</translation>
    </message>
    <message>
        <source>{n} min</source>
        <translation>{n} min</translation>
    </message>
    <message>
        <source>{n} h</source>
        <translation>{n} h</translation>
    </message>
</context>
<context>
    <name>NumbersLine</name>
    <message>
        <source>Statistics of the tensor</source>
        <translation>Statistik des Tensors</translation>
    </message>
    <message>
        <source>After repair:</source>
        <translation>Nach der Reparatur:</translation>
    </message>
    <message>
        <source>In the file:</source>
        <translation>In der Datei:</translation>
    </message>
    <message>
        <source>std</source>
        <translation>Std.-Abw.</translation>
    </message>
    <message>
        <source>mean</source>
        <translation>Mittel</translation>
    </message>
    <message>
        <source>zeros</source>
        <translation>Nullen</translation>
    </message>
    <message>
        <source>max</source>
        <translation>max</translation>
    </message>
    <message>
        <source>min</source>
        <translation>min</translation>
    </message>
    <message>
        <source>infinite</source>
        <translation>unendlich</translation>
    </message>
</context>
<context>
    <name>NumbersView</name>
    <message>
        <source>Data of the picture</source>
        <translation>Daten des Bildes</translation>
    </message>
</context>
<context>
    <name>OpenController</name>
    <message>
        <source>Open a checkpoint or a session</source>
        <translation>Einen Checkpoint oder eine Sitzung öffnen</translation>
    </message>
    <message>
        <source>Checkpoints and sessions ({patterns});;All files (*)</source>
        <translation>Checkpoints und Sitzungen ({patterns});;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Open a model folder</source>
        <translation>Einen Modellordner öffnen</translation>
    </message>
    <message>
        <source>This file holds {n} state dicts; &apos;{key}&apos; is shown.</source>
        <translation>Diese Datei enthält {n} State-Dicts; gezeigt ist „{key}“.</translation>
    </message>
    <message>
        <source>Choose another…</source>
        <translation>Anderes wählen…</translation>
    </message>
</context>
<context>
    <name>OpenDocument</name>
    <message>
        <source>&apos;{name}&apos; was changed since its history was kept, so it is not restored.</source>
        <translation>&apos;{name}&apos; wurde geändert, seit der Verlauf behalten wurde; er wird daher nicht wiederhergestellt.</translation>
    </message>
    <message>
        <source>The history that was kept of &apos;{name}&apos; cannot be read, so it is not restored.</source>
        <translation>Der behaltene Verlauf von &apos;{name}&apos; kann nicht gelesen werden und wird daher nicht wiederhergestellt.</translation>
    </message>
    <message>
        <source>Opening</source>
        <translation>Öffnen</translation>
    </message>
</context>
<context>
    <name>OperationButtons</name>
    <message>
        <source>Edit</source>
        <translation>Bearbeiten</translation>
    </message>
    <message>
        <source>Prune, restore, protect or unprotect the selection</source>
        <translation>Die Auswahl prunen, wiederherstellen, schützen oder ihren Schutz aufheben</translation>
    </message>
    <message>
        <source>Prune</source>
        <translation>Prunen</translation>
    </message>
    <message>
        <source>Prune the selection</source>
        <translation>Die Auswahl prunen</translation>
    </message>
    <message>
        <source>Del</source>
        <translation>Entf</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>Wiederherstellen</translation>
    </message>
    <message>
        <source>Restore the selection</source>
        <translation>Die Auswahl wiederherstellen</translation>
    </message>
    <message>
        <source>Protect</source>
        <translation>Schützen</translation>
    </message>
    <message>
        <source>Exclude the selection from all later pruning steps</source>
        <translation>Die Auswahl von allen späteren Pruning-Schritten ausnehmen</translation>
    </message>
    <message>
        <source>Unprotect</source>
        <translation>Schutz aufheben</translation>
    </message>
    <message>
        <source>Allow later steps to prune the selection again</source>
        <translation>Späteren Schritten erlauben, die Auswahl wieder zu prunen</translation>
    </message>
    <message>
        <source>Shift+P</source>
        <translation>Umschalt+P</translation>
    </message>
</context>
<context>
    <name>PaletteController</name>
    <message>
        <source>Setting</source>
        <translation>Einstellung</translation>
    </message>
    <message>
        <source>Add rule</source>
        <translation>Neue Regel</translation>
    </message>
    <message>
        <source>Exclude layers</source>
        <translation>Schichten ausnehmen</translation>
    </message>
    <message>
        <source>Remove rule</source>
        <translation>Regel entfernen</translation>
    </message>
    <message>
        <source>Limits</source>
        <translation>Grenzen</translation>
    </message>
    <message>
        <source>Pruning step</source>
        <translation>Pruning-Schritt</translation>
    </message>
    <message>
        <source>Picture</source>
        <translation>Bild</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>Methode</translation>
    </message>
</context>
<context>
    <name>PatternController</name>
    <message>
        <source>No tensor of this file can be pruned.</source>
        <translation>Kein Tensor dieser Datei kann geprunt werden.</translation>
    </message>
    <message>
        <source>Checking sparsity pattern</source>
        <translation>Sparsity-Muster wird geprüft</translation>
    </message>
    <message>
        <source>Repairing sparsity pattern</source>
        <translation>Sparsity-Muster wird repariert</translation>
    </message>
    <message>
        <source>Nothing was repaired. The main window shows why.</source>
        <translation>Nichts wurde repariert. Das Hauptfenster zeigt, warum.</translation>
    </message>
    <message>
        <source>1 tensor repaired to {pattern}.</source>
        <translation>1 Tensor auf {pattern} repariert.</translation>
    </message>
    <message>
        <source>{n} tensors repaired to {pattern}.</source>
        <translation>{n} Tensoren auf {pattern} repariert.</translation>
    </message>
    <message>
        <source>Stopped.</source>
        <translation>Abgebrochen.</translation>
    </message>
    <message>
        <source>Nothing was repaired: the history changed in the meantime.</source>
        <translation>Nichts wurde repariert: Der Verlauf hat sich inzwischen geändert.</translation>
    </message>
    <message>
        <source>The masks have changed since this check.</source>
        <translation>Die Masken haben sich seit dieser Prüfung geändert.</translation>
    </message>
    <message>
        <source>The checked tensors have changed since this check.</source>
        <translation>Die angekreuzten Tensoren haben sich seit dieser Prüfung geändert.</translation>
    </message>
</context>
<context>
    <name>PatternDialog</name>
    <message>
        <source>Check sparsity pattern</source>
        <translation>Sparsity-Muster prüfen</translation>
    </message>
    <message>
        <source>Violating groups</source>
        <translation>Verletzende Gruppen</translation>
    </message>
    <message>
        <source>Copy the whole table as tab-separated text.</source>
        <translation>Die ganze Tabelle als tabulatorgetrennten Text kopieren.</translation>
    </message>
    <message>
        <source>Check again</source>
        <translation>Erneut prüfen</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Tensors, most violations first</source>
        <translation>Tensoren, die meisten Verletzungen zuerst</translation>
    </message>
    <message>
        <source>Select a tensor to show it in the main window.</source>
        <translation>Wählen Sie einen Tensor, um ihn im Hauptfenster zu zeigen.</translation>
    </message>
    <message>
        <source>Repair 1 tensor</source>
        <translation>1 Tensor reparieren</translation>
    </message>
    <message>
        <source>Repair {n} tensors</source>
        <translation>{n} Tensoren reparieren</translation>
    </message>
    <message>
        <source>Repair</source>
        <translation>Reparatur</translation>
    </message>
    <message>
        <source>Nothing to repair</source>
        <translation>Nichts zu reparieren</translation>
    </message>
</context>
<context>
    <name>Patterns</name>
    <message>
        <source>The tensor has no groups of {m} along dim {dim}.</source>
        <translation>Der Tensor hat keine Gruppen zu {m} entlang Dim. {dim}.</translation>
    </message>
    <message>
        <source>None of the {n} tensors has groups of {m} along dim {dim}.</source>
        <translation>Keiner der {n} Tensoren hat Gruppen zu {m} entlang Dim. {dim}.</translation>
    </message>
    <message>
        <source>The tensor has {pattern}.</source>
        <translation>Der Tensor hat {pattern}.</translation>
    </message>
    <message>
        <source>All {n} tensors have {pattern}.</source>
        <translation>Alle {n} Tensoren haben {pattern}.</translation>
    </message>
    <message>
        <source>The tensor violates {pattern} in {broken} of {groups} groups.</source>
        <translation>Der Tensor verletzt {pattern} in {broken} von {groups} Gruppen.</translation>
    </message>
    <message>
        <source>1 of {every} tensors has {pattern}.</source>
        <translation>1 von {every} Tensoren hat {pattern}.</translation>
    </message>
    <message>
        <source>{n} of {every} tensors have {pattern}.</source>
        <translation>{n} von {every} Tensoren haben {pattern}.</translation>
    </message>
    <message>
        <source>1 violates it in {broken} of {groups} groups.</source>
        <translation>1 verletzt es in {broken} von {groups} Gruppen.</translation>
    </message>
    <message>
        <source>{n} violate it in {broken} of {groups} groups.</source>
        <translation>{n} verletzen es in {broken} von {groups} Gruppen.</translation>
    </message>
    <message>
        <source>Repair prunes 1 more weight</source>
        <translation>Die Reparatur prunt 1 weiteres Gewicht</translation>
    </message>
    <message>
        <source>Repair prunes {n} more weights</source>
        <translation>Die Reparatur prunt {n} weitere Gewichte</translation>
    </message>
    <message>
        <source>norm² not known.</source>
        <translation>Norm² nicht bekannt.</translation>
    </message>
    <message>
        <source>{share} of the norm² of these tensors.</source>
        <translation>{share} der Norm² dieser Tensoren.</translation>
    </message>
    <message>
        <source>1 group cannot be repaired: too many of its weights are protected.</source>
        <translation>1 Gruppe kann nicht repariert werden: Zu viele ihrer Gewichte sind geschützt.</translation>
    </message>
    <message>
        <source>{n} groups cannot be repaired: too many of their weights are protected.</source>
        <translation>{n} Gruppen können nicht repariert werden: Zu viele ihrer Gewichte sind geschützt.</translation>
    </message>
    <message>
        <source>1 more tensor has no groups of {m} along dim {dim}.</source>
        <translation>1 weiterer Tensor hat keine Gruppen zu {m} entlang Dim. {dim}.</translation>
    </message>
    <message>
        <source>{n} more tensors have no groups of {m} along dim {dim}.</source>
        <translation>{n} weitere Tensoren haben keine Gruppen zu {m} entlang Dim. {dim}.</translation>
    </message>
    <message>
        <source>In 1 tensor the dimension is not a multiple of {m}: {beside} weights are in no group, and kernels that need complete groups reject it.</source>
        <translation>In 1 Tensor ist die Dimension kein Vielfaches von {m}: {beside} Gewichte sind in keiner Gruppe, und Kernels, die vollständige Gruppen brauchen, weisen ihn zurück.</translation>
    </message>
    <message>
        <source>In {n} tensors the dimension is not a multiple of {m}: {beside} weights are in no group, and kernels that need complete groups reject them.</source>
        <translation>In {n} Tensoren ist die Dimension kein Vielfaches von {m}: {beside} Gewichte sind in keiner Gruppe, und Kernels, die vollständige Gruppen brauchen, weisen sie zurück.</translation>
    </message>
    <message>
        <source>Sparse tensor cores support 2:4. Whether {pattern} is supported depends on your kernels.</source>
        <translation>Sparse Tensor Cores unterstützen 2:4. Ob {pattern} unterstützt wird, hängt von Ihren Kernels ab.</translation>
    </message>
    <message>
        <source>Sparse tensor cores support 2:4 along the input dimension of linear layers: dim 1, or dim 0 for transposed weights.</source>
        <translation>Sparse Tensor Cores unterstützen 2:4 entlang der Eingangsdimension linearer Schichten: Dim. 1, bei transponierten Gewichten Dim. 0.</translation>
    </message>
    <message>
        <source>Sparse tensor cores support 2:4 along the input dimension of linear layers.</source>
        <translation>Sparse Tensor Cores unterstützen 2:4 entlang der Eingangsdimension linearer Schichten.</translation>
    </message>
    <message>
        <source>{pattern} implies 2:4, which sparse tensor cores support along the input dimension of linear layers.</source>
        <translation>Aus {pattern} folgt 2:4, das Sparse Tensor Cores entlang der Eingangsdimension linearer Schichten unterstützen.</translation>
    </message>
    <message>
        <source>1 of these is a convolution: its groups lie along the input channels, and it needs a runtime with sparse convolutions.</source>
        <translation>1 davon ist eine Faltung: Ihre Gruppen liegen entlang der Eingangskanäle, und sie braucht eine Laufzeit mit dünnbesetzten Faltungen.</translation>
    </message>
    <message>
        <source>{n} of these are convolutions: their groups lie along the input channels, and they need a runtime with sparse convolutions.</source>
        <translation>{n} davon sind Faltungen: Ihre Gruppen liegen entlang der Eingangskanäle, und sie brauchen eine Laufzeit mit dünnbesetzten Faltungen.</translation>
    </message>
    <message>
        <source>The pattern alone makes neither the file smaller nor the model faster.</source>
        <translation>Das Muster allein macht weder die Datei kleiner noch das Modell schneller.</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>Tensor</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>Form</translation>
    </message>
    <message>
        <source>Violating groups</source>
        <translation>Verletzende Gruppen</translation>
    </message>
    <message>
        <source>First group</source>
        <translation>Erste Gruppe</translation>
    </message>
    <message>
        <source>Repair prunes</source>
        <translation>Reparatur prunt</translation>
    </message>
    <message>
        <source>Of its norm²</source>
        <translation>Von seiner Norm²</translation>
    </message>
    <message>
        <source>In no group</source>
        <translation>In keiner Gruppe</translation>
    </message>
    <message>
        <source>{n} of {groups}</source>
        <translation>{n} von {groups}</translation>
    </message>
    <message>
        <source>{name} has {pattern}.</source>
        <translation>{name} hat {pattern}.</translation>
    </message>
    <message>
        <source>{place} has {n}</source>
        <translation>{place} hat {n}</translation>
    </message>
    <message>
        <source>{places}, and 1 more group</source>
        <translation>{places} und 1 weitere Gruppe</translation>
    </message>
    <message>
        <source>{places}, and {n} more groups</source>
        <translation>{places} und {n} weitere Gruppen</translation>
    </message>
    <message>
        <source>Groups</source>
        <translation>Gruppen</translation>
    </message>
    <message>
        <source>Fraction of norm²</source>
        <translation>Anteil der Norm²</translation>
    </message>
    <message>
        <source>Reason for no groups</source>
        <translation>Grund für keine Gruppen</translation>
    </message>
</context>
<context>
    <name>PlotController</name>
    <message>
        <source>This file has no tensors.</source>
        <translation>Diese Datei hat keine Tensoren.</translation>
    </message>
    <message>
        <source>No tensor of this file can be pruned.</source>
        <translation>Kein Tensor dieser Datei kann geprunt werden.</translation>
    </message>
    <message>
        <source>This view could not be computed.</source>
        <translation>Diese Ansicht konnte nicht berechnet werden.</translation>
    </message>
    <message>
        <source>A tensor of one dimension has no channels.</source>
        <translation>Ein Tensor mit einer Dimension hat keine Kanäle.</translation>
    </message>
</context>
<context>
    <name>PlotPages</name>
    <message>
        <source>Pictures</source>
        <translation>Bilder</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>Distribution</source>
        <translation>Verteilung</translation>
    </message>
    <message>
        <source>Channels</source>
        <translation>Kanäle</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Vergleichen</translation>
    </message>
    <message>
        <source>Quality</source>
        <translation>Qualität</translation>
    </message>
    <message>
        <source>Sensitivity</source>
        <translation>Sensitivität</translation>
    </message>
</context>
<context>
    <name>PlotView</name>
    <message>
        <source>Reading the tensor…</source>
        <translation>Tensor wird gelesen…</translation>
    </message>
    <message>
        <source>Select a tensor in the tree.</source>
        <translation>Wählen Sie einen Tensor im Baum.</translation>
    </message>
</context>
<context>
    <name>PluginController</name>
    <message>
        <source>Plugins were installed and are not loaded: {names}.</source>
        <translation>Plugins wurden installiert und sind nicht geladen: {names}.</translation>
    </message>
    <message>
        <source>Plugins…</source>
        <translation>Plugins…</translation>
    </message>
</context>
<context>
    <name>PluginDialog</name>
    <message>
        <source>Plugins</source>
        <translation>Plugins</translation>
    </message>
    <message>
        <source>Installed packages can add methods, export formats, model families and file formats. A plugin that is checked is loaded when Pruneapp starts, which runs its code with your permissions.</source>
        <translation>Installierte Pakete können Methoden, Exportformate, Modellfamilien und Dateiformate ergänzen. Ein angekreuztes Plugin wird beim Start von Pruneapp geladen; dabei läuft sein Code mit Ihren Rechten.</translation>
    </message>
    <message>
        <source>Package</source>
        <translation>Paket</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>Status</translation>
    </message>
    <message>
        <source>Adds</source>
        <translation>Ergänzt</translation>
    </message>
    <message>
        <source>No plugins are installed in the Python environment of Pruneapp.</source>
        <translation>In der Python-Umgebung von Pruneapp sind keine Plugins installiert.</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>Methode</translation>
    </message>
    <message>
        <source>Export format</source>
        <translation>Exportformat</translation>
    </message>
    <message>
        <source>Model family</source>
        <translation>Modellfamilie</translation>
    </message>
    <message>
        <source>File format</source>
        <translation>Dateiformat</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Fehlgeschlagen</translation>
    </message>
    <message>
        <source>Loaded</source>
        <translation>Geladen</translation>
    </message>
    <message>
        <source>Loaded until Pruneapp is closed</source>
        <translation>Geladen, bis Pruneapp geschlossen wird</translation>
    </message>
    <message>
        <source>Loading…</source>
        <translation>Wird geladen…</translation>
    </message>
    <message>
        <source>Not loaded</source>
        <translation>Nicht geladen</translation>
    </message>
</context>
<context>
    <name>PreviewController</name>
    <message>
        <source>Previewing</source>
        <translation>Vorschau</translation>
    </message>
    <message>
        <source>Pruning</source>
        <translation>Pruning</translation>
    </message>
    <message>
        <source>Pruning cancelled: nothing was pruned.</source>
        <translation>Pruning abgebrochen: Es wurde nichts geprunt.</translation>
    </message>
    <message>
        <source>Making permanent</source>
        <translation>Endgültig machen</translation>
    </message>
    <message>
        <source>Pruning was cancelled because the history changed before it finished. Nothing was pruned.</source>
        <translation>Das Prunen wurde abgebrochen, weil sich der Verlauf vor dem Ende geändert hat. Nichts wurde geprunt.</translation>
    </message>
    <message>
        <source>Prune now</source>
        <translation>Jetzt prunen</translation>
    </message>
    <message>
        <source>The preview is shown.</source>
        <translation>Die Vorschau ist zu sehen.</translation>
    </message>
</context>
<context>
    <name>PreviewPanel</name>
    <message>
        <source>Preview</source>
        <translation>Vorschau</translation>
    </message>
    <message>
        <source>{n} more weights would be pruned, but they are protected.</source>
        <translation>{n} weitere Gewichte würden geprunt, sind aber geschützt.</translation>
    </message>
    <message>
        <source>{n} weights are in no group of the pattern, and are kept.</source>
        <translation>{n} Gewichte sind in keiner Gruppe des Musters und werden behalten.</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>Ergebnis</translation>
    </message>
    <message>
        <source>Current state</source>
        <translation>Aktueller Zustand</translation>
    </message>
    <message>
        <source>Most pruned</source>
        <translation>Am stärksten geprunt</translation>
    </message>
    <message>
        <source>up to {n}</source>
        <translation>bis zu {n}</translation>
    </message>
    <message>
        <source>With these settings the next step prunes no more weights.</source>
        <translation>Mit diesen Einstellungen prunt der nächste Schritt keine weiteren Gewichte.</translation>
    </message>
    <message>
        <source>Amounts are fractions of the remaining weights: another {share} prunes {n} more.</source>
        <translation>Umfänge sind Anteile der verbleibenden Gewichte: Mit noch einmal {share} würden {n} weitere geprunt.</translation>
    </message>
    <message>
        <source>The same step again prunes {n} more weights.</source>
        <translation>Noch einmal ausgeführt, würde derselbe Schritt {n} weitere Gewichte prunen.</translation>
    </message>
    <message>
        <source>With these settings the next step prunes {n} weights.</source>
        <translation>Mit diesen Einstellungen prunt der nächste Schritt {n} Gewichte.</translation>
    </message>
    <message>
        <source>Most affected (by sparsity)</source>
        <translation>Am stärksten betroffen (nach Sparsity)</translation>
    </message>
    <message>
        <source>Most affected (by norm² lost)</source>
        <translation>Am stärksten betroffen (nach verlorener Norm²)</translation>
    </message>
    <message>
        <source>Repair…</source>
        <translation>Reparieren…</translation>
    </message>
    <message>
        <source>Change the remaining weights so that the outputs of pruned layers come out as before</source>
        <translation>Die verbleibenden Gewichte so ändern, dass die Ausgaben geprunter Schichten wie zuvor ausfallen</translation>
    </message>
</context>
<context>
    <name>PruneAction</name>
    <message>
        <source>Applies the step shown in the preview. You can undo it.</source>
        <translation>Führt den Schritt der Vorschau aus. Sie können ihn rückgängig machen.</translation>
    </message>
    <message>
        <source>Prunes the remaining weights with these settings. You can undo it.</source>
        <translation>Prunt die verbleibenden Gewichte mit diesen Einstellungen. Sie können es rückgängig machen.</translation>
    </message>
    <message>
        <source>Preview</source>
        <translation>Vorschau</translation>
    </message>
    <message>
        <source>Preview the step with the current settings</source>
        <translation>Den Schritt mit den jetzigen Einstellungen vorab zeigen</translation>
    </message>
    <message>
        <source>Prune {what}</source>
        <translation>{what} prunen</translation>
    </message>
    <message>
        <source>Nothing to prune</source>
        <translation>Nichts zu prunen</translation>
    </message>
    <message>
        <source>Add a mask to 1 tensor</source>
        <translation>1 Tensor eine Maske geben</translation>
    </message>
    <message>
        <source>Add masks to {n} tensors</source>
        <translation>{n} Tensoren Masken geben</translation>
    </message>
    <message>
        <source>Identity prunes nothing, and its tensors have masks already.</source>
        <translation>Identität prunt nichts, und ihre Tensoren haben schon Masken.</translation>
    </message>
    <message>
        <source>Prune again: {what}</source>
        <translation>Erneut prunen: {what}</translation>
    </message>
    <message>
        <source>Nothing more to prune</source>
        <translation>Nichts mehr zu prunen</translation>
    </message>
    <message>
        <source>Prune again</source>
        <translation>Erneut prunen</translation>
    </message>
    <message>
        <source>Prune</source>
        <translation>Prunen</translation>
    </message>
    <message>
        <source>Change a setting to preview a step</source>
        <translation>Für eine Vorschau etwas ändern</translation>
    </message>
    <message>
        <source>Cannot prune with these settings</source>
        <translation>So kann nicht geprunt werden</translation>
    </message>
    <message>
        <source>Prune ({keys})</source>
        <translation>Prunen ({keys})</translation>
    </message>
    <message>
        <source>1 channel</source>
        <translation>1 Kanal</translation>
    </message>
    <message>
        <source>{n} channels</source>
        <translation>{n} Kanäle</translation>
    </message>
    <message>
        <source>{n} weights</source>
        <translation>{n} Gewichte</translation>
    </message>
    <message>
        <source>up to {n} weights</source>
        <translation>bis zu {n} Gewichte</translation>
    </message>
    <message>
        <source>1 weight</source>
        <translation>1 Gewicht</translation>
    </message>
</context>
<context>
    <name>PruneForm</name>
    <message>
        <source>Rules</source>
        <translation>Regeln</translation>
    </message>
    <message>
        <source>The last rule that matches a tensor applies to it.</source>
        <translation>Für einen Tensor gilt die letzte Regel, die auf ihn passt.</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Remove the selected rule</source>
        <translation>Die gewählte Regel entfernen</translation>
    </message>
    <message>
        <source>Add rule…</source>
        <translation>Neue Regel…</translation>
    </message>
    <message>
        <source>Another method or amount for other tensors, as part of the same step</source>
        <translation>Andere Methode oder anderer Umfang für andere Tensoren, als Teil desselben Schritts</translation>
    </message>
    <message>
        <source>Exclude…</source>
        <translation>Ausnehmen…</translation>
    </message>
    <message>
        <source>Exclude layers by pattern or type: adds a rule that prunes nothing</source>
        <translation>Schichten nach Muster oder Art ausnehmen: fügt eine Regel hinzu, die nichts prunt</translation>
    </message>
    <message>
        <source>Pruning step</source>
        <translation>Pruning-Schritt</translation>
    </message>
    <message>
        <source>Iterative pruning…</source>
        <translation>Iteratives Pruning…</translation>
    </message>
    <message>
        <source>Repeat this step on a sparsity schedule</source>
        <translation>Diesen Schritt nach einem Sparsity-Plan wiederholen</translation>
    </message>
    <message>
        <source>per tensor</source>
        <translation>je Tensor</translation>
    </message>
    <message>
        <source>Each tensor is pruned to the same fraction of its own weights.</source>
        <translation>Jeder Tensor wird um denselben Anteil seiner eigenen Gewichte geprunt.</translation>
    </message>
    <message>
        <source>global</source>
        <translation>global</translation>
    </message>
    <message>
        <source>One threshold for all tensors of a rule: the fraction pruned varies by tensor.</source>
        <translation>Ein Schwellenwert für alle Tensoren einer Regel: Der geprunte Anteil ist je Tensor verschieden.</translation>
    </message>
    <message>
        <source>Scope</source>
        <translation>Bereich</translation>
    </message>
    <message>
        <source>Enter the tensors that this rule applies to.</source>
        <translation>Geben Sie die Tensoren ein, für die diese Regel gilt.</translation>
    </message>
    <message>
        <source>A setting above is not valid.</source>
        <translation>Eine Einstellung oben ist nicht gültig.</translation>
    </message>
    <message>
        <source>A setting of rule {n} is not valid.</source>
        <translation>Eine Einstellung von Regel {n} ist nicht gültig.</translation>
    </message>
    <message>
        <source>Rule {n}: {error}</source>
        <translation>Regel {n}: {error}</translation>
    </message>
    <message>
        <source>Scope: global</source>
        <translation>Bereich: global</translation>
    </message>
    <message>
        <source>Scope: per tensor</source>
        <translation>Bereich: je Tensor</translation>
    </message>
    <message>
        <source>To be chosen below the rules.</source>
        <translation>Unter den Regeln zu wählen.</translation>
    </message>
    <message>
        <source>Scope: per tensor (rule {n} has no global scope)</source>
        <translation>Bereich: je Tensor (Regel {n} hat keinen globalen)</translation>
    </message>
    <message>
        <source>{method} in rule {n} has no global threshold.</source>
        <translation>{method} in Regel {n} hat keinen globalen Schwellenwert.</translation>
    </message>
    <message>
        <source>Scope: global (rule {n} has no per-tensor scope)</source>
        <translation>Bereich: global (Regel {n} hat keinen je Tensor)</translation>
    </message>
    <message>
        <source>{method} in rule {n} ranks all tensors together.</source>
        <translation>{method} in Regel {n} ordnet alle Tensoren gemeinsam.</translation>
    </message>
    <message>
        <source>✕ nothing checked</source>
        <translation>✕ nichts angekreuzt</translation>
    </message>
    <message>
        <source>✕ matches nothing</source>
        <translation>✕ passt auf nichts</translation>
    </message>
    <message>
        <source>excluded by limits</source>
        <translation>durch Grenzen ausgenommen</translation>
    </message>
    <message>
        <source>later rules take its tensors</source>
        <translation>spätere Regeln nehmen seine Tensoren</translation>
    </message>
    <message>
        <source>{n} of {m} tensors</source>
        <translation>{n} von {m} Tensoren</translation>
    </message>
    <message>
        <source>1 tensor</source>
        <translation>1 Tensor</translation>
    </message>
    <message>
        <source>{n} tensors</source>
        <translation>{n} Tensoren</translation>
    </message>
</context>
<context>
    <name>Purposes</name>
    <message>
        <source>Share</source>
        <translation>Weitergeben</translation>
    </message>
    <message>
        <source>Load in transformers</source>
        <translation>In transformers laden</translation>
    </message>
    <message>
        <source>Continue training in PyTorch</source>
        <translation>In PyTorch weitertrainieren</translation>
    </message>
    <message>
        <source>Archive</source>
        <translation>Archivieren</translation>
    </message>
    <message>
        <source>Select the best format for this purpose.</source>
        <translation>Das beste Format für diesen Zweck wählen.</translation>
    </message>
    <message>
        <source>Choose a purpose, or select a format below.</source>
        <translation>Wählen Sie einen Zweck oder unten ein Format.</translation>
    </message>
    <message>
        <source>✓ {format}, {size}. {reason}</source>
        <translation>✓ {format}, {size}. {reason}</translation>
    </message>
    <message>
        <source>Estimating sizes…</source>
        <translation>Größen werden geschätzt…</translation>
    </message>
    <message>
        <source>No suitable format can store this checkpoint.</source>
        <translation>Kein passendes Format kann diesen Checkpoint speichern.</translation>
    </message>
</context>
<context>
    <name>Quality</name>
    <message>
        <source>{n} points</source>
        <translation>{n} Punkte</translation>
    </message>
    <message>
        <source>limit {n}</source>
        <translation>Limit {n}</translation>
    </message>
    <message>
        <source>seed {n}</source>
        <translation>Seed {n}</translation>
    </message>
    <message>
        <source>{share} pruned: {value}</source>
        <translation>{share} geprunt: {value}</translation>
    </message>
    <message>
        <source>▲ calibrated with the data that measure it</source>
        <translation>▲ kalibriert mit den Daten, die ihn messen</translation>
    </message>
    <message>
        <source>not measured</source>
        <translation>nicht gemessen</translation>
    </message>
    <message>
        <source>{metric} {value}</source>
        <translation>{metric} {value}</translation>
    </message>
    <message>
        <source>{value}, unpruned model</source>
        <translation>{value}, ungepruntes Modell</translation>
    </message>
    <message>
        <source>no difference found within ±{half} ({noise})</source>
        <translation>kein Unterschied über ±{half} hinaus gefunden ({noise})</translation>
    </message>
    <message>
        <source>difference {amount} ({noise})</source>
        <translation>Unterschied {amount} ({noise})</translation>
    </message>
    <message>
        <source>{amount} worse than the unpruned model ({noise})</source>
        <translation>{amount} schlechter als das ungeprunte Modell ({noise})</translation>
    </message>
    <message>
        <source>{amount} better than the unpruned model ({noise})</source>
        <translation>{amount} besser als das ungeprunte Modell ({noise})</translation>
    </message>
    <message>
        <source>{share} pruned: {value}, {change}</source>
        <translation>{share} geprunt: {value}, {change}</translation>
    </message>
</context>
<context>
    <name>QualityAxis</name>
    <message>
        <source>pruned, %</source>
        <translation>geprunt, %</translation>
    </message>
    <message>
        <source>{what}, billions</source>
        <translation>{what}, Milliarden</translation>
    </message>
    <message>
        <source>{what}, millions</source>
        <translation>{what}, Millionen</translation>
    </message>
    <message>
        <source>{what}, thousands</source>
        <translation>{what}, Tausend</translation>
    </message>
    <message>
        <source>sparsity</source>
        <translation>Sparsity</translation>
    </message>
    <message>
        <source>Share of the parameters of the model that are pruned</source>
        <translation>Anteil der Parameter des Modells, die geprunt sind</translation>
    </message>
    <message>
        <source>up to {x} pruned</source>
        <translation>bis zu {x} geprunt</translation>
    </message>
    <message>
        <source>parameters remaining</source>
        <translation>verbleibende Parameter</translation>
    </message>
    <message>
        <source>Parameters of the model that are not pruned</source>
        <translation>Parameter des Modells, die nicht geprunt sind</translation>
    </message>
    <message>
        <source>down to {x} parameters</source>
        <translation>bis hinab zu {x} Parametern</translation>
    </message>
    <message>
        <source>size of packed weights</source>
        <translation>Größe der gepackten Gewichte</translation>
    </message>
    <message>
        <source>Bytes of the tensors in a compact file before it is compressed: a mask bit for each weight of a pruned tensor, and the remaining weights</source>
        <translation>Bytes der Tensoren in einer kompakten Datei, bevor sie komprimiert wird: ein Maskenbit für jedes Gewicht eines geprunten Tensors und die verbleibenden Gewichte</translation>
    </message>
    <message>
        <source>down to {x} of packed weights</source>
        <translation>bis hinab zu {x} gepackter Gewichte</translation>
    </message>
    <message>
        <source>multiply-adds per input</source>
        <translation>Multiply-Adds je Eingabe</translation>
    </message>
    <message>
        <source>Multiply-adds by weights that are not pruned, of matrices and convolutions, for one input of the script. A theoretical number: zeros alone make nothing faster</source>
        <translation>Multiply-Adds mit Gewichten, die nicht geprunt sind, von Matrizen und Faltungen, für eine Eingabe des Skripts. Eine theoretische Zahl: Nullen allein machen nichts schneller</translation>
    </message>
    <message>
        <source>down to {x} multiply-adds per input</source>
        <translation>bis hinab zu {x} Multiply-Adds je Eingabe</translation>
    </message>
</context>
<context>
    <name>QualityView</name>
    <message>
        <source>Axis</source>
        <translation>Achse</translation>
    </message>
    <message>
        <source>Measure of size on the horizontal axis</source>
        <translation>Größenmaß auf der waagrechten Achse</translation>
    </message>
    <message>
        <source>Metric</source>
        <translation>Metrik</translation>
    </message>
    <message>
        <source>Metric on the vertical axis</source>
        <translation>Metrik auf der senkrechten Achse</translation>
    </message>
    <message>
        <source>Not saved with the metrics of these states: {axis}. Choose another axis, or evaluate them again.</source>
        <translation>Nicht mit den Metriken dieser Zustände gespeichert: {axis}. Wählen Sie eine andere Achse, oder werten Sie sie erneut aus.</translation>
    </message>
    <message>
        <source>Evaluating… The unpruned model is measured first.</source>
        <translation>Wird ausgewertet… Zuerst wird das ungeprunte Modell gemessen.</translation>
    </message>
    <message>
        <source>Nothing has been evaluated yet. Choose Tools &gt; Evaluate… to measure the model with your own script.</source>
        <translation>Noch ist nichts ausgewertet. Wählen Sie „Werkzeuge &gt; Auswerten…“, um das Modell mit Ihrem eigenen Skript zu messen.</translation>
    </message>
    <message>
        <source>{metric}, %</source>
        <translation>{metric}, %</translation>
    </message>
    <message>
        <source>It is not known whether a higher or a lower {metric} is better: declare HIGHER_IS_BETTER in the script, or choose it beside the command line.</source>
        <translation>Es ist nicht bekannt, ob ein höherer oder ein niedrigerer Wert von {metric} besser ist: Geben Sie HIGHER_IS_BETTER im Skript an, oder wählen Sie es neben der Befehlszeile.</translation>
    </message>
    <message>
        <source>At most {target} worse: no measured state with pruned weights.</source>
        <translation>Höchstens {target} schlechter: kein gemessener Zustand mit geprunten Gewichten.</translation>
    </message>
    <message>
        <source>States measured before do not count.</source>
        <translation>Früher gemessene Zustände zählen nicht.</translation>
    </message>
    <message>
        <source>At most {target} worse: {up_to} ({label})</source>
        <translation>Höchstens {target} schlechter: {up_to} ({label})</translation>
    </message>
    <message>
        <source>; noise ±{noise}</source>
        <translation>; Rauschen ±{noise}</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>ja</translation>
    </message>
    <message>
        <source>no</source>
        <translation>nein</translation>
    </message>
    <message>
        <source>measured before</source>
        <translation>früher gemessen</translation>
    </message>
    <message>
        <source>state</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>sparsity</source>
        <translation>Sparsity</translation>
    </message>
    <message>
        <source>difference</source>
        <translation>Unterschied</translation>
    </message>
    <message>
        <source>noise ±</source>
        <translation>Rauschen ±</translation>
    </message>
    <message>
        <source>meets the target</source>
        <translation>erfüllt das Ziel</translation>
    </message>
    <message>
        <source>measured with</source>
        <translation>gemessen mit</translation>
    </message>
    <message>
        <source>Metric against {axis}</source>
        <translation>Metrik über {axis}</translation>
    </message>
    <message>
        <source>noise: {what}</source>
        <translation>Rauschen: {what}</translation>
    </message>
    <message>
        <source>A bar that crosses the dotted line, the unpruned model, means that no difference from it was found.</source>
        <translation>Ein Balken, der die gepunktete Linie, das ungeprunte Modell, kreuzt, heißt, dass kein Unterschied dazu gefunden wurde.</translation>
    </message>
    <message>
        <source>measured with {conditions}</source>
        <translation>gemessen mit {conditions}</translation>
    </message>
    <message>
        <source>{state}:  {words}</source>
        <translation>{state}:  {words}</translation>
    </message>
</context>
<context>
    <name>QuestionDialog</name>
    <message>
        <source>Confirmations</source>
        <translation>Rückfragen</translation>
    </message>
    <message>
        <source>Questions</source>
        <translation>Fragen</translation>
    </message>
    <message>
        <source>Scripts and command lines</source>
        <translation>Skripte und Befehlszeilen</translation>
    </message>
    <message>
        <source>Ask again</source>
        <translation>Wieder fragen</translation>
    </message>
    <message>
        <source>Scripts and command lines are shown again before they run</source>
        <translation>Skripte und Befehlszeilen werden vor der Ausführung wieder gezeigt</translation>
    </message>
    <message>
        <source>Actions that could lose work always ask.</source>
        <translation>Vor Aktionen, bei denen Arbeit verloren gehen könnte, wird immer gefragt.</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>{n} run without being asked about.</source>
        <translation>{n} laufen ohne Rückfrage.</translation>
    </message>
    <message>
        <source>1 runs without being asked about.</source>
        <translation>1 läuft ohne Rückfrage.</translation>
    </message>
    <message>
        <source>Each that is new or has changed is shown before it runs.</source>
        <translation>Was neu oder geändert ist, wird vor der Ausführung gezeigt.</translation>
    </message>
</context>
<context>
    <name>QuestionRow</name>
    <message>
        <source>Tensors</source>
        <translation>Tensoren</translation>
    </message>
    <message>
        <source>The tensors to check.</source>
        <translation>Die zu prüfenden Tensoren.</translation>
    </message>
    <message>
        <source>&amp;Pattern</source>
        <translation>&amp;Muster</translation>
    </message>
    <message>
        <source>&amp;Along</source>
        <translation>&amp;Entlang</translation>
    </message>
    <message>
        <source>&amp;Tensors</source>
        <translation>&amp;Tensoren</translation>
    </message>
    <message>
        <source>1 checked tensor</source>
        <translation>1 angekreuzter Tensor</translation>
    </message>
    <message>
        <source>{n} checked tensors</source>
        <translation>{n} angekreuzte Tensoren</translation>
    </message>
    <message>
        <source>all prunable tensors: {n}</source>
        <translation>alle prunbaren Tensoren: {n}</translation>
    </message>
    <message>
        <source>{pattern} means that at most {n} of every {m} weights are nonzero. Zeros in the file count as pruned.</source>
        <translation>{pattern} heißt, dass höchstens {n} von je {m} Gewichten ungleich null sind. Nullen in der Datei zählen als geprunt.</translation>
    </message>
</context>
<context>
    <name>Questions</name>
    <message>
        <source>Save session…</source>
        <translation>Sitzung speichern…</translation>
    </message>
    <message>
        <source>Some changes are not saved in &apos;{name}&apos;.</source>
        <translation>Manche Änderungen sind nicht in „{name}“ gespeichert.</translation>
    </message>
    <message>
        <source>Metrics or scans are not saved in &apos;{name}&apos;.</source>
        <translation>Metriken oder Scans sind nicht in „{name}“ gespeichert.</translation>
    </message>
    <message>
        <source>Save session</source>
        <translation>Sitzung speichern</translation>
    </message>
    <message>
        <source>Some changes are neither saved nor exported.</source>
        <translation>Manche Änderungen sind weder gespeichert noch exportiert.</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>Exportieren…</translation>
    </message>
    <message>
        <source>They are lost if you continue. The file on disk is unchanged.</source>
        <translation>Sie gehen verloren, wenn Sie fortfahren. Die Datei auf der Festplatte ist unverändert.</translation>
    </message>
    <message>
        <source>Discard changes</source>
        <translation>Änderungen verwerfen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Some changes are not saved; only a session stores them.</source>
        <translation>Manche Änderungen sind nicht gespeichert; nur eine Sitzung speichert sie.</translation>
    </message>
    <message>
        <source>Protected weights are not saved; only a session stores them.</source>
        <translation>Geschützte Gewichte sind nicht gespeichert; nur eine Sitzung speichert sie.</translation>
    </message>
    <message>
        <source>Names of states are not saved; only a session stores them.</source>
        <translation>Namen von Zuständen sind nicht gespeichert; nur eine Sitzung speichert sie.</translation>
    </message>
    <message>
        <source>Steps that are undone or on other branches are not saved; only a session stores them.</source>
        <translation>Schritte, die rückgängig gemacht oder auf anderen Zweigen sind, sind nicht gespeichert; nur eine Sitzung speichert sie.</translation>
    </message>
    <message>
        <source>Undo steps are not saved; only a session stores them.</source>
        <translation>Die Schritte zum Rückgängigmachen sind nicht gespeichert; nur eine Sitzung speichert sie.</translation>
    </message>
    <message>
        <source>Metrics or scans are not saved; only a session stores them.</source>
        <translation>Metriken oder Scans sind nicht gespeichert; nur eine Sitzung speichert sie.</translation>
    </message>
    <message>
        <source>A file with this name already exists.</source>
        <translation>Eine Datei dieses Namens gibt es schon.</translation>
    </message>
    <message>
        <source>Replace</source>
        <translation>Ersetzen</translation>
    </message>
    <message>
        <source>{name} was changed by another window since you opened it.</source>
        <translation>{name} wurde von einem anderen Fenster geändert, seit Sie es geöffnet haben.</translation>
    </message>
    <message>
        <source>Its changes are lost if you replace it.</source>
        <translation>Die Änderungen darin gehen verloren, wenn Sie es ersetzen.</translation>
    </message>
    <message>
        <source>Save as…</source>
        <translation>Speichern unter…</translation>
    </message>
    <message>
        <source>{names}: {why}. Pruning a scale, a zero point or a codebook destroys the weights that it belongs to.</source>
        <translation>{names}: {why}. Eine Skala, einen Nullpunkt oder ein Codebuch zu prunen zerstört die zugehörigen Gewichte.</translation>
    </message>
    <message>
        <source>Check tensors of a quantized layer?</source>
        <translation>Tensoren einer quantisierten Schicht ankreuzen?</translation>
    </message>
    <message>
        <source>Check anyway</source>
        <translation>Trotzdem ankreuzen</translation>
    </message>
    <message>
        <source>Delete this unsaved work?</source>
        <translation>Diese ungespeicherte Arbeit löschen?</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>{size} are freed. Open files keep their history.</source>
        <translation>{size} werden frei. Geöffnete Dateien behalten ihren Verlauf.</translation>
    </message>
    <message>
        <source>Delete the kept history of {files}?</source>
        <translation>Den behaltenen Verlauf von {files} löschen?</translation>
    </message>
    <message>
        <source>This cannot be undone. It frees {size} of masks.</source>
        <translation>Das lässt sich nicht rückgängig machen. Es gibt {size} an Masken frei.</translation>
    </message>
    <message>
        <source>Delete &apos;{state}&apos;?</source>
        <translation>„{state}“ löschen?</translation>
    </message>
    <message>
        <source>If you cancel it, nothing is changed and no incomplete file is left.</source>
        <translation>Wenn Sie ihn abbrechen, wird nichts geändert, und keine unvollständige Datei bleibt zurück.</translation>
    </message>
    <message>
        <source>A job is still running.</source>
        <translation>Ein Auftrag läuft noch.</translation>
    </message>
    <message>
        <source>Cancel job</source>
        <translation>Auftrag abbrechen</translation>
    </message>
    <message>
        <source>Wait</source>
        <translation>Warten</translation>
    </message>
    <message>
        <source>Code can do anything that you can do on this computer. Only run code that you have read or whose author you trust.</source>
        <translation>Code kann auf diesem Rechner alles, was Sie können. Führen Sie nur Code aus, den Sie gelesen haben oder dessen Autor Sie vertrauen.</translation>
    </message>
    <message>
        <source>Loading this file runs its code.</source>
        <translation>Beim Laden dieser Datei läuft ihr Code.</translation>
    </message>
    <message>
        <source>Don&apos;t ask again</source>
        <translation>Nicht mehr fragen</translation>
    </message>
    <message>
        <source>Run code</source>
        <translation>Code ausführen</translation>
    </message>
    <message>
        <source>The export would replace the file that the link points to.</source>
        <translation>Der Export würde die Datei ersetzen, auf die die Verknüpfung zeigt.</translation>
    </message>
    <message>
        <source>This file name is a link to another file.</source>
        <translation>Dieser Dateiname ist eine Verknüpfung mit einer anderen Datei.</translation>
    </message>
    <message>
        <source>Replace target</source>
        <translation>Ziel ersetzen</translation>
    </message>
    <message>
        <source>{n} tensors of the file cannot be written in this format.</source>
        <translation>{n} Tensoren der Datei können in diesem Format nicht geschrieben werden.</translation>
    </message>
    <message>
        <source>One tensor of the file cannot be written in this format.</source>
        <translation>Ein Tensor der Datei kann in diesem Format nicht geschrieben werden.</translation>
    </message>
    <message>
        <source>The numbers of these tensors cannot be read, so that “{format}” cannot hold them. A model that needs them will not load from the export alone.</source>
        <translation>Die Zahlen dieser Tensoren sind nicht lesbar, sodass „{format}“ sie nicht aufnehmen kann. Ein Modell, das sie braucht, lädt nicht allein aus dem Export.</translation>
    </message>
    <message>
        <source> “{format}” keeps them.</source>
        <translation> „{format}“ behält sie.</translation>
    </message>
    <message>
        <source>and {n} more</source>
        <translation>und {n} weitere</translation>
    </message>
    <message>
        <source>Exclude and export</source>
        <translation>Auslassen und exportieren</translation>
    </message>
    <message>
        <source>{key}: {tensors} tensors, {numel} elements</source>
        <translation>{key}: {tensors} Tensoren, {numel} Elemente</translation>
    </message>
    <message>
        <source>(outermost)</source>
        <translation>(äußerstes)</translation>
    </message>
    <message>
        <source>Choose state dict</source>
        <translation>State-Dict wählen</translation>
    </message>
    <message>
        <source>This file contains several state dicts. Open:</source>
        <translation>Diese Datei enthält mehrere State-Dicts. Öffnen:</translation>
    </message>
    <message>
        <source>Address of a Dask scheduler, such as tcp://host:8786,
or local:2 for two processes on this computer.

Exports run there. The workers read the opened files and write the new
ones, so they must see the same folders. Previews and masks are still
computed on this computer.</source>
        <translation>Adresse eines Dask-Schedulers wie tcp://host:8786
oder local:2 für zwei Prozesse auf diesem Rechner.

Exporte laufen dort. Die Worker lesen die geöffneten Dateien und schreiben
die neuen; sie müssen also dieselben Ordner sehen. Vorschau und Masken
werden weiterhin auf diesem Rechner berechnet.</translation>
    </message>
    <message>
        <source>Run on a cluster</source>
        <translation>Auf einem Cluster ausführen</translation>
    </message>
    <message>
        <source>Use this cluster</source>
        <translation>Diesen Cluster verwenden</translation>
    </message>
    <message>
        <source>Open location</source>
        <translation>Adresse öffnen</translation>
    </message>
    <message>
        <source>Path, or URL of an object store (s3://, gs://, az://, hf://):</source>
        <translation>Pfad oder URL eines Objektspeichers (s3://, gs://, az://, hf://):</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
</context>
<context>
    <name>RecentController</name>
    <message>
        <source>{file} (missing)</source>
        <translation>{file} (fehlt)</translation>
    </message>
    <message>
        <source>1 file</source>
        <translation>1 Datei</translation>
    </message>
    <message>
        <source>{n} files</source>
        <translation>{n} Dateien</translation>
    </message>
    <message>
        <source>No history is kept.</source>
        <translation>Es ist kein Verlauf behalten.</translation>
    </message>
    <message>
        <source>Kept histories deleted.</source>
        <translation>Behaltene Verläufe gelöscht.</translation>
    </message>
</context>
<context>
    <name>RecipeController</name>
    <message>
        <source>Save recipe</source>
        <translation>Rezept speichern</translation>
    </message>
    <message>
        <source>Recipes ({patterns})</source>
        <translation>Rezepte ({patterns})</translation>
    </message>
    <message>
        <source>Saving recipe</source>
        <translation>Rezept wird gespeichert</translation>
    </message>
    <message>
        <source>Recipe saved as {file}.</source>
        <translation>Rezept als {file} gespeichert.</translation>
    </message>
    <message>
        <source>Its masks are in the folder {folder} beside it.</source>
        <translation>Seine Masken sind im Ordner {folder} daneben.</translation>
    </message>
    <message>
        <source>Apply recipe</source>
        <translation>Rezept anwenden</translation>
    </message>
    <message>
        <source>Recipes ({patterns});;All files (*)</source>
        <translation>Rezepte ({patterns});;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Reading recipe</source>
        <translation>Rezept wird gelesen</translation>
    </message>
    <message>
        <source>Applying recipe</source>
        <translation>Rezept wird angewendet</translation>
    </message>
    <message>
        <source>{file} applied: {steps}.</source>
        <translation>{file} angewendet: {steps}.</translation>
    </message>
    <message>
        <source>1 step</source>
        <translation>1 Schritt</translation>
    </message>
    <message>
        <source>{n} steps</source>
        <translation>{n} Schritte</translation>
    </message>
    <message>
        <source>Export on the cluster</source>
        <translation>Auf dem Cluster exportieren</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Exporting on the cluster</source>
        <translation>Exportieren auf dem Cluster</translation>
    </message>
    <message>
        <source>{name} written: {share} of its weights are pruned.</source>
        <translation>{name} geschrieben: {share} der Gewichte sind geprunt.</translation>
    </message>
    <message>
        <source>Writing Python script</source>
        <translation>Python-Skript wird geschrieben</translation>
    </message>
    <message>
        <source>Python script copied: {steps}, with calls of torch.nn.utils.prune only.</source>
        <translation>Python-Skript kopiert: {steps}, nur mit Aufrufen von torch.nn.utils.prune.</translation>
    </message>
    <message>
        <source>Save script and masks</source>
        <translation>Skript und Masken speichern</translation>
    </message>
    <message>
        <source>Python files (*.py)</source>
        <translation>Python-Dateien (*.py)</translation>
    </message>
    <message>
        <source>Python script copied and saved as {file}: {own} of {steps} with calls of torch.nn.utils.prune, the others with masks from {masks}.</source>
        <translation>Python-Skript kopiert und als {file} gespeichert: {own} von {steps} mit Aufrufen von torch.nn.utils.prune, die anderen mit Masken aus {masks}.</translation>
    </message>
</context>
<context>
    <name>RecipeDialog</name>
    <message>
        <source>Apply 1 step</source>
        <translation>1 Schritt anwenden</translation>
    </message>
    <message>
        <source>Apply {n} steps</source>
        <translation>{n} Schritte anwenden</translation>
    </message>
    <message>
        <source>Apply recipe</source>
        <translation>Rezept anwenden</translation>
    </message>
    <message>
        <source>Recipe</source>
        <translation>Rezept</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>ja</translation>
    </message>
    <message>
        <source>no</source>
        <translation>nein</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>Tensors</source>
        <translation>Tensoren</translation>
    </message>
    <message>
        <source>Matches</source>
        <translation>Treffer</translation>
    </message>
    <message>
        <source>Steps of the recipe</source>
        <translation>Schritte des Rezepts</translation>
    </message>
    <message>
        <source>Problems</source>
        <translation>Probleme</translation>
    </message>
    <message>
        <source>✕ 1 problem</source>
        <translation>✕ 1 Problem</translation>
    </message>
    <message>
        <source>✕ {n} problems</source>
        <translation>✕ {n} Probleme</translation>
    </message>
    <message>
        <source>Export on the cluster…</source>
        <translation>Auf dem Cluster exportieren…</translation>
    </message>
    <message>
        <source>The cluster {address} applies the steps and writes a new file.</source>
        <translation>Der Cluster {address} führt die Schritte aus und schreibt eine neue Datei.</translation>
    </message>
    <message>
        <source>This recipe is empty.</source>
        <translation>Dieses Rezept ist leer.</translation>
    </message>
    <message>
        <source>Nothing was applied. Edit the recipe, or open the file that it was made for.</source>
        <translation>Nichts wurde angewendet. Bearbeiten Sie das Rezept, oder öffnen Sie die Datei, für die es gemacht wurde.</translation>
    </message>
    <message>
        <source>The steps are applied to the current state. Each step can be undone separately.</source>
        <translation>Die Schritte werden auf den aktuellen Zustand angewendet. Jeder lässt sich einzeln rückgängig machen.</translation>
    </message>
</context>
<context>
    <name>RecoveryView</name>
    <message>
        <source>Recovery</source>
        <translation>Wiederherstellung</translation>
    </message>
    <message>
        <source>Pruneapp was closed unexpectedly</source>
        <translation>Pruneapp wurde unerwartet beendet</translation>
    </message>
    <message>
        <source>Ask again next time</source>
        <translation>Nächstes Mal fragen</translation>
    </message>
    <message>
        <source>An export was interrupted</source>
        <translation>Ein Export wurde unterbrochen</translation>
    </message>
    <message>
        <source>{n} more</source>
        <translation>{n} weitere</translation>
    </message>
    <message>
        <source>{steps} on {file}, {time}</source>
        <translation>{steps} an {file}, {time}</translation>
    </message>
    <message>
        <source>1 step</source>
        <translation>1 Schritt</translation>
    </message>
    <message>
        <source>{n} steps</source>
        <translation>{n} Schritte</translation>
    </message>
    <message>
        <source>1 undone step</source>
        <translation>1 rückgängig gemachter Schritt</translation>
    </message>
    <message>
        <source>{n} undone steps</source>
        <translation>{n} rückgängig gemachte Schritte</translation>
    </message>
    <message>
        <source>Work saved by a newer version of Pruneapp, {time}</source>
        <translation>Von einer neueren Version von Pruneapp gesicherte Arbeit, {time}</translation>
    </message>
    <message>
        <source>Metrics</source>
        <translation>Metriken</translation>
    </message>
    <message>
        <source>{last} ({n} undone or on other branches)</source>
        <translation>{last} ({n} rückgängig gemacht oder auf anderen Zweigen)</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>Wiederherstellen</translation>
    </message>
    <message>
        <source>Restore {what}</source>
        <translation>{what} wiederherstellen</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Delete {what}</source>
        <translation>{what} löschen</translation>
    </message>
    <message>
        <source>The last step is recomputed.</source>
        <translation>Der letzte Schritt wird neu berechnet.</translation>
    </message>
    <message>
        <source>The last {n} steps are recomputed.</source>
        <translation>Die letzten {n} Schritte werden neu berechnet.</translation>
    </message>
    <message>
        <source>1 temporary file of an export, {size}</source>
        <translation>1 temporäre Datei eines Exports, {size}</translation>
    </message>
    <message>
        <source>{n} temporary files of exports, {size}</source>
        <translation>{n} temporäre Dateien von Exporten, {size}</translation>
    </message>
</context>
<context>
    <name>RepairController</name>
    <message>
        <source>It has statistics of 1 pruned layer.</source>
        <translation>Sie hat die Statistik von 1 geprunten Schicht.</translation>
    </message>
    <message>
        <source>It has statistics of {n} pruned layers.</source>
        <translation>Sie hat die Statistik von {n} geprunten Schichten.</translation>
    </message>
    <message>
        <source>Repair:</source>
        <translation>Reparatur:</translation>
    </message>
    <message>
        <source>Repair cancelled: nothing was changed.</source>
        <translation>Reparatur abgebrochen: Nichts wurde geändert.</translation>
    </message>
    <message>
        <source>1 layer repaired.</source>
        <translation>1 Schicht repariert.</translation>
    </message>
    <message>
        <source>{n} layers repaired.</source>
        <translation>{n} Schichten repariert.</translation>
    </message>
    <message>
        <source>{name} is worse after the repair: {after}, before it {before}.</source>
        <translation>{name} ist nach der Reparatur schlechter: {after}, davor {before}.</translation>
    </message>
    <message>
        <source>Undo repair</source>
        <translation>Reparatur rückgängig machen</translation>
    </message>
</context>
<context>
    <name>RepairDialog</name>
    <message>
        <source>Repair</source>
        <translation>Reparatur</translation>
    </message>
    <message>
        <source>Changes the remaining weights of pruned layers so that the outputs of each layer come out as those of the unpruned model. No mask is changed. You can undo it.</source>
        <translation>Ändert die verbleibenden Gewichte geprunter Schichten so, dass die Ausgaben jeder Schicht wie die des ungeprunten Modells ausfallen. Keine Maske wird geändert. Sie können es rückgängig machen.</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>Schicht</translation>
    </message>
    <message>
        <source>Pruned</source>
        <translation>Geprunt</translation>
    </message>
    <message>
        <source>Remaining</source>
        <translation>Verbleibend</translation>
    </message>
    <message>
        <source>Statistics</source>
        <translation>Statistik</translation>
    </message>
    <message>
        <source>Pruned layers</source>
        <translation>Geprunte Schichten</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Inputs of the layers</source>
        <translation>Eingaben der Schichten</translation>
    </message>
    <message>
        <source>to be collected</source>
        <translation>zu sammeln</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>ja</translation>
    </message>
    <message>
        <source>no</source>
        <translation>nein</translation>
    </message>
    <message>
        <source>Repair 1 layer</source>
        <translation>1 Schicht reparieren</translation>
    </message>
    <message>
        <source>Repair {n} layers</source>
        <translation>{n} Schichten reparieren</translation>
    </message>
    <message>
        <source>Nothing to repair</source>
        <translation>Nichts zu reparieren</translation>
    </message>
    <message>
        <source>1 pruned layer</source>
        <translation>1 geprunte Schicht</translation>
    </message>
    <message>
        <source>{n} pruned layers</source>
        <translation>{n} geprunte Schichten</translation>
    </message>
    <message>
        <source>{layers}, {n} of them with statistics</source>
        <translation>{layers}, {n} davon mit Statistik</translation>
    </message>
    <message>
        <source>Sequential repair runs inputs through the model, and a statistics file has none: choose a source of inputs, or clear the check box.</source>
        <translation>„Nacheinander“ schickt Eingaben durch das Modell, und eine Statistikdatei hat keine: Wählen Sie, was sie durchschickt, oder wählen Sie das Kästchen ab.</translation>
    </message>
    <message>
        <source>Memory: about {size} to compute the largest layer.</source>
        <translation>Speicher: etwa {size}, um die größte Schicht zu berechnen.</translation>
    </message>
    <message>
        <source>Gram matrices: {total}, in temporary files. {rest}</source>
        <translation>Gram-Matrizen: {total}, in temporären Dateien. {rest}</translation>
    </message>
    <message>
        <source>Gram matrices: {total}, more than the memory limit. They stay in the process that runs the model, which solves the layers. {rest}</source>
        <translation>Gram-Matrizen: {total}, mehr als die Speichergrenze. Sie bleiben in dem Prozess, der das Modell ausführt und die Schichten löst. {rest}</translation>
    </message>
</context>
<context>
    <name>RepairReportDialog</name>
    <message>
        <source>Repaired</source>
        <translation>Repariert</translation>
    </message>
    <message>
        <source>1 layer repaired: {moved} weights have new values.</source>
        <translation>1 Schicht repariert: {moved} Gewichte haben neue Werte.</translation>
    </message>
    <message>
        <source>{n} layers repaired: {moved} weights have new values.</source>
        <translation>{n} Schichten repariert: {moved} Gewichte haben neue Werte.</translation>
    </message>
    <message>
        <source>{n} biases or running means moved with them.</source>
        <translation>{n} Biases oder laufende Mittelwerte wurden mit angepasst.</translation>
    </message>
    <message>
        <source>1 bias or running mean moved with them.</source>
        <translation>1 Bias oder laufendes Mittel wurde mit angepasst.</translation>
    </message>
    <message>
        <source>Inputs: {source}. Solved by {solver}.</source>
        <translation>Eingaben: {source}. Gelöst mit {solver}.</translation>
    </message>
    <message>
        <source>Inputs: {source}.</source>
        <translation>Eingaben: {source}.</translation>
    </message>
    <message>
        <source>Errors are mean squares of the difference to the outputs of the unpruned layer, relative to these outputs.</source>
        <translation>Fehler sind mittlere Quadrate des Unterschieds zu den Ausgaben der ungeprunten Schicht, relativ zu diesen Ausgaben.</translation>
    </message>
    <message>
        <source>Sequential: they include the errors of the layers before, so they are larger than if each layer were repaired by itself.</source>
        <translation>Nacheinander: Sie enthalten die Fehler der Schichten davor, sind also größer als bei einer Reparatur jeder Schicht für sich.</translation>
    </message>
    <message>
        <source>Measure the model on data that the statistics were not collected with: small errors of layers do not prove that it works.</source>
        <translation>Messen Sie das Modell auf Daten, mit denen die Statistik nicht gesammelt wurde: Kleine Fehler der Schichten beweisen nicht, dass es funktioniert.</translation>
    </message>
    <message>
        <source>Not repaired, no statistics: {names}.</source>
        <translation>Nicht repariert, keine Statistik: {names}.</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>Schicht</translation>
    </message>
    <message>
        <source>Remaining</source>
        <translation>Verbleibend</translation>
    </message>
    <message>
        <source>Moved</source>
        <translation>Geändert</translation>
    </message>
    <message>
        <source>Error before</source>
        <translation>Fehler davor</translation>
    </message>
    <message>
        <source>Error after</source>
        <translation>Fehler danach</translation>
    </message>
    <message>
        <source>After rounding</source>
        <translation>Nach Rundung</translation>
    </message>
    <message>
        <source>Errors of the layers</source>
        <translation>Fehler der Schichten</translation>
    </message>
    <message>
        <source>Sort by</source>
        <translation>Ordnen nach</translation>
    </message>
    <message>
        <source>Order of the layers, largest values first; or click a column heading</source>
        <translation>Reihenfolge der Schichten, größte Werte zuerst; oder klicken Sie auf eine Spaltenüberschrift</translation>
    </message>
    <message>
        <source>Layer order</source>
        <translation>Reihenfolge der Schichten</translation>
    </message>
    <message>
        <source>Undo repair</source>
        <translation>Reparatur rückgängig machen</translation>
    </message>
    <message>
        <source>Return to the state before the repair.</source>
        <translation>Zum Zustand vor der Reparatur zurückkehren.</translation>
    </message>
    <message>
        <source>Evaluate…</source>
        <translation>Auswerten…</translation>
    </message>
    <message>
        <source>Measure the model before and after the repair with an evaluation script.</source>
        <translation>Das Modell vor und nach der Reparatur mit einem Auswertungsskript messen.</translation>
    </message>
    <message>
        <source>Copy warnings and errors of the layers.</source>
        <translation>Warnungen und Fehler der Schichten kopieren.</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>&amp;Sort by</source>
        <translation>&amp;Ordnen nach</translation>
    </message>
</context>
<context>
    <name>RoundingNote</name>
    <message>
        <source>Effect of rounding to this dtype.</source>
        <translation>Wirkung der Rundung auf diesen dtype.</translation>
    </message>
    <message>
        <source>Round to {type}</source>
        <translation>Auf {type} runden</translation>
    </message>
    <message>
        <source>Select this dtype and show the rounding error.</source>
        <translation>Diesen dtype wählen und den Rundungsfehler zeigen.</translation>
    </message>
    <message>
        <source>{type}: {size}, with 8 significant bits per value.</source>
        <translation>{type}: {size}, mit 8 signifikanten Bits je Wert.</translation>
    </message>
</context>
<context>
    <name>RoundsController</name>
    <message>
        <source>Round {n} of {count}</source>
        <translation>Runde {n} von {count}</translation>
    </message>
    <message>
        <source>Iterative pruning:</source>
        <translation>Iteratives Pruning:</translation>
    </message>
    <message>
        <source>Iterative pruning was cancelled.</source>
        <translation>Das iterative Pruning wurde abgebrochen.</translation>
    </message>
    <message>
        <source>{n} of {count} rounds are complete.</source>
        <translation>{n} von {count} Runden sind vollständig.</translation>
    </message>
    <message>
        <source>Every round is worse than allowed.</source>
        <translation>Jede Runde ist schlechter als erlaubt.</translation>
    </message>
    <message>
        <source>Round {n} is worse than allowed, so round {other} is used.</source>
        <translation>Runde {n} ist schlechter als erlaubt, daher wird Runde {other} verwendet.</translation>
    </message>
    <message>
        <source>This method ranks the remaining weights again before each round, so the result may differ from a single step.</source>
        <translation>Diese Methode ordnet die verbleibenden Gewichte vor jeder Runde neu, sodass das Ergebnis von dem eines einzelnen Schritts abweichen kann.</translation>
    </message>
    <message>
        <source>With this method the final mask is the same as after a single step, apart from the rounding of each round. Each round can be inspected, undone and exported.</source>
        <translation>Mit dieser Methode ist die letzte Maske dieselbe wie nach einem einzelnen Schritt, bis auf die Rundung jeder Runde. Jede Runde lässt sich ansehen, rückgängig machen und exportieren.</translation>
    </message>
    <message>
        <source>Iterative pruning</source>
        <translation>Iteratives Pruning</translation>
    </message>
    <message>
        <source>Pruned in {n} rounds.</source>
        <translation>In {n} Runden geprunt.</translation>
    </message>
</context>
<context>
    <name>RoundsDialog</name>
    <message>
        <source>Iterative pruning</source>
        <translation>Iteratives Pruning</translation>
    </message>
    <message>
        <source>Pruning step</source>
        <translation>Pruning-Schritt</translation>
    </message>
    <message>
        <source>Round</source>
        <translation>Runde</translation>
    </message>
    <message>
        <source>This round</source>
        <translation>Diese Runde</translation>
    </message>
    <message>
        <source>Cumulative</source>
        <translation>Kumuliert</translation>
    </message>
    <message>
        <source>Sparsity</source>
        <translation>Sparsity</translation>
    </message>
    <message>
        <source>Rounds</source>
        <translation>Runden</translation>
    </message>
    <message>
        <source>up to {n}</source>
        <translation>bis zu {n}</translation>
    </message>
    <message>
        <source>Prune {weights} weights in 1 round</source>
        <translation>{weights} Gewichte in 1 Runde prunen</translation>
    </message>
    <message>
        <source>Prune {weights} weights in {n} rounds</source>
        <translation>{weights} Gewichte in {n} Runden prunen</translation>
    </message>
    <message>
        <source>Nothing to prune</source>
        <translation>Nichts zu prunen</translation>
    </message>
    <message>
        <source>Each round prunes the weights that the previous round trained. Its training is a step of its own.</source>
        <translation>Jede Runde prunt die Gewichte, die die vorige Runde trainiert hat. Ihr Training ist ein eigener Schritt.</translation>
    </message>
</context>
<context>
    <name>RuleEditor</name>
    <message>
        <source>Tensors</source>
        <translation>Tensoren</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>Methode</translation>
    </message>
    <message>
        <source>Explain the method</source>
        <translation>Die Methode erklären</translation>
    </message>
    <message>
        <source>Load mask…</source>
        <translation>Maske laden…</translation>
    </message>
    <message>
        <source>Load scores…</source>
        <translation>Werte laden…</translation>
    </message>
    <message>
        <source>Rank weights by importance scores from a file instead of by magnitude.</source>
        <translation>Gewichte nach Wichtigkeitswerten aus einer Datei ordnen, statt nach Betrag.</translation>
    </message>
    <message>
        <source>Load statistics…</source>
        <translation>Statistik laden…</translation>
    </message>
    <message>
        <source>Rank weights by their inputs, from a file of statistics of activations, which pruneapp statistics makes.</source>
        <translation>Gewichte nach ihren Eingaben ordnen, mit einer Datei der Aktivierungsstatistik, die pruneapp statistics erstellt.</translation>
    </message>
    <message>
        <source>No layers yet: enter a pattern or choose a type. Until then, this rule is ignored.</source>
        <translation>Noch keine Schichten: Geben Sie ein Muster ein oder wählen Sie eine Art. Bis dahin gilt diese Regel nicht.</translation>
    </message>
    <message>
        <source>Skips 1 matching bias, norm or 1‑D tensor.</source>
        <translation>Überspringt 1 passenden Bias, Norm- oder 1‑D-Tensor.</translation>
    </message>
    <message>
        <source>Skips {n} matching biases, norms or 1‑D tensors.</source>
        <translation>Überspringt {n} passende Biases, Norm- oder 1‑D-Tensoren.</translation>
    </message>
    <message>
        <source>and {n} more</source>
        <translation>und {n} weitere</translation>
    </message>
    <message>
        <source>The rule skips:</source>
        <translation>Die Regel überspringt:</translation>
    </message>
    <message>
        <source>Or enter a pattern, such as {pattern}.</source>
        <translation>Oder geben Sie ein Muster ein, etwa {pattern}.</translation>
    </message>
    <message>
        <source>1 tensor.</source>
        <translation>1 Tensor.</translation>
    </message>
    <message>
        <source>{n} tensors.</source>
        <translation>{n} Tensoren.</translation>
    </message>
    <message>
        <source>rule {rule} takes {n}</source>
        <translation>Regel {rule} nimmt {n}</translation>
    </message>
    <message>
        <source>later rules take {n}</source>
        <translation>spätere Regeln nehmen {n}</translation>
    </message>
    <message>
        <source>limits exclude {n}</source>
        <translation>Grenzen nehmen {n} aus</translation>
    </message>
    <message>
        <source>{n} of {m} tensors: {why}.</source>
        <translation>{n} von {m} Tensoren: {why}.</translation>
    </message>
    <message>
        <source>no file loaded</source>
        <translation>keine Datei geladen</translation>
    </message>
    <message>
        <source>Ranking: weight magnitude</source>
        <translation>Rang nach: Betrag</translation>
    </message>
    <message>
        <source>There is no method to choose.</source>
        <translation>Es gibt keine Methode zu wählen.</translation>
    </message>
    <message>
        <source>Load a mask first.</source>
        <translation>Laden Sie zuerst eine Maske.</translation>
    </message>
    <message>
        <source>Load statistics of activations first.</source>
        <translation>Laden Sie zuerst eine Aktivierungsstatistik.</translation>
    </message>
    <message>
        <source>no layers yet, ignored</source>
        <translation>noch keine Schichten, gilt nicht</translation>
    </message>
    <message>
        <source>✕ not valid</source>
        <translation>✕ nicht gültig</translation>
    </message>
</context>
<context>
    <name>ScanController</name>
    <message>
        <source>no statistics with Gram matrices are loaded</source>
        <translation>keine Statistik mit Gram-Matrizen geladen</translation>
    </message>
    <message>
        <source>the loaded statistics have no Gram matrices</source>
        <translation>die geladene Statistik hat keine Gram-Matrizen</translation>
    </message>
    <message>
        <source>The current state, {state}, is {share} pruned. Amounts are fractions of what remains of each tensor in it. To scan the unpruned model, go to &apos;Opened&apos; in the history first.</source>
        <translation>Der aktuelle Zustand, {state}, ist zu {share} geprunt. Umfänge sind Anteile dessen, was von jedem Tensor darin verbleibt. Um das ungeprunte Modell zu scannen, gehen Sie im Verlauf zuerst zu „Geöffnet“.</translation>
    </message>
    <message>
        <source>{tensors} × {amounts}:</source>
        <translation>{tensors} × {amounts}:</translation>
    </message>
    <message>
        <source>1 checked tensor</source>
        <translation>1 angekreuzter Tensor</translation>
    </message>
    <message>
        <source>{n} checked tensors</source>
        <translation>{n} angekreuzte Tensoren</translation>
    </message>
    <message>
        <source>1 amount</source>
        <translation>1 Umfang</translation>
    </message>
    <message>
        <source>{n} amounts</source>
        <translation>{n} Umfänge</translation>
    </message>
    <message>
        <source>{words} all evaluations ({n}) are measured already.</source>
        <translation>{words} alle Auswertungen ({n}) sind schon gemessen.</translation>
    </message>
    <message>
        <source>1 evaluation is left</source>
        <translation>1 Auswertung steht noch aus</translation>
    </message>
    <message>
        <source>{n} evaluations are left</source>
        <translation>{n} Auswertungen stehen noch aus</translation>
    </message>
    <message>
        <source>{n} measured already</source>
        <translation>{n} schon gemessen</translation>
    </message>
    <message>
        <source>{words} {count}, {already}.</source>
        <translation>{words} {count}, {already}.</translation>
    </message>
    <message>
        <source>1 evaluation</source>
        <translation>1 Auswertung</translation>
    </message>
    <message>
        <source>{n} evaluations</source>
        <translation>{n} Auswertungen</translation>
    </message>
    <message>
        <source>{words} {count}.</source>
        <translation>{words} {count}.</translation>
    </message>
    <message>
        <source>{n} of them are kept if script, Python and options are the same.</source>
        <translation>{n} davon bleiben, wenn Skript, Python und Optionen dieselben sind.</translation>
    </message>
    <message>
        <source>About {time}: one evaluation of the unpruned model took {one}.</source>
        <translation>Etwa {time}: Eine Auswertung des ungeprunten Modells dauerte {one}.</translation>
    </message>
    <message>
        <source>The time left is shown once the unpruned model was measured, three times.</source>
        <translation>Die Restzeit ist zu sehen, sobald das ungeprunte Modell dreimal gemessen wurde.</translation>
    </message>
    <message>
        <source>Sensitivity scan:</source>
        <translation>Sensitivitäts-Scan:</translation>
    </message>
    <message>
        <source>Scan finished: {done}.</source>
        <translation>Scan beendet: {done}.</translation>
    </message>
    <message>
        <source>Scan stopped after {done}; the next scan continues it.</source>
        <translation>Scan nach {done} abgebrochen; der nächste Scan setzt ihn fort.</translation>
    </message>
    <message>
        <source>Scan stopped: nothing was measured.</source>
        <translation>Scan abgebrochen: Nichts wurde gemessen.</translation>
    </message>
    <message>
        <source>{state}; {method}</source>
        <translation>{state}; {method}</translation>
    </message>
    <message>
        <source>another script</source>
        <translation>ein anderes Skript</translation>
    </message>
    <message>
        <source>limit {n}</source>
        <translation>Begrenzung {n}</translation>
    </message>
    <message>
        <source>seed {n}</source>
        <translation>Seed {n}</translation>
    </message>
    <message>
        <source>{n} of {all} evaluations</source>
        <translation>{n} von {all} Auswertungen</translation>
    </message>
    <message>
        <source>a deleted state</source>
        <translation>ein gelöschter Zustand</translation>
    </message>
    <message>
        <source>{method}, repaired</source>
        <translation>{method}, repariert</translation>
    </message>
</context>
<context>
    <name>ScanDialog</name>
    <message>
        <source>Scan sensitivity</source>
        <translation>Sensitivität scannen</translation>
    </message>
    <message>
        <source>Scan</source>
        <translation>Scannen</translation>
    </message>
    <message>
        <source>Prunes one of the checked tensors at a time, by each of the amounts, and measures the model each time in a separate process. The open model is not changed. Whatever was measured when you cancel is kept, and the next scan continues it.</source>
        <translation>Prunt jeden angekreuzten Tensor einzeln mit jedem der Umfänge und misst das Modell jedes Mal in einem eigenen Prozess. Das geöffnete Modell wird nicht geändert. Wenn Sie abbrechen, bleiben die Messungen erhalten, und der nächste Scan setzt dort fort.</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>Methode</translation>
    </message>
    <message>
        <source>How weights or channels are ranked; settings are those of the form</source>
        <translation>Wie Gewichte oder Kanäle geordnet werden; Einstellungen sind die des Formulars</translation>
    </message>
    <message>
        <source>Amounts</source>
        <translation>Umfänge</translation>
    </message>
    <message>
        <source>Fractions of the remaining weights of each tensor, with commas between them</source>
        <translation>Anteile der verbleibenden Gewichte jedes Tensors, mit Kommas dazwischen</translation>
    </message>
    <message>
        <source>&amp;Method</source>
        <translation>&amp;Methode</translation>
    </message>
    <message>
        <source>&amp;Amounts</source>
        <translation>&amp;Umfänge</translation>
    </message>
    <message>
        <source>&amp;Repair each tensor before the model is measured</source>
        <translation>Jeden Tensor &amp;reparieren, bevor das Modell gemessen wird</translation>
    </message>
    <message>
        <source>With the statistics of activations that are loaded in the form, where Wanda or another method that needs them is chosen; they must have Gram matrices.</source>
        <translation>Nach der Aktivierungsstatistik, die im Formular geladen ist, wo Wanda oder eine andere Methode gewählt ist, die sie braucht; sie braucht Gram-Matrizen.</translation>
    </message>
</context>
<context>
    <name>ScriptConsent</name>
    <message>
        <source>Run this script? It is new.</source>
        <translation>Dieses Skript ausführen? Es ist neu.</translation>
    </message>
    <message>
        <source>Run this script? It has changed since you last ran it.</source>
        <translation>Dieses Skript ausführen? Es hat sich seit dem letzten Mal geändert.</translation>
    </message>
    <message>
        <source>Run this script with a different Python than last time?</source>
        <translation>Dieses Skript mit anderem Python als letztes Mal ausführen?</translation>
    </message>
</context>
<context>
    <name>ScriptConsentDialog</name>
    <message>
        <source>Lines of the script</source>
        <translation>Zeilen des Skripts</translation>
    </message>
    <message>
        <source>All {n} lines</source>
        <translation>Alle {n} Zeilen</translation>
    </message>
    <message>
        <source>The first {shown} of {n} lines</source>
        <translation>Die ersten {shown} von {n} Zeilen</translation>
    </message>
    <message>
        <source>A script is a program: it can read and change your files and use the network, as if you started it yourself. It runs in a separate process, which is not a sandbox. Only run scripts that you have read or whose author you trust.</source>
        <translation>Ein Skript ist ein Programm: Es kann Ihre Dateien lesen und ändern und das Netz benutzen, als hätten Sie es selbst gestartet. Es läuft in einem eigenen Prozess, der keine Sandbox ist. Führen Sie nur Skripte aus, die Sie gelesen haben oder deren Autor Sie vertrauen.</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Datei</translation>
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
        <translation>Skript ausführen</translation>
    </message>
</context>
<context>
    <name>ScriptController</name>
    <message>
        <source>Runs {program} in {folder}.</source>
        <translation>Führt {program} in {folder} aus.</translation>
    </message>
    <message>
        <source>Runs with {python} ({found}).</source>
        <translation>Läuft mit {python} ({found}).</translation>
    </message>
    <message>
        <source>The limit has no effect: no function of the script takes &apos;limit&apos;.</source>
        <translation>Die Begrenzung hat keine Wirkung: Keine Funktion des Skripts nimmt „limit“.</translation>
    </message>
    <message>
        <source>Agreement with the unpruned model on random inputs.</source>
        <translation>Übereinstimmung mit dem ungeprunten Modell auf zufälligen Eingaben.</translation>
    </message>
    <message>
        <source>Agreement with the unpruned model on random inputs, {sizes}.</source>
        <translation>Übereinstimmung mit dem ungeprunten Modell auf zufälligen Eingaben, {sizes}.</translation>
    </message>
    <message>
        <source>Accuracy of {model} on {n} of {images}.</source>
        <translation>Genauigkeit von {model} auf {n} von {images}.</translation>
    </message>
    <message>
        <source>Agreement of {model} with the unpruned model on {n} of {images} ({folders}, but {classes}).</source>
        <translation>Übereinstimmung von {model} mit dem ungeprunten Modell auf {n} von {images} ({folders}, aber {classes}).</translation>
    </message>
    <message>
        <source>Agreement of {model} with the unpruned model on {n} of {images}.</source>
        <translation>Übereinstimmung von {model} mit dem ungeprunten Modell auf {n} von {images}.</translation>
    </message>
    <message>
        <source>1 image</source>
        <translation>1 Bild</translation>
    </message>
    <message>
        <source>{n} images</source>
        <translation>{n} Bildern</translation>
    </message>
    <message>
        <source>1 subfolder</source>
        <translation>1 Unterordner</translation>
    </message>
    <message>
        <source>{n} subfolders</source>
        <translation>{n} Unterordner</translation>
    </message>
    <message>
        <source>1 class</source>
        <translation>1 Klasse</translation>
    </message>
    <message>
        <source>{n} classes</source>
        <translation>{n} Klassen</translation>
    </message>
</context>
<context>
    <name>SeedEditor</name>
    <message>
        <source>Generate a new seed</source>
        <translation>Einen neuen Seed erzeugen</translation>
    </message>
</context>
<context>
    <name>SensitivityView</name>
    <message>
        <source>Metric</source>
        <translation>Metrik</translation>
    </message>
    <message>
        <source>Metric by which damage is measured</source>
        <translation>Metrik, an der Schaden gemessen wird</translation>
    </message>
    <message>
        <source>Scan…</source>
        <translation>Scannen…</translation>
    </message>
    <message>
        <source>Measure the damage of pruning each checked tensor alone</source>
        <translation>Den Schaden messen, wenn jeder angekreuzte Tensor allein geprunt wird</translation>
    </message>
    <message>
        <source>Allocate…</source>
        <translation>Zuteilen…</translation>
    </message>
    <message>
        <source>Choose the sparsity of each tensor for the least predicted damage</source>
        <translation>Die Sparsity jedes Tensors für den kleinsten vorhergesagten Schaden wählen</translation>
    </message>
    <message>
        <source>Restore settings</source>
        <translation>Einstellungen zurückholen</translation>
    </message>
    <message>
        <source>Reset the form to its settings before a cell was clicked</source>
        <translation>Das Formular auf die Einstellungen zurücksetzen, die es vor dem Klick auf eine Zelle hatte</translation>
    </message>
    <message>
        <source>Order of the tensors</source>
        <translation>Reihenfolge der Tensoren</translation>
    </message>
    <message>
        <source>In layer order</source>
        <translation>Nach Schichten geordnet</translation>
    </message>
    <message>
        <source>Most sensitive first</source>
        <translation>Empfindlichste zuerst</translation>
    </message>
    <message>
        <source>Largest first</source>
        <translation>Größte zuerst</translation>
    </message>
    <message>
        <source>Scan</source>
        <translation>Scannen</translation>
    </message>
    <message>
        <source>Go to this state</source>
        <translation>Zu diesem Zustand gehen</translation>
    </message>
    <message>
        <source>Make the scanned state the current one</source>
        <translation>Den gescannten Zustand zum aktuellen machen</translation>
    </message>
    <message>
        <source>tensors</source>
        <translation>Tensoren</translation>
    </message>
    <message>
        <source>pruned, one tensor at a time</source>
        <translation>geprunt, jeweils nur ein Tensor</translation>
    </message>
    <message>
        <source>Nothing has been scanned yet. Choose Tools &gt; Scan sensitivity… to measure how much of each tensor the model can spare.</source>
        <translation>Noch ist nichts gescannt. Wählen Sie „Werkzeuge &gt; Sensitivität scannen…“, um zu messen, wie viel von jedem Tensor das Modell entbehren kann.</translation>
    </message>
    <message>
        <source>Which of the scans is shown</source>
        <translation>Welcher der Scans gezeigt wird</translation>
    </message>
    <message>
        <source>{name}, {amount} pruned:  {what}</source>
        <translation>{name}, {amount} geprunt:  {what}</translation>
    </message>
    <message>
        <source>not measured yet</source>
        <translation>noch nicht gemessen</translation>
    </message>
    <message>
        <source>{metric} is not a finite number</source>
        <translation>{metric} ist keine endliche Zahl</translation>
    </message>
    <message>
        <source>no difference</source>
        <translation>kein Unterschied</translation>
    </message>
    <message>
        <source>no difference found within ±{noise}</source>
        <translation>kein Unterschied über ±{noise} hinaus gefunden</translation>
    </message>
    <message>
        <source>{amount} worse</source>
        <translation>{amount} schlechter</translation>
    </message>
    <message>
        <source>{amount} better</source>
        <translation>{amount} besser</translation>
    </message>
    <message>
        <source>The scanned state was deleted.</source>
        <translation>Der gescannte Zustand wurde gelöscht.</translation>
    </message>
    <message>
        <source>Scanned state: {state}, the current one.</source>
        <translation>Gescannter Zustand: {state}, der aktuelle.</translation>
    </message>
    <message>
        <source>Scanned state: {state}. The current state is another one.</source>
        <translation>Gescannter Zustand: {state}. Der aktuelle Zustand ist ein anderer.</translation>
    </message>
    <message>
        <source>Method: {method}.</source>
        <translation>Methode: {method}.</translation>
    </message>
    <message>
        <source>Before pruning: {metric} {value}.</source>
        <translation>Vor dem Pruning: {metric} {value}.</translation>
    </message>
    <message>
        <source>Repeatable; the uncertainty of the data is not known.</source>
        <translation>Wiederholbar; die Unsicherheit der Daten ist nicht bekannt.</translation>
    </message>
    <message>
        <source>{n} of {all} evaluations measured</source>
        <translation>{n} von {all} Auswertungen gemessen</translation>
    </message>
    <message>
        <source>largest damage: {name} at {amount}, {damage}</source>
        <translation>größter Schaden: {name} bei {amount}, {damage}</translation>
    </message>
    <message>
        <source>no damage beyond the noise</source>
        <translation>kein Schaden jenseits des Rauschens</translation>
    </message>
    <message>
        <source>tensor</source>
        <translation>Tensor</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>{metric} at {amount}</source>
        <translation>{metric} bei {amount}</translation>
    </message>
    <message>
        <source>measured with</source>
        <translation>gemessen mit</translation>
    </message>
    <message>
        <source>Damage by tensor and amount</source>
        <translation>Schaden nach Tensor und Umfang</translation>
    </message>
    <message>
        <source>{n} worse (logarithmic)</source>
        <translation>{n} schlechter (logarithmisch)</translation>
    </message>
    <message>
        <source>0</source>
        <translation>0</translation>
    </message>
    <message>
        <source>not measured</source>
        <translation>nicht gemessen</translation>
    </message>
    <message>
        <source>measured before</source>
        <translation>früher gemessen</translation>
    </message>
    <message>
        <source>of another state</source>
        <translation>von einem anderen Zustand</translation>
    </message>
    <message>
        <source>of another state, measured before</source>
        <translation>von einem anderen Zustand, früher gemessen</translation>
    </message>
</context>
<context>
    <name>Sentences</name>
    <message>
        <source>en</source>
        <extracomment>the name of the language, as in pruneapp_NAME.ts</extracomment>
        <translation>de</translation>
    </message>
    <message>
        <source>No group violates {n}:{m} along dim {dim}: there is nothing to repair.</source>
        <extracomment>sentences</extracomment>
        <translation>Keine Gruppe verletzt {n}:{m} entlang Dim. {dim}: Es gibt nichts zu reparieren.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; cannot be shown: values of type {label} are packed.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; kann nicht gezeigt werden: Werte vom Typ {label} sind gepackt.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has no norms: {why_not}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; hat keine Normen: {why_not}.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is not a checkpoint that Pruneapp knows.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist kein Checkpoint, den Pruneapp kennt.</translation>
    </message>
    <message>
        <source>Open a .safetensors file, a file that torch.save wrote, an ONNX model, or a model folder.</source>
        <extracomment>sentences</extracomment>
        <translation>Öffnen Sie eine .safetensors-Datei, eine mit torch.save geschriebene Datei, ein ONNX-Modell oder einen Modellordner.</translation>
    </message>
    <message>
        <source>Pruneapp reads checkpoints on little-endian machines only (this one is {byteorder}-endian).</source>
        <extracomment>sentences</extracomment>
        <translation>Pruneapp liest Checkpoints nur auf Little-Endian-Rechnern (dieser ist {byteorder}-endian).</translation>
    </message>
    <message>
        <source>Use a machine with an x86-64 or ARM processor.</source>
        <extracomment>sentences</extracomment>
        <translation>Verwenden Sie einen Rechner mit x86-64- oder ARM-Prozessor.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; holds no state dict &apos;{wanted}&apos;: a {label} file has only one, which has no name.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; enthält kein State-Dict &apos;{wanted}&apos;: Eine Datei der Art {label} hat nur eines, und das hat keinen Namen.</translation>
    </message>
    <message>
        <source>Open it without choosing a state dict.</source>
        <extracomment>sentences</extracomment>
        <translation>Öffnen Sie die Datei, ohne ein State-Dict zu wählen.</translation>
    </message>
    <message>
        <source>There is a reader &apos;{name}&apos; already.</source>
        <extracomment>sentences</extracomment>
        <translation>Es gibt schon einen Reader &apos;{name}&apos;.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; in &apos;{path}&apos; is of type {name2}, which torch {version} does not have.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; in &apos;{path}&apos; ist vom Typ {name2}, den torch {version} nicht hat.</translation>
    </message>
    <message>
        <source>Read it with Checkpoint.bits instead.</source>
        <extracomment>sentences</extracomment>
        <translation>Lesen Sie ihn stattdessen mit Checkpoint.bits.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; holds no tensor named &apos;{name}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; enthält keinen Tensor namens &apos;{name}&apos;.</translation>
    </message>
    <message>
        <source>`pruneapp inspect` lists the names.</source>
        <extracomment>sentences</extracomment>
        <translation>`pruneapp inspect` führt die Namen auf.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; in &apos;{path}&apos; cannot be read: {unreadable}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; in &apos;{path}&apos; kann nicht gelesen werden: {unreadable}.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is damaged: {what} of tensor &apos;{show}&apos; does not hold what it should.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist beschädigt: In Tensor &apos;{show}&apos; steht nicht, was dort stehen muss ({what}).</translation>
    </message>
    <message>
        <source>Download or copy it again.</source>
        <extracomment>sentences</extracomment>
        <translation>Laden Sie die Datei neu herunter, oder kopieren Sie sie neu.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is not a valid file of Pruneapp: {what}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist keine gültige Datei von Pruneapp: {what}.</translation>
    </message>
    <message>
        <source>Download or save it again.</source>
        <extracomment>sentences</extracomment>
        <translation>Laden Sie die Datei neu herunter, oder speichern Sie sie neu.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; was written by a newer Pruneapp, in version {version} of its layout (this one reads version {VERSION}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; wurde von einem neueren Pruneapp geschrieben, in Version {version} des Aufbaus (dieses liest Version {VERSION}).</translation>
    </message>
    <message>
        <source>Get the newest version of Pruneapp.</source>
        <extracomment>sentences</extracomment>
        <translation>Installieren Sie die neueste Version von Pruneapp.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is not a valid safetensors file: {what}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist keine gültige safetensors-Datei: {what}.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is not a valid index of shards: {what}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist kein gültiger Index von Shards: {what}.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is a recipe, not a checkpoint.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist ein Rezept, kein Checkpoint.</translation>
    </message>
    <message>
        <source>Apply it to a checkpoint: pruneapp run RECIPE FILE -o OUT</source>
        <extracomment>sentences</extracomment>
        <translation>Wenden Sie es auf einen Checkpoint an: pruneapp run RECIPE FILE -o OUT</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is a JSON file, but not an index of shards: it has no key &apos;weight_map&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist eine JSON-Datei, aber kein Index von Shards: Der Schlüssel &apos;weight_map&apos; fehlt.</translation>
    </message>
    <message>
        <source>Open the file or folder that holds the weights.</source>
        <extracomment>sentences</extracomment>
        <translation>Öffnen Sie die Datei oder den Ordner mit den Gewichten.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is cut short: &apos;{name}&apos; of &apos;{path2}&apos; ends at byte {value}, and it has {size}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist abgeschnitten: &apos;{name}&apos; aus &apos;{path2}&apos; endet bei Byte {value}, die Datei hat aber {size}.</translation>
    </message>
    <message>
        <source>The download or copy was interrupted: get the file again.</source>
        <extracomment>sentences</extracomment>
        <translation>Das Herunterladen oder Kopieren wurde unterbrochen: Holen Sie die Datei noch einmal.</translation>
    </message>
    <message>
        <source>&apos;{model}&apos; says that &apos;{name}&apos; is in &apos;{show}&apos;, which is not inside its folder.</source>
        <extracomment>sentences</extracomment>
        <translation>Laut &apos;{model}&apos; liegt &apos;{name}&apos; in &apos;{show}&apos;, aber das ist kein Ort innerhalb seines Ordners.</translation>
    </message>
    <message>
        <source>Save the model again with its data beside it.</source>
        <extracomment>sentences</extracomment>
        <translation>Speichern Sie das Modell noch einmal, mit seinen Daten daneben.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; holds &apos;{show}.weight&apos; packed by compressed-tensors, but {what}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; enthält &apos;{show}.weight&apos;, gepackt von compressed-tensors, aber fehlerhaft: {what}.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is damaged: the bitmask of &apos;{show}&apos; is for {starts} values, but the file contains {kept}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist beschädigt: Die Bitmaske von &apos;{show}&apos; ist für {starts} Werte, die Datei enthält aber {kept}.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is {what} that breaks a rule of its format: {what2}, at byte {at}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ({what}) verletzt bei Byte {at} eine Regel seines Formats: {what2}.</translation>
    </message>
    <message>
        <source>{n} byte is</source>
        <extracomment>sentences</extracomment>
        <translation>{n} Byte</translation>
    </message>
    <message>
        <source>{n} bytes are</source>
        <extracomment>sentences</extracomment>
        <translation>{n} Bytes</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is cut short: at least {missing} missing.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist abgeschnitten, es fehlt etwas (mindestens {missing}).</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is cut short: {what}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist abgeschnitten: {what}.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is not a safetensors file: it has {size} bytes, fewer than 8.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist keine safetensors-Datei: Sie hat {size} Bytes, weniger als 8.</translation>
    </message>
    <message>
        <source>{n} byte follows</source>
        <extracomment>sentences</extracomment>
        <translation>{n} Byte folgt</translation>
    </message>
    <message>
        <source>{n} bytes follow</source>
        <extracomment>sentences</extracomment>
        <translation>{n} Bytes folgen</translation>
    </message>
    <message>
        <source>{n} byte</source>
        <extracomment>sentences</extracomment>
        <translation>{n} Byte</translation>
    </message>
    <message>
        <source>{n} bytes</source>
        <extracomment>sentences</extracomment>
        <translation>{n} Bytes</translation>
    </message>
    <message>
        <source>{n} tensor</source>
        <extracomment>sentences
----------
steps</extracomment>
        <translation>{n} Tensor</translation>
    </message>
    <message>
        <source>{n} tensors</source>
        <extracomment>sentences
----------
steps</extracomment>
        <translation>{n} Tensoren</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is JSON text of {size} bytes; an index of shards has at most {MAX_INDEX_BYTES}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist JSON-Text mit {size} Bytes; ein Index von Shards hat höchstens {MAX_INDEX_BYTES}.</translation>
    </message>
    <message>
        <source>The {what} &apos;{path}&apos; is a link to &apos;{target}&apos;, outside the folder of the model.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ({what}) ist ein Link auf &apos;{target}&apos;, also aus dem Modellordner hinaus.</translation>
    </message>
    <message>
        <source>Put the file itself there if you trust it.</source>
        <extracomment>sentences</extracomment>
        <translation>Legen Sie die Datei selbst dorthin, wenn Sie ihr vertrauen.</translation>
    </message>
    <message>
        <source>The shards beside &apos;{path}&apos; are of different formats: {join}.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Shards neben &apos;{path}&apos; haben verschiedene Formate: {join}.</translation>
    </message>
    <message>
        <source>Open them one by one.</source>
        <extracomment>sentences</extracomment>
        <translation>Öffnen Sie sie einzeln.</translation>
    </message>
    <message>
        <source>{list} in two shards of &apos;{parent}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>{list} in zwei Shards von &apos;{parent}&apos; zugleich.</translation>
    </message>
    <message>
        <source>Remove the files that do not belong to the model.</source>
        <extracomment>sentences</extracomment>
        <translation>Entfernen Sie die Dateien, die nicht zum Modell gehören.</translation>
    </message>
    <message>
        <source>The {what} &apos;{show}&apos; is missing from &apos;{folder}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>In &apos;{folder}&apos; fehlt &apos;{show}&apos; ({what}).</translation>
    </message>
    <message>
        <source>Download or copy the whole folder.</source>
        <extracomment>sentences</extracomment>
        <translation>Laden Sie den ganzen Ordner herunter, oder kopieren Sie ihn.</translation>
    </message>
    <message>
        <source>&apos;{target}&apos; cannot be written: {what}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{target}&apos; kann nicht geschrieben werden: {what}.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is a pipe, socket or device, not a regular file.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist eine Pipe, ein Socket oder ein Gerät, keine reguläre Datei.</translation>
    </message>
    <message>
        <source>Choose another name.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie einen anderen Namen.</translation>
    </message>
    <message>
        <source>&apos;{target}&apos; was not written: the bytes read back from the disk differ from those that were written.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{target}&apos; wurde nicht geschrieben: Die von der Festplatte zurückgelesenen Bytes sind andere als die geschriebenen.</translation>
    </message>
    <message>
        <source>Check the disk, or write to another one.</source>
        <extracomment>sentences</extracomment>
        <translation>Prüfen Sie die Festplatte, oder schreiben Sie auf eine andere.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; holds {size} bytes of tensors, but {value} are needed.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; enthält {size} Bytes an Tensoren, nötig sind aber {value}.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; was closed.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; wurde geschlossen.</translation>
    </message>
    <message>
        <source>Open it again.</source>
        <extracomment>sentences</extracomment>
        <translation>Öffnen Sie die Datei noch einmal.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; ends at byte {size}, but {stop} are needed.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; endet bei Byte {size}, nötig sind aber {stop}.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is no longer there.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist nicht mehr da.</translation>
    </message>
    <message>
        <source>Put it back, or open it from its new place.</source>
        <extracomment>sentences</extracomment>
        <translation>Legen Sie die Datei zurück, oder öffnen Sie sie an ihrem neuen Ort.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; cannot be read at byte {start}: {words_of}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; kann bei Byte {start} nicht gelesen werden: {words_of}.</translation>
    </message>
    <message>
        <source>Check the connection to the store, then try again.</source>
        <extracomment>sentences</extracomment>
        <translation>Prüfen Sie die Verbindung zum Objektspeicher, und versuchen Sie es dann noch einmal.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; cannot be accessed: {words_of}.</source>
        <extracomment>sentences</extracomment>
        <translation>Auf &apos;{path}&apos; kann nicht zugegriffen werden: {words_of}.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is {kind}, not a regular file.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist keine reguläre Datei ({kind}).</translation>
    </message>
    <message>
        <source>Open a file or a model folder.</source>
        <extracomment>sentences</extracomment>
        <translation>Öffnen Sie eine Datei oder einen Modellordner.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; cannot be opened: {words_of}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; kann nicht geöffnet werden: {words_of}.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; was changed by another program while it was open.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; wurde von einem anderen Programm geändert, während die Datei geöffnet war.</translation>
    </message>
    <message>
        <source>Open it again to work on its new content.</source>
        <extracomment>sentences</extracomment>
        <translation>Öffnen Sie die Datei noch einmal, um mit dem neuen Inhalt zu arbeiten.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; cannot be opened: its name contains a character that file names cannot have.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; kann nicht geöffnet werden: Der Name enthält ein Zeichen, das Dateinamen nicht haben können.</translation>
    </message>
    <message>
        <source>Check the name.</source>
        <extracomment>sentences</extracomment>
        <translation>Prüfen Sie den Namen.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; ends at byte {size}, but {value} are needed.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; endet bei Byte {size}, nötig sind aber {value}.</translation>
    </message>
    <message>
        <source>Put it back, or open the file from its new place.</source>
        <extracomment>sentences</extracomment>
        <translation>Legen Sie die Datei zurück, oder öffnen Sie sie an ihrem neuen Ort.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; cannot be read at byte {value}: {words_of}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; kann bei Byte {value} nicht gelesen werden: {words_of}.</translation>
    </message>
    <message>
        <source>Check the disk or the network drive, then open the file again.</source>
        <extracomment>sentences</extracomment>
        <translation>Prüfen Sie die Festplatte oder das Netzlaufwerk, und öffnen Sie die Datei dann noch einmal.</translation>
    </message>
    <message>
        <source>The URL of an object must not contain &apos;:&apos; or &apos;?&apos; (got one that begins with &apos;{scheme}://&apos;).</source>
        <extracomment>sentences</extracomment>
        <translation>Die URL eines Objekts darf kein &apos;:&apos; und kein &apos;?&apos; enthalten (diese beginnt mit &apos;{scheme}://&apos;).</translation>
    </message>
    <message>
        <source>Passwords, keys and tokens do not belong in a URL: put them where the tools of the store look for them, such as AWS_PROFILE, or ~/.aws/credentials.</source>
        <extracomment>sentences</extracomment>
        <translation>Passwörter, Schlüssel und Tokens gehören nicht in eine URL: Legen Sie sie dort ab, wo die Werkzeuge des Objektspeichers sie suchen, etwa in AWS_PROFILE oder ~/.aws/credentials.</translation>
    </message>
    <message>
        <source>Pruneapp opens files, and URLs that begin with s3://, gs://, az:// or hf:// (got &apos;{scheme}://&apos;).</source>
        <extracomment>sentences</extracomment>
        <translation>Pruneapp öffnet Dateien und URLs, die mit s3://, gs://, az:// oder hf:// beginnen (angegeben: &apos;{scheme}://&apos;).</translation>
    </message>
    <message>
        <source>Download it first, then open the file.</source>
        <extracomment>sentences</extracomment>
        <translation>Laden Sie sie zuerst herunter, und öffnen Sie dann die Datei.</translation>
    </message>
    <message>
        <source>&apos;{text}&apos; names no object.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{text}&apos; nennt kein Objekt.</translation>
    </message>
    <message>
        <source>Write {scheme}://BUCKET/NAME.</source>
        <extracomment>sentences</extracomment>
        <translation>Schreiben Sie {scheme}://BUCKET/NAME.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; cannot be written: Pruneapp reads from Hugging Face and uploads nothing.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; kann nicht geschrieben werden: Pruneapp liest von Hugging Face, lädt aber nichts hoch.</translation>
    </message>
    <message>
        <source>Export to a folder, then upload that with `hf upload`.</source>
        <extracomment>sentences</extracomment>
        <translation>Exportieren Sie in einen Ordner, und laden Sie ihn dann mit `hf upload` hoch.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; cannot be reached: no credentials were found.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist nicht erreichbar: Es wurden keine Zugangsdaten gefunden.</translation>
    </message>
    <message>
        <source>Put them where the tools of AWS look for them (`aws configure`, AWS_PROFILE); for a public bucket, set FSSPEC_S3_ANON=true.</source>
        <extracomment>sentences</extracomment>
        <translation>Legen Sie sie dort ab, wo die Werkzeuge von AWS sie suchen (`aws configure`, AWS_PROFILE); für einen öffentlichen Bucket setzen Sie FSSPEC_S3_ANON=true.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is in a store, and the package {package}, which reaches it, cannot be imported.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist in einem Objektspeicher, und das dafür nötige Paket {package} kann nicht importiert werden.</translation>
    </message>
    <message>
        <source>Install it: {install}</source>
        <extracomment>sentences</extracomment>
        <translation>Installieren Sie es: {install}</translation>
    </message>
    <message>
        <source>&apos;{target}&apos; was not written: the bytes read back from the store differ from those that were written.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{target}&apos; wurde nicht geschrieben: Die aus dem Objektspeicher zurückgelesenen Bytes sind andere als die geschriebenen.</translation>
    </message>
    <message>
        <source>Export again; if it happens again, contact the operator of the store.</source>
        <extracomment>sentences</extracomment>
        <translation>Exportieren Sie noch einmal; geschieht es wieder, melden Sie es dem Betreiber des Objektspeichers.</translation>
    </message>
    <message>
        <source>&apos;{target}&apos; cannot be written: {words_of}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{target}&apos; kann nicht geschrieben werden: {words_of}.</translation>
    </message>
    <message>
        <source>&apos;{target}&apos; {was} during the export, so it was not replaced.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{target}&apos; hat sich während des Exports geändert ({was}) und wurde nicht ersetzt.</translation>
    </message>
    <message>
        <source>Look at it, then export again, or choose another name.</source>
        <extracomment>sentences</extracomment>
        <translation>Sehen Sie nach, und exportieren Sie dann noch einmal, oder wählen Sie einen anderen Namen.</translation>
    </message>
    <message>
        <source>&apos;framework&apos; must be &apos;np&apos; (numpy) or &apos;pt&apos; (torch) (got {framework}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;framework&apos; muss &apos;np&apos; (numpy) oder &apos;pt&apos; (torch) sein (angegeben: {framework}).</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is not a compact file of Pruneapp ({label}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist keine kompakte Datei von Pruneapp ({label}).</translation>
    </message>
    <message>
        <source>Open it with pruneapp.open_checkpoint.</source>
        <extracomment>sentences</extracomment>
        <translation>Öffnen Sie die Datei mit pruneapp.open_checkpoint.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; {what}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; {what}.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is empty.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist leer.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; begins with nothing but zeros.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; beginnt mit nichts als Nullen.</translation>
    </message>
    <message>
        <source>The download was interrupted: get the file again.</source>
        <extracomment>sentences</extracomment>
        <translation>Das Herunterladen wurde unterbrochen: Holen Sie die Datei noch einmal.</translation>
    </message>
    <message>
        <source>The folder &apos;{folder}&apos; holds no checkpoint that Pruneapp knows.</source>
        <extracomment>sentences</extracomment>
        <translation>Der Ordner &apos;{folder}&apos; enthält keinen Checkpoint, den Pruneapp kennt.</translation>
    </message>
    <message>
        <source>Open a folder with {join} or {last} files.</source>
        <extracomment>sentences</extracomment>
        <translation>Öffnen Sie einen Ordner mit Dateien mit der Endung {join} oder {last}.</translation>
    </message>
    <message>
        <source>The folder &apos;{folder}&apos; holds more than one checkpoint: {shown}.</source>
        <extracomment>sentences</extracomment>
        <translation>Der Ordner &apos;{folder}&apos; enthält mehr als einen Checkpoint: {shown}.</translation>
    </message>
    <message>
        <source>Open one of these files.</source>
        <extracomment>sentences</extracomment>
        <translation>Öffnen Sie eine dieser Dateien.</translation>
    </message>
    <message>
        <source>The folder &apos;{folder}&apos; holds {len} of {count} shards of a model and no index.</source>
        <extracomment>sentences</extracomment>
        <translation>Der Ordner &apos;{folder}&apos; enthält {len} von {count} Shards eines Modells und keinen Index.</translation>
    </message>
    <message>
        <source>Download or copy the whole folder, or open one shard by itself.</source>
        <extracomment>sentences</extracomment>
        <translation>Laden Sie den ganzen Ordner herunter, kopieren Sie ihn, oder öffnen Sie einen Shard für sich.</translation>
    </message>
    <message>
        <source>The folder &apos;{folder}&apos; is {what}.</source>
        <extracomment>sentences</extracomment>
        <translation>Der Ordner &apos;{folder}&apos; ist {what}.</translation>
    </message>
    <message>
        <source>The folder &apos;{folder}&apos; cannot be read: {words_of}.</source>
        <extracomment>sentences</extracomment>
        <translation>Der Ordner &apos;{folder}&apos; kann nicht gelesen werden: {words_of}.</translation>
    </message>
    <message>
        <source>Check the folder and your permission to read it.</source>
        <extracomment>sentences</extracomment>
        <translation>Prüfen Sie den Ordner und Ihr Recht, ihn zu lesen.</translation>
    </message>
    <message>
        <source>{get} of &apos;{path}&apos; crashed the process that reads them (exit status {wait}).</source>
        <extracomment>sentences</extracomment>
        <translation>Der Prozess, der &apos;{path}&apos; liest ({get}), ist abgebrochen (Exit-Status {wait}).</translation>
    </message>
    <message>
        <source>There may not be enough memory for them.</source>
        <extracomment>sentences</extracomment>
        <translation>Vielleicht reicht der Speicher dafür nicht.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is damaged: {what} of the sparse tensor &apos;{name}&apos; {rule}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist beschädigt: Der dünnbesetzte Tensor &apos;{name}&apos; verletzt eine Regel ({what} {rule}).</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is damaged: the bytes of {label} are not those that were saved (their checksum differs).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist beschädigt: Die Bytes von {label} sind nicht die gespeicherten (ihre Prüfsumme ist eine andere).</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; holds {size} compressed bytes of tensors, but {value} are needed.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; enthält {size} komprimierte Bytes an Tensoren, nötig sind aber {value}.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; could not be decompressed: its temporary file in &apos;{gettempdir}&apos; is cut short.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; konnte nicht entpackt werden: Die temporäre Datei in &apos;{gettempdir}&apos; ist abgeschnitten.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is compressed, and reading on needs {nbytes} bytes in &apos;{place}&apos;, where {free} are free.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist komprimiert, und weiterzulesen braucht {nbytes} Bytes in &apos;{place}&apos;, wo {free} frei sind.</translation>
    </message>
    <message>
        <source>Make room there, or set TMPDIR to a folder with more.</source>
        <extracomment>sentences</extracomment>
        <translation>Schaffen Sie dort Platz, oder setzen Sie TMPDIR auf einen Ordner mit mehr.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos;: {label} would grow from {stored} to {size} bytes when decompressed, more than the factor of {MAX_RATIO} that deflate can reach.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos;: {label} würde beim Entpacken von {stored} auf {size} Bytes wachsen, mehr als der Faktor {MAX_RATIO}, den deflate erreichen kann.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is compressed and needs {size} bytes in &apos;{gettempdir}&apos;, which failed: {words_of}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist komprimiert und braucht {size} Bytes in &apos;{gettempdir}&apos;, was fehlschlug: {words_of}.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; holds no state dict named &apos;{key}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; enthält kein State-Dict namens &apos;{key}&apos;.</translation>
    </message>
    <message>
        <source>Choose one of: {named}.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie eines von: {named}.</translation>
    </message>
    <message>
        <source>Open the file that holds the weights, or save the state_dict with torch.save.</source>
        <extracomment>sentences</extracomment>
        <translation>Öffnen Sie die Datei mit den Gewichten, oder speichern Sie das state_dict mit torch.save.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; holds no tensors that can be read: {next}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; enthält keine lesbaren Tensoren: {next}.</translation>
    </message>
    <message>
        <source>Load it with torch and save its state_dict as dense tensors.</source>
        <extracomment>sentences</extracomment>
        <translation>Laden Sie die Datei mit torch, und speichern Sie ihr state_dict mit dichten Tensoren.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is damaged: {fault}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist beschädigt: {fault}.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; {fault}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; {fault}.</translation>
    </message>
    <message>
        <source>The cluster at &apos;{address}&apos; is gone.</source>
        <extracomment>sentences</extracomment>
        <translation>Der Cluster unter &apos;{address}&apos; ist nicht mehr da.</translation>
    </message>
    <message>
        <source>Start it again, then run the same job again (on the command line with --resume): what was written is not written again.</source>
        <extracomment>sentences</extracomment>
        <translation>Starten Sie ihn wieder, und wiederholen Sie dasselbe (auf der Befehlszeile mit --resume): Schon Geschriebenes wird nicht noch einmal geschrieben.</translation>
    </message>
    <message>
        <source>Running on a cluster needs Dask, which is not installed.</source>
        <extracomment>sentences</extracomment>
        <translation>Für die Ausführung auf einem Cluster ist Dask nötig, das nicht installiert ist.</translation>
    </message>
    <message>
        <source>Install it: pip install &apos;pruneapp[cluster]&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>Installieren Sie es: pip install &apos;pruneapp[cluster]&apos;.</translation>
    </message>
    <message>
        <source>A cluster is specified by the address of its Dask scheduler, such as tcp://host:8786, or by local:N for N processes on this machine (got &apos;{address}&apos;).</source>
        <extracomment>sentences</extracomment>
        <translation>Ein Cluster wird mit der Adresse seines Dask-Schedulers angegeben, etwa tcp://host:8786, oder mit local:N für N Prozesse auf diesem Rechner (angegeben: &apos;{address}&apos;).</translation>
    </message>
    <message>
        <source>Workers died one after another on the same task.</source>
        <extracomment>sentences</extracomment>
        <translation>Bei derselben Arbeit ist ein Worker nach dem anderen ausgefallen.</translation>
    </message>
    <message>
        <source>Check their logs; they may have too little memory.</source>
        <extracomment>sentences</extracomment>
        <translation>Sehen Sie in ihre Logs; vielleicht haben sie zu wenig Speicher.</translation>
    </message>
    <message>
        <source>The cluster at &apos;{address}&apos; has no workers.</source>
        <extracomment>sentences</extracomment>
        <translation>Der Cluster unter &apos;{address}&apos; hat keine Worker.</translation>
    </message>
    <message>
        <source>Start some, such as with `dask worker ADDRESS`.</source>
        <extracomment>sentences</extracomment>
        <translation>Starten Sie welche, etwa mit `dask worker ADDRESS`.</translation>
    </message>
    <message>
        <source>Pruneapp is not installed on the worker {worker}.</source>
        <extracomment>sentences</extracomment>
        <translation>Auf dem Worker {worker} ist Pruneapp nicht installiert.</translation>
    </message>
    <message>
        <source>Install it there: pip install &apos;pruneapp[cluster]=={version}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>Installieren Sie es dort: pip install &apos;pruneapp[cluster]=={version}&apos;.</translation>
    </message>
    <message>
        <source>No Dask scheduler answers at &apos;{address}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>Unter &apos;{address}&apos; antwortet kein Dask-Scheduler.</translation>
    </message>
    <message>
        <source>Check the address, and that the scheduler runs.</source>
        <extracomment>sentences</extracomment>
        <translation>Prüfen Sie die Adresse und ob der Scheduler läuft.</translation>
    </message>
    <message>
        <source>{counted} could not be started on this machine.</source>
        <extracomment>sentences</extracomment>
        <translation>Auf diesem Rechner ließ sich nicht starten: {counted}.</translation>
    </message>
    <message>
        <source>Choose fewer of them, and check how much memory is free.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie weniger, und sehen Sie nach, wie viel Speicher frei ist.</translation>
    </message>
    <message>
        <source>The worker {worker} has {name} {other}, but this machine has {one}.</source>
        <extracomment>sentences</extracomment>
        <translation>Der Worker {worker} hat {name} {other}, dieser Rechner aber {one}.</translation>
    </message>
    <message>
        <source>its frames have no sound size</source>
        <extracomment>sentences</extracomment>
        <translation>seine Frames haben keine gültige Größe</translation>
    </message>
    <message>
        <source>its metadata lists no tensors</source>
        <extracomment>sentences</extracomment>
        <translation>seine Metadaten führen keine Tensoren auf</translation>
    </message>
    <message>
        <source>what it keeps of the original&apos;s metadata is not text</source>
        <extracomment>sentences</extracomment>
        <translation>was er von den Metadaten des Originals behält, ist kein Text</translation>
    </message>
    <message>
        <source>&apos;{show}&apos; has no sound type and shape</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos; hat keinen gültigen Typ und keine gültige Form</translation>
    </message>
    <message>
        <source>&apos;{show}&apos; is of a type whose elements share bytes</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos; ist von einem Typ, dessen Elemente sich Bytes teilen</translation>
    </message>
    <message>
        <source>&apos;{show}&apos; has the shape {list}</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos; hat die Form {list}</translation>
    </message>
    <message>
        <source>frame {number}</source>
        <extracomment>sentences</extracomment>
        <translation>Frame {number}</translation>
    </message>
    <message>
        <source>the index</source>
        <extracomment>sentences</extracomment>
        <translation>der Index</translation>
    </message>
    <message>
        <source>&apos;{show}&apos; is described twice, in two ways</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos; ist zweimal beschrieben, auf zwei Arten</translation>
    </message>
    <message>
        <source>its metadata &apos;{KEY}&apos; has no version</source>
        <extracomment>sentences</extracomment>
        <translation>seine Metadaten &apos;{KEY}&apos; haben keine Version</translation>
    </message>
    <message>
        <source>it lacks &apos;{show}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>es fehlt &apos;{show}&apos;</translation>
    </message>
    <message>
        <source>&apos;{show}&apos; is of type {tensor}, not {dtype}</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos; ist vom Typ {tensor}, nicht {dtype}</translation>
    </message>
    <message>
        <source>&apos;{show}&apos; has no sound shape</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos; hat keine gültige Form</translation>
    </message>
    <message>
        <source>&apos;{show}&apos; has more than 2^63 elements</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos; hat mehr als 2^63 Elemente</translation>
    </message>
    <message>
        <source>in its metadata &apos;{KEY}&apos;, {what}</source>
        <extracomment>sentences</extracomment>
        <translation>in seinen Metadaten &apos;{KEY}&apos;: {what}</translation>
    </message>
    <message>
        <source>&apos;{show}&apos; does not have {numel} numbers</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos; hat nicht {numel} Zahlen</translation>
    </message>
    <message>
        <source>a pair of texts has no length</source>
        <extracomment>sentences</extracomment>
        <translation>ein Paar von Texten hat keine Länge</translation>
    </message>
    <message>
        <source>it has {value} graphs instead of one</source>
        <extracomment>sentences</extracomment>
        <translation>sie hat {value} Graphen statt einem</translation>
    </message>
    <message>
        <source>graphs lie in graphs, {MOST_NESTED} deep</source>
        <extracomment>sentences</extracomment>
        <translation>Graphen liegen {MOST_NESTED} tief in Graphen</translation>
    </message>
    <message>
        <source>two tensors are called &apos;{show}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>zwei Tensoren heißen &apos;{show}&apos;</translation>
    </message>
    <message>
        <source>&apos;{show}&apos; has an extent that no tensor can have</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos; hat eine Ausdehnung, die kein Tensor haben kann</translation>
    </message>
    <message>
        <source>&apos;{show}&apos; lies at an unknown kind of place</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos; liegt an einem Ort unbekannter Art</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is of the unknown type {data_type}</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; ist vom unbekannten Typ {data_type}</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has no numbers</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; hat keine Zahlen</translation>
    </message>
    <message>
        <source>the numbers of &apos;{name}&apos; have no length</source>
        <extracomment>sentences</extracomment>
        <translation>die Zahlen von &apos;{name}&apos; haben keine Länge</translation>
    </message>
    <message>
        <source>the numbers of &apos;{name}&apos; are in a field for another type</source>
        <extracomment>sentences</extracomment>
        <translation>die Zahlen von &apos;{name}&apos; stehen in einem Feld für einen anderen Typ</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has {size} bytes, not {nbytes}</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; hat {size} Bytes, nicht {nbytes}</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; would have {length} bytes in &apos;{show}&apos;, not {nbytes}</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; hätte {length} Bytes in &apos;{show}&apos;, nicht {nbytes}</translation>
    </message>
    <message>
        <source>&apos;{show}&apos; has the {key} &apos;{show2}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos; hat als {key} &apos;{show2}&apos;</translation>
    </message>
    <message>
        <source>a part of the graph has no length</source>
        <extracomment>sentences</extracomment>
        <translation>ein Teil des Graphen hat keine Länge</translation>
    </message>
    <message>
        <source>a part of a node has no length</source>
        <extracomment>sentences</extracomment>
        <translation>ein Teil eines Knotens hat keine Länge</translation>
    </message>
    <message>
        <source>a part of an attribute has no length</source>
        <extracomment>sentences</extracomment>
        <translation>ein Teil eines Attributs hat keine Länge</translation>
    </message>
    <message>
        <source>the graph has no length</source>
        <extracomment>sentences</extracomment>
        <translation>der Graph hat keine Länge</translation>
    </message>
    <message>
        <source>a tensor has over {MAX_RANK} dimensions</source>
        <extracomment>sentences</extracomment>
        <translation>ein Tensor hat über {MAX_RANK} Dimensionen</translation>
    </message>
    <message>
        <source>the type of a tensor is no number</source>
        <extracomment>sentences</extracomment>
        <translation>der Typ eines Tensors ist keine Zahl</translation>
    </message>
    <message>
        <source>its shape is no list of a few whole numbers</source>
        <extracomment>sentences</extracomment>
        <translation>seine Form ist keine Liste weniger ganzer Zahlen</translation>
    </message>
    <message>
        <source>its shape is {list}</source>
        <extracomment>sentences</extracomment>
        <translation>seine Form ist {list}</translation>
    </message>
    <message>
        <source>its bitmask is not that of the shape {list}</source>
        <extracomment>sentences</extracomment>
        <translation>seine Bitmaske ist nicht die der Form {list}</translation>
    </message>
    <message>
        <source>its numbers are of type {dtype}</source>
        <extracomment>sentences</extracomment>
        <translation>seine Zahlen sind vom Typ {dtype}</translation>
    </message>
    <message>
        <source>its metadata lists no shapes</source>
        <extracomment>sentences</extracomment>
        <translation>seine Metadaten führen keine Formen auf</translation>
    </message>
    <message>
        <source>&apos;{value}&apos; has {value2} bytes, not one bit for each of {numel}</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{value}&apos; hat {value2} Bytes, nicht je ein Bit für {numel} Elemente</translation>
    </message>
    <message>
        <source>a number does not end</source>
        <extracomment>sentences</extracomment>
        <translation>eine Zahl endet nicht</translation>
    </message>
    <message>
        <source>a name has {size} bytes, {most} are the most</source>
        <extracomment>sentences</extracomment>
        <translation>ein Name hat {size} Bytes, höchstens {most} sind möglich</translation>
    </message>
    <message>
        <source>a field has the number {number}</source>
        <extracomment>sentences</extracomment>
        <translation>ein Feld hat die Nummer {number}</translation>
    </message>
    <message>
        <source>whole numbers are of wire type {wire}</source>
        <extracomment>sentences</extracomment>
        <translation>ganze Zahlen sind vom Wire-Typ {wire}</translation>
    </message>
    <message>
        <source>a name is no UTF-8 text</source>
        <extracomment>sentences</extracomment>
        <translation>ein Name ist kein UTF-8-Text</translation>
    </message>
    <message>
        <source>a field is longer than what it lies in</source>
        <extracomment>sentences</extracomment>
        <translation>ein Feld ist länger als das, worin es liegt</translation>
    </message>
    <message>
        <source>a field is of wire type {wire}</source>
        <extracomment>sentences</extracomment>
        <translation>ein Feld ist vom Wire-Typ {wire}</translation>
    </message>
    <message>
        <source>the zip archive contradicts itself about the checksum of &apos;{name}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>das Zip-Archiv widerspricht sich bei der Prüfsumme von &apos;{name}&apos;</translation>
    </message>
    <message>
        <source>the zip directory lacks the size of &apos;{name}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>im Zip-Verzeichnis fehlt die Größe von &apos;{name}&apos;</translation>
    </message>
    <message>
        <source>Join the parts with the program that made them (zip -s 0 IN.zip --out OUT.zip).</source>
        <extracomment>sentences</extracomment>
        <translation>Fügen Sie die Teile mit dem Programm zusammen, das sie erzeugt hat (zip -s 0 IN.zip --out OUT.zip).</translation>
    </message>
    <message>
        <source>is a zip archive of more than one folder (&apos;{first}&apos; and &apos;{second}&apos;), which torch.save never writes</source>
        <extracomment>sentences</extracomment>
        <translation>ist ein Zip-Archiv aus mehreren Ordnern (&apos;{first}&apos; und &apos;{second}&apos;), was torch.save nie schreibt</translation>
    </message>
    <message>
        <source>its zip archive holds &apos;{name}&apos; twice</source>
        <extracomment>sentences</extracomment>
        <translation>sein Zip-Archiv enthält &apos;{name}&apos; zweimal</translation>
    </message>
    <message>
        <source>a column</source>
        <extracomment>sentences</extracomment>
        <translation>eine Spalte</translation>
    </message>
    <message>
        <source>is not between 0 and {value}</source>
        <extracomment>sentences</extracomment>
        <translation>liegt nicht zwischen 0 und {value}</translation>
    </message>
    <message>
        <source>the columns</source>
        <extracomment>sentences</extracomment>
        <translation>die Spalten</translation>
    </message>
    <message>
        <source>do not ascend within a row</source>
        <extracomment>sentences</extracomment>
        <translation>steigen in einer Zeile nicht an</translation>
    </message>
    <message>
        <source>a row pointer</source>
        <extracomment>sentences</extracomment>
        <translation>ein Zeilenzeiger</translation>
    </message>
    <message>
        <source>is not between 0 and {count}</source>
        <extracomment>sentences</extracomment>
        <translation>liegt nicht zwischen 0 und {count}</translation>
    </message>
    <message>
        <source>the row pointers</source>
        <extracomment>sentences</extracomment>
        <translation>die Zeilenzeiger</translation>
    </message>
    <message>
        <source>do not go from 0 to its {count} values</source>
        <extracomment>sentences</extracomment>
        <translation>gehen nicht von 0 bis zu seinen {count} Werten</translation>
    </message>
    <message>
        <source>do not ascend</source>
        <extracomment>sentences</extracomment>
        <translation>steigen nicht an</translation>
    </message>
    <message>
        <source>is a program that was compiled ahead of time (AOTInductor), and holds no graph</source>
        <extracomment>sentences</extracomment>
        <translation>ist ein vorab übersetztes Programm (AOTInductor) und enthält keinen Graphen</translation>
    </message>
    <message>
        <source>Open the program that torch.export.save wrote before it was compiled.</source>
        <extracomment>sentences</extracomment>
        <translation>Öffnen Sie das Programm, das torch.export.save vor dem Übersetzen geschrieben hat.</translation>
    </message>
    <message>
        <source>is an archive of torch.export of version {shown}, and only version 0 is known</source>
        <extracomment>sentences</extracomment>
        <translation>ist ein Archiv von torch.export der Version {shown}, und nur Version 0 ist bekannt</translation>
    </message>
    <message>
        <source>Update Pruneapp, or export the model with an older torch.</source>
        <extracomment>sentences</extracomment>
        <translation>Aktualisieren Sie Pruneapp, oder exportieren Sie das Modell mit einem älteren torch.</translation>
    </message>
    <message>
        <source>is a program of version {major} of the schema of torch.export, and only version {MAJOR} is known</source>
        <extracomment>sentences</extracomment>
        <translation>ist ein Programm der Version {major} des Schemas von torch.export, und nur Version {MAJOR} ist bekannt</translation>
    </message>
    <message>
        <source>Export the model again with the torch that Pruneapp knows, or update Pruneapp.</source>
        <extracomment>sentences</extracomment>
        <translation>Exportieren Sie das Modell erneut mit dem torch, das Pruneapp kennt, oder aktualisieren Sie Pruneapp.</translation>
    </message>
    <message>
        <source>is a program of torch.export that keeps its weights in a pickle</source>
        <extracomment>sentences</extracomment>
        <translation>ist ein Programm von torch.export, das seine Gewichte in einem Pickle ablegt</translation>
    </message>
    <message>
        <source>Export the model again with torch.export.save of torch 2.9 or newer.</source>
        <extracomment>sentences</extracomment>
        <translation>Exportieren Sie das Modell erneut mit torch.export.save von torch 2.9 oder neuer.</translation>
    </message>
    <message>
        <source>what its JSON says of &apos;{where}&apos; has no {key} as it should be</source>
        <extracomment>sentences</extracomment>
        <translation>was sein JSON von &apos;{where}&apos; sagt, hat kein richtiges {key}</translation>
    </message>
    <message>
        <source>the numbers of &apos;{name}&apos; are missing</source>
        <extracomment>sentences</extracomment>
        <translation>die Zahlen von &apos;{name}&apos; fehlen</translation>
    </message>
    <message>
        <source>its &apos;{name}&apos; cannot be read: {what}</source>
        <extracomment>sentences</extracomment>
        <translation>sein &apos;{name}&apos; kann nicht gelesen werden: {what}</translation>
    </message>
    <message>
        <source>it does not begin with torch&apos;s magic number</source>
        <extracomment>sentences</extracomment>
        <translation>er beginnt nicht mit der Kennzahl von torch</translation>
    </message>
    <message>
        <source>has a version of torch&apos;s old format other than {PROTOCOL}</source>
        <extracomment>sentences</extracomment>
        <translation>hat eine andere Version des alten Formats von torch als {PROTOCOL}</translation>
    </message>
    <message>
        <source>the list of its storages is not well-formed</source>
        <extracomment>sentences</extracomment>
        <translation>die Liste seiner Storages ist nicht wohlgeformt</translation>
    </message>
    <message>
        <source>the list of its storages holds one twice</source>
        <extracomment>sentences</extracomment>
        <translation>die Liste seiner Storages enthält eines zweimal</translation>
    </message>
    <message>
        <source>storage &apos;{value}&apos; is missing</source>
        <extracomment>sentences</extracomment>
        <translation>Storage &apos;{value}&apos; fehlt</translation>
    </message>
    <message>
        <source>it is cut short, {counted} missing</source>
        <extracomment>sentences</extracomment>
        <translation>er ist abgeschnitten, es fehlen {counted}</translation>
    </message>
    <message>
        <source>storage &apos;{key}&apos; should have {value} elements and has {count}</source>
        <extracomment>sentences</extracomment>
        <translation>Storage &apos;{key}&apos; sollte {value} Elemente haben und hat {count}</translation>
    </message>
    <message>
        <source>the state of a numpy array in its pickle is not well-formed</source>
        <extracomment>sentences</extracomment>
        <translation>der Zustand eines numpy-Arrays in seinem Pickle ist nicht wohlgeformt</translation>
    </message>
    <message>
        <source>a numpy array of shape {list} needs {nbytes} bytes and has {len}</source>
        <extracomment>sentences</extracomment>
        <translation>ein numpy-Array der Form {list} braucht {nbytes} Bytes und hat {len}</translation>
    </message>
    <message>
        <source>the type of a numpy array in its pickle is not well-formed</source>
        <extracomment>sentences</extracomment>
        <translation>der Typ eines numpy-Arrays in seinem Pickle ist nicht wohlgeformt</translation>
    </message>
    <message>
        <source>the shape of a numpy array in its pickle is not well-formed</source>
        <extracomment>sentences</extracomment>
        <translation>die Form eines numpy-Arrays in seinem Pickle ist nicht wohlgeformt</translation>
    </message>
    <message>
        <source>the shape of a numpy array holds something that is no whole number</source>
        <extracomment>sentences</extracomment>
        <translation>die Form eines numpy-Arrays enthält etwas, das keine ganze Zahl ist</translation>
    </message>
    <message>
        <source>a numpy array is larger than any memory</source>
        <extracomment>sentences</extracomment>
        <translation>ein numpy-Array ist größer als jeder Arbeitsspeicher</translation>
    </message>
    <message>
        <source>the order of the axes of a numpy array is not well-formed</source>
        <extracomment>sentences</extracomment>
        <translation>die Reihenfolge der Achsen eines numpy-Arrays ist nicht wohlgeformt</translation>
    </message>
    <message>
        <source>the order of a numpy array in its pickle is not well-formed</source>
        <extracomment>sentences</extracomment>
        <translation>die Reihenfolge eines numpy-Arrays in seinem Pickle ist nicht wohlgeformt</translation>
    </message>
    <message>
        <source>{path} is given {len} values and needs {count}</source>
        <extracomment>sentences</extracomment>
        <translation>{path} erhält {len} Werte und braucht {count}</translation>
    </message>
    <message>
        <source>a tensor in its pickle views bytes without a type</source>
        <extracomment>sentences</extracomment>
        <translation>ein Tensor in seinem Pickle sieht Bytes ohne Typ</translation>
    </message>
    <message>
        <source>a tensor has the unknown type {named}</source>
        <extracomment>sentences</extracomment>
        <translation>ein Tensor hat den unbekannten Typ {named}</translation>
    </message>
    <message>
        <source>a sparse tensor has the unknown layout {layout}</source>
        <extracomment>sentences</extracomment>
        <translation>ein dünnbesetzter Tensor hat das unbekannte Layout {layout}</translation>
    </message>
    <message>
        <source>the size of a sparse tensor holds something that is no whole number</source>
        <extracomment>sentences</extracomment>
        <translation>die Größe eines dünnbesetzten Tensors enthält etwas, das keine ganze Zahl ist</translation>
    </message>
    <message>
        <source>a nested tensor lacks one of its parts</source>
        <extracomment>sentences</extracomment>
        <translation>einem verschachtelten Tensor fehlt ein Teil</translation>
    </message>
    <message>
        <source>a sparse tensor lacks its {name}</source>
        <extracomment>sentences</extracomment>
        <translation>einem dünnbesetzten Tensor fehlt {name}</translation>
    </message>
    <message>
        <source>bytes in its pickle are not well-formed</source>
        <extracomment>sentences</extracomment>
        <translation>Bytes in seinem Pickle sind nicht wohlgeformt</translation>
    </message>
    <message>
        <source>{path} is given something that is no pair</source>
        <extracomment>sentences</extracomment>
        <translation>{path} erhält etwas, das kein Paar ist</translation>
    </message>
    <message>
        <source>the indices of the sparse tensor &apos;{name}&apos; are no whole numbers</source>
        <extracomment>sentences</extracomment>
        <translation>die Indizes des dünnbesetzten Tensors &apos;{name}&apos; sind keine ganzen Zahlen</translation>
    </message>
    <message>
        <source>an index of the sparse tensor &apos;{name}&apos; points outside it</source>
        <extracomment>sentences</extracomment>
        <translation>ein Index des dünnbesetzten Tensors &apos;{name}&apos; zeigt über ihn hinaus</translation>
    </message>
    <message>
        <source>the name of a tensor has more than {MAX_NAME} characters</source>
        <extracomment>sentences</extracomment>
        <translation>der Name eines Tensors hat mehr als {MAX_NAME} Zeichen</translation>
    </message>
    <message>
        <source>the names of its tensors are longer than any model&apos;s</source>
        <extracomment>sentences</extracomment>
        <translation>die Namen seiner Tensoren sind länger als die jedes Modells</translation>
    </message>
    <message>
        <source>its pickle refers to the same tensors too many times</source>
        <extracomment>sentences</extracomment>
        <translation>sein Pickle verweist zu oft auf dieselben Tensoren</translation>
    </message>
    <message>
        <source>a storage has the unknown type {named}</source>
        <extracomment>sentences</extracomment>
        <translation>ein Storage hat den unbekannten Typ {named}</translation>
    </message>
    <message>
        <source>the size of a storage is no whole number</source>
        <extracomment>sentences</extracomment>
        <translation>die Größe eines Storage ist keine ganze Zahl</translation>
    </message>
    <message>
        <source>a tensor in its pickle has no storage</source>
        <extracomment>sentences</extracomment>
        <translation>ein Tensor in seinem Pickle hat kein Storage</translation>
    </message>
    <message>
        <source>a tensor has {len} dimensions and {len2} strides</source>
        <extracomment>sentences</extracomment>
        <translation>ein Tensor hat {len} Dimensionen und {len2} Schrittweiten</translation>
    </message>
    <message>
        <source>a tensor has {len} dimensions (at most {MAX_RANK} are read)</source>
        <extracomment>sentences</extracomment>
        <translation>ein Tensor hat {len} Dimensionen (höchstens {MAX_RANK} werden gelesen)</translation>
    </message>
    <message>
        <source>a tensor is larger than any memory</source>
        <extracomment>sentences</extracomment>
        <translation>ein Tensor ist größer als jeder Arbeitsspeicher</translation>
    </message>
    <message>
        <source>the {what} of a tensor is no tuple</source>
        <extracomment>sentences</extracomment>
        <translation>{what} eines Tensors ist kein Tupel</translation>
    </message>
    <message>
        <source>the {what} of a tensor holds something that is no whole number</source>
        <extracomment>sentences</extracomment>
        <translation>{what} eines Tensors enthält etwas, das keine ganze Zahl ist</translation>
    </message>
    <message>
        <source>the {what} of a tensor holds {value}</source>
        <extracomment>sentences</extracomment>
        <translation>{what} eines Tensors enthält {value}</translation>
    </message>
    <message>
        <source>its pickle refers to something that is no storage</source>
        <extracomment>sentences</extracomment>
        <translation>sein Pickle verweist auf etwas, das kein Storage ist</translation>
    </message>
    <message>
        <source>a storage in its pickle has no name</source>
        <extracomment>sentences</extracomment>
        <translation>ein Storage in seinem Pickle hat keinen Namen</translation>
    </message>
    <message>
        <source>the view of storage &apos;{key}&apos; is not well-formed</source>
        <extracomment>sentences</extracomment>
        <translation>die Sicht auf Storage &apos;{key}&apos; ist nicht wohlgeformt</translation>
    </message>
    <message>
        <source>a view of storage &apos;{key}&apos; goes beyond its end</source>
        <extracomment>sentences</extracomment>
        <translation>eine Sicht auf Storage &apos;{key}&apos; reicht über dessen Ende hinaus</translation>
    </message>
    <message>
        <source>a tensor of shape {list} needs {needed} bytes of storage &apos;{key}&apos;, which has {nbytes}</source>
        <extracomment>sentences</extracomment>
        <translation>ein Tensor der Form {list} braucht {needed} Bytes von Storage &apos;{key}&apos;, das {nbytes} hat</translation>
    </message>
    <message>
        <source>a tensor of shape {list} makes {value} bytes out of a storage of {nbytes}</source>
        <extracomment>sentences</extracomment>
        <translation>ein Tensor der Form {list} macht {value} Bytes aus einem Storage von {nbytes}</translation>
    </message>
    <message>
        <source>storage &apos;{key}&apos; is said to have {nbytes} and {nbytes2} bytes</source>
        <extracomment>sentences</extracomment>
        <translation>Storage &apos;{key}&apos; soll {nbytes} und {nbytes2} Bytes haben</translation>
    </message>
    <message>
        <source>an instruction of its pickle lacks its operands</source>
        <extracomment>sentences</extracomment>
        <translation>einer Anweisung seines Pickles fehlen die Operanden</translation>
    </message>
    <message>
        <source>a number has {len} digits (at most 154 are read)</source>
        <extracomment>sentences</extracomment>
        <translation>eine Zahl hat {len} Stellen (höchstens 154 werden gelesen)</translation>
    </message>
    <message>
        <source>a line of the pickle should be text in quotes, and is not</source>
        <extracomment>sentences</extracomment>
        <translation>eine Zeile des Pickles sollte Text in Anführungszeichen sein und ist es nicht</translation>
    </message>
    <message>
        <source>its pickle has more than {MAX_OPS} instructions</source>
        <extracomment>sentences</extracomment>
        <translation>sein Pickle hat mehr als {MAX_OPS} Anweisungen</translation>
    </message>
    <message>
        <source>byte {value} of its pickle, {code}, is no instruction</source>
        <extracomment>sentences</extracomment>
        <translation>Byte {value} seines Pickles, {code}, ist keine Anweisung</translation>
    </message>
    <message>
        <source>its pickle has a key without a value</source>
        <extracomment>sentences</extracomment>
        <translation>sein Pickle hat einen Schlüssel ohne Wert</translation>
    </message>
    <message>
        <source>a line of the pickle should be a number, and is not</source>
        <extracomment>sentences</extracomment>
        <translation>eine Zeile des Pickles sollte eine Zahl sein und ist es nicht</translation>
    </message>
    <message>
        <source>a text in the pickle is not UTF-8</source>
        <extracomment>sentences</extracomment>
        <translation>ein Text im Pickle ist nicht UTF-8</translation>
    </message>
    <message>
        <source>a text in its pickle has {size} bytes (at most {MAX_TEXT})</source>
        <extracomment>sentences</extracomment>
        <translation>ein Text in seinem Pickle hat {size} Bytes (höchstens {MAX_TEXT})</translation>
    </message>
    <message>
        <source>its pickle ends in the middle</source>
        <extracomment>sentences</extracomment>
        <translation>sein Pickle endet mittendrin</translation>
    </message>
    <message>
        <source>its pickle has protocol {version} (at most 5 is known)</source>
        <extracomment>sentences</extracomment>
        <translation>sein Pickle hat Protokoll {version} (höchstens 5 ist bekannt)</translation>
    </message>
    <message>
        <source>a number has {size} bytes (at most {MAX_LONG_BYTES} are read)</source>
        <extracomment>sentences</extracomment>
        <translation>eine Zahl hat {size} Bytes (höchstens {MAX_LONG_BYTES} werden gelesen)</translation>
    </message>
    <message>
        <source>its pickle is nested more than {MAX_DEPTH} deep</source>
        <extracomment>sentences</extracomment>
        <translation>sein Pickle ist mehr als {MAX_DEPTH} tief verschachtelt</translation>
    </message>
    <message>
        <source>its pickle remembers an object as number {index}</source>
        <extracomment>sentences</extracomment>
        <translation>sein Pickle merkt sich ein Objekt als Nummer {index}</translation>
    </message>
    <message>
        <source>its pickle names code by something that is no text</source>
        <extracomment>sentences</extracomment>
        <translation>sein Pickle benennt Code durch etwas, das kein Text ist</translation>
    </message>
    <message>
        <source>its pickle calls something that is no function</source>
        <extracomment>sentences</extracomment>
        <translation>sein Pickle ruft etwas auf, das keine Funktion ist</translation>
    </message>
    <message>
        <source>its pickle calls a function with something that is no tuple</source>
        <extracomment>sentences</extracomment>
        <translation>sein Pickle ruft eine Funktion mit etwas auf, das kein Tupel ist</translation>
    </message>
    <message>
        <source>its pickle appends to something that is no list</source>
        <extracomment>sentences</extracomment>
        <translation>sein Pickle hängt an etwas an, das keine Liste ist</translation>
    </message>
    <message>
        <source>its pickle sets an item of something that is no dict</source>
        <extracomment>sentences</extracomment>
        <translation>sein Pickle setzt einen Eintrag von etwas, das kein Dict ist</translation>
    </message>
    <message>
        <source>a line of its pickle has more than {MAX_TEXT} bytes</source>
        <extracomment>sentences</extracomment>
        <translation>eine Zeile seines Pickles hat mehr als {MAX_TEXT} Bytes</translation>
    </message>
    <message>
        <source>a text in its pickle is not well-formed</source>
        <extracomment>sentences</extracomment>
        <translation>ein Text in seinem Pickle ist nicht wohlgeformt</translation>
    </message>
    <message>
        <source>its pickle refers to an object that it does not hold</source>
        <extracomment>sentences</extracomment>
        <translation>sein Pickle verweist auf ein Objekt, das es nicht enthält</translation>
    </message>
    <message>
        <source>its pickle sets the state of something that has none</source>
        <extracomment>sentences</extracomment>
        <translation>sein Pickle setzt den Zustand von etwas, das keinen hat</translation>
    </message>
    <message>
        <source>its byteorder is neither little nor big</source>
        <extracomment>sentences</extracomment>
        <translation>seine Byte-Reihenfolge ist weder little noch big</translation>
    </message>
    <message>
        <source>Install the same versions everywhere.</source>
        <extracomment>sentences</extracomment>
        <translation>Installieren Sie überall dieselben Versionen.</translation>
    </message>
    <message>
        <source>{counted} died one after another on the same task ({value}).</source>
        <extracomment>sentences</extracomment>
        <translation>Nacheinander ausgefallen bei derselben Arbeit ({value}): {counted}.</translation>
    </message>
    <message>
        <source>{n} process</source>
        <extracomment>sentences</extracomment>
        <translation>{n} Prozess</translation>
    </message>
    <message>
        <source>{n} processes</source>
        <extracomment>sentences</extracomment>
        <translation>{n} Prozesse</translation>
    </message>
    <message>
        <source>{n} worker</source>
        <extracomment>sentences</extracomment>
        <translation>{n} Worker</translation>
    </message>
    <message>
        <source>{n} workers</source>
        <extracomment>sentences</extracomment>
        <translation>{n} Worker</translation>
    </message>
    <message>
        <source>The format &apos;{form}&apos; cannot be written on a cluster yet.</source>
        <extracomment>sentences</extracomment>
        <translation>Das Format &apos;{form}&apos; kann auf einem Cluster noch nicht geschrieben werden.</translation>
    </message>
    <message>
        <source>Choose safetensors, and convert it afterwards.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie safetensors, und konvertieren Sie danach.</translation>
    </message>
    <message>
        <source>&apos;{target}&apos; cannot be written on a cluster: S3 is the only store that accepts an object in parts from several machines.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{target}&apos; kann auf einem Cluster nicht geschrieben werden: Von den Objektspeichern nimmt nur S3 ein Objekt in Teilen von mehreren Rechnern an.</translation>
    </message>
    <message>
        <source>Write to S3, or to a folder that every worker sees.</source>
        <extracomment>sentences</extracomment>
        <translation>Schreiben Sie nach S3 oder in einen Ordner, den jeder Worker sieht.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; would have {nbytes} bytes there, but {nbytes2} were planned, which is a bug in Pruneapp.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; hätte dort {nbytes} Bytes, geplant waren aber {nbytes2}: ein Fehler von Pruneapp.</translation>
    </message>
    <message>
        <source>Run it without --cluster, and report this.</source>
        <extracomment>sentences</extracomment>
        <translation>Führen Sie es ohne --cluster aus, und melden Sie das.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; holds masks beside its weights, which cannot be used on a cluster yet.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; enthält neben den Gewichten Masken, was auf einem Cluster noch nicht geht.</translation>
    </message>
    <message>
        <source>Run it on this machine.</source>
        <extracomment>sentences</extracomment>
        <translation>Führen Sie es auf diesem Rechner aus.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is a different file there: its size or modification time differs from that on the client.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist dort eine andere Datei: Ihre Größe oder Änderungszeit ist eine andere als beim Client.</translation>
    </message>
    <message>
        <source>Use a path that every worker sees, and do not change the model meanwhile.</source>
        <extracomment>sentences</extracomment>
        <translation>Verwenden Sie einen Pfad, den jeder Worker sieht, und ändern Sie das Modell inzwischen nicht.</translation>
    </message>
    <message>
        <source>Use a path that every worker sees.</source>
        <extracomment>sentences</extracomment>
        <translation>Verwenden Sie einen Pfad, den jeder Worker sieht.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; cannot be opened there: {sentence}</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; kann dort nicht geöffnet werden: {sentence}</translation>
    </message>
    <message>
        <source>Use a path that every worker sees, such as one on a shared file system.</source>
        <extracomment>sentences</extracomment>
        <translation>Verwenden Sie einen Pfad, den jeder Worker sieht, etwa auf einem gemeinsamen Dateisystem.</translation>
    </message>
    <message>
        <source>The statistics &apos;{path}&apos; are not there.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Statistik &apos;{path}&apos; ist dort nicht vorhanden.</translation>
    </message>
    <message>
        <source>{what} cannot run on a cluster yet.</source>
        <extracomment>sentences</extracomment>
        <translation>Auf einem Cluster noch nicht möglich: {what}.</translation>
    </message>
    <message>
        <source>&apos;{method}&apos; is a custom method, which workers do not have.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{method}&apos; ist eine eigene Methode, die Worker nicht haben.</translation>
    </message>
    <message>
        <source>&apos;{method}&apos; takes masks from a file, which cannot run on a cluster yet.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{method}&apos; nimmt Masken aus einer Datei, was auf einem Cluster noch nicht geht.</translation>
    </message>
    <message>
        <source>The preview belongs to a state of the document that no longer exists.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Vorschau gehört zu einem Zustand des Dokuments, den es nicht mehr gibt.</translation>
    </message>
    <message>
        <source>Compute it again.</source>
        <extracomment>sentences</extracomment>
        <translation>Berechnen Sie sie noch einmal.</translation>
    </message>
    <message>
        <source>This branch has the current state, so it cannot be deleted.</source>
        <extracomment>sentences</extracomment>
        <translation>Dieser Zweig enthält den aktuellen Zustand und kann daher nicht gelöscht werden.</translation>
    </message>
    <message>
        <source>Go to a state of another branch, or to one before it, then delete it.</source>
        <extracomment>sentences</extracomment>
        <translation>Gehen Sie zu einem Zustand eines anderen Zweigs oder zu einem davor, und löschen Sie ihn dann.</translation>
    </message>
    <message>
        <source>This state is not in the history any more.</source>
        <extracomment>sentences</extracomment>
        <translation>Diesen Zustand gibt es im Verlauf nicht mehr.</translation>
    </message>
    <message>
        <source>Try again.</source>
        <extracomment>sentences</extracomment>
        <translation>Versuchen Sie es noch einmal.</translation>
    </message>
    <message>
        <source>The values of &apos;{name}&apos; cannot be written to the scratch file: {words_of}.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Werte von &apos;{name}&apos; können nicht in die Arbeitsdatei geschrieben werden: {words_of}.</translation>
    </message>
    <message>
        <source>Make room on the disk, then try again.</source>
        <extracomment>sentences</extracomment>
        <translation>Schaffen Sie Platz auf der Festplatte, und versuchen Sie es dann noch einmal.</translation>
    </message>
    <message>
        <source>A mask of the history cannot be read again: {words_of}.</source>
        <extracomment>sentences</extracomment>
        <translation>Eine Maske des Verlaufs kann nicht wieder gelesen werden: {words_of}.</translation>
    </message>
    <message>
        <source>The current state is unchanged and can still be exported.</source>
        <extracomment>sentences</extracomment>
        <translation>Der aktuelle Zustand ist unverändert und kann noch exportiert werden.</translation>
    </message>
    <message>
        <source>No tensor in &apos;{name}&apos; matches &apos;{pattern}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>Kein Tensor in &apos;{name}&apos; passt zu &apos;{pattern}&apos;.</translation>
    </message>
    <message>
        <source>Nearest: {join}.</source>
        <extracomment>sentences</extracomment>
        <translation>Am ähnlichsten: {join}.</translation>
    </message>
    <message>
        <source>&apos;{pattern}&apos; matches nothing that can be pruned: &apos;{name}&apos; ({why_not}){more}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{pattern}&apos; passt zu nichts, was geprunt werden kann: &apos;{name}&apos; ({why_not}){more}.</translation>
    </message>
    <message>
        <source>Choose another pattern.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie ein anderes Muster.</translation>
    </message>
    <message>
        <source>No pattern was given.</source>
        <extracomment>sentences</extracomment>
        <translation>Kein Muster wurde angegeben.</translation>
    </message>
    <message>
        <source>Use &apos;*&apos; for every tensor.</source>
        <extracomment>sentences</extracomment>
        <translation>Verwenden Sie &apos;*&apos; für alle Tensoren.</translation>
    </message>
    <message>
        <source>No tensor is selected.</source>
        <extracomment>sentences</extracomment>
        <translation>Kein Tensor ist gewählt.</translation>
    </message>
    <message>
        <source>Check one, or give a pattern.</source>
        <extracomment>sentences</extracomment>
        <translation>Kreuzen Sie einen an, oder geben Sie ein Muster an.</translation>
    </message>
    <message>
        <source>A pattern has at most {LONGEST_PATTERN} characters, and this one has {len}.</source>
        <extracomment>sentences</extracomment>
        <translation>Ein Muster hat höchstens {LONGEST_PATTERN} Zeichen, dieses hat {len}.</translation>
    </message>
    <message>
        <source>Separate several patterns by commas.</source>
        <extracomment>sentences</extracomment>
        <translation>Trennen Sie mehrere Muster durch Kommas.</translation>
    </message>
    <message>
        <source>All selected tensors are excluded ({limits}), so there is nothing to do.</source>
        <extracomment>sentences</extracomment>
        <translation>Alle gewählten Tensoren sind ausgenommen ({limits}), also gibt es nichts zu tun.</translation>
    </message>
    <message>
        <source>Select more tensors, or exclude fewer.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie mehr Tensoren, oder nehmen Sie weniger aus.</translation>
    </message>
    <message>
        <source>Choose another method.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie eine andere Methode.</translation>
    </message>
    <message>
        <source>In a model of type &apos;{model_type}&apos; a norm follows the sum, so zeros do not have the effect of removing {lower}.</source>
        <extracomment>sentences</extracomment>
        <translation>In einem Modell der Art &apos;{model_type}&apos; folgt auf die Summe eine Norm-Schicht, sodass Nullen nicht dasselbe bewirken wie das Weglassen ({lower}).</translation>
    </message>
    <message>
        <source>A shrunk export can remove them.</source>
        <extracomment>sentences</extracomment>
        <translation>Ein verkleinerter Export kann sie entfernen.</translation>
    </message>
    <message>
        <source>None of the selected tensors has a part in {label}.</source>
        <extracomment>sentences</extracomment>
        <translation>Keiner der gewählten Tensoren hat Anteil an {label}.</translation>
    </message>
    <message>
        <source>Select one such as &apos;{names}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie etwa &apos;{names}&apos;.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; cannot be pruned: {why_not}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; kann nicht geprunt werden: {why_not}.</translation>
    </message>
    <message>
        <source>Uncheck it.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie den Tensor ab.</translation>
    </message>
    <message>
        <source>A step needs at least one row (got none).</source>
        <extracomment>sentences</extracomment>
        <translation>Ein Schritt braucht mindestens eine Regel (angegeben: keine).</translation>
    </message>
    <message>
        <source>Add one.</source>
        <extracomment>sentences</extracomment>
        <translation>Fügen Sie eine hinzu.</translation>
    </message>
    <message>
        <source>This step prunes nothing, so limits do not apply ({join}).</source>
        <extracomment>sentences</extracomment>
        <translation>Dieser Schritt prunt nichts, also gelten Grenzen nicht ({join}).</translation>
    </message>
    <message>
        <source>Remove them, or choose a method that prunes.</source>
        <extracomment>sentences</extracomment>
        <translation>Entfernen Sie sie, oder wählen Sie eine Methode, die prunt.</translation>
    </message>
    <message>
        <source>A total needs a step with one row that prunes (got {pruning}).</source>
        <extracomment>sentences</extracomment>
        <translation>Ein Gesamtwert braucht einen Schritt mit genau einer Regel, die prunt (angegeben: {pruning}).</translation>
    </message>
    <message>
        <source>Remove it, or make one step per row.</source>
        <extracomment>sentences</extracomment>
        <translation>Entfernen Sie ihn, oder machen Sie je Regel einen Schritt.</translation>
    </message>
    <message>
        <source>Only whole channels along dim 0 have matching bias and norm entries (got {join}).</source>
        <extracomment>sentences</extracomment>
        <translation>Nur ganze Kanäle entlang Dim. 0 haben zugehörige Einträge in Bias und Norm (angegeben: {join}).</translation>
    </message>
    <message>
        <source>Choose a structured method and dim 0, or leave out bias and norm.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie eine strukturierte Methode und Dim. 0, oder lassen Sie Bias und Norm weg.</translation>
    </message>
    <message>
        <source>Other tensors depend on whole channels only (got {join}).</source>
        <extracomment>sentences</extracomment>
        <translation>Andere Tensoren hängen nur von ganzen Kanälen ab (angegeben: {join}).</translation>
    </message>
    <message>
        <source>Choose a structured method, or turn dependents off.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie eine strukturierte Methode, oder schalten Sie abhängige Tensoren aus.</translation>
    </message>
    <message>
        <source>{n} more rule</source>
        <extracomment>sentences
----------
steps</extracomment>
        <translation>{n} weitere Regel</translation>
    </message>
    <message>
        <source>{n} more rules</source>
        <extracomment>sentences
----------
steps</extracomment>
        <translation>{n} weitere Regeln</translation>
    </message>
    <message>
        <source>{indices} is not a part of &apos;{name}&apos;, whose shape is {list}.</source>
        <extracomment>sentences</extracomment>
        <translation>{indices} ist kein Teil von &apos;{name}&apos;, dessen Form {list} ist.</translation>
    </message>
    <message>
        <source>Give the first index and the last index + 1 for each dimension.</source>
        <extracomment>sentences</extracomment>
        <translation>Geben Sie für jede Dimension den ersten Index und den letzten + 1 an.</translation>
    </message>
    <message>
        <source>Nothing changes{why}.</source>
        <extracomment>sentences</extracomment>
        <translation>Nichts ändert sich{why}.</translation>
    </message>
    <message>
        <source>Choose other weights.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie andere Gewichte.</translation>
    </message>
    <message>
        <source>The mask for &apos;{name}&apos; must have its {numel} elements (got {size}).</source>
        <extracomment>sentences</extracomment>
        <translation>Die Maske für &apos;{name}&apos; muss dessen {numel} Elemente haben (angegeben: {size}).</translation>
    </message>
    <message>
        <source>{n} weight</source>
        <extracomment>sentences
----------
steps</extracomment>
        <translation>{n} Gewicht</translation>
    </message>
    <message>
        <source>{n} weights</source>
        <extracomment>sentences
----------
steps</extracomment>
        <translation>{n} Gewichte</translation>
    </message>
    <message>
        <source>{n} protected weight</source>
        <extracomment>sentences</extracomment>
        <translation>{n} geschütztes Gewicht</translation>
    </message>
    <message>
        <source>{n} protected weights</source>
        <extracomment>sentences</extracomment>
        <translation>{n} geschützte Gewichte</translation>
    </message>
    <message>
        <source>No pruned channel has anything left in a bias or a norm.</source>
        <extracomment>sentences</extracomment>
        <translation>Kein geprunter Kanal hat noch etwas in einem Bias oder einer Norm.</translation>
    </message>
    <message>
        <source>Prune whole channels along dim 0 first.</source>
        <extracomment>sentences</extracomment>
        <translation>Prunen Sie zuerst ganze Kanäle entlang Dim. 0.</translation>
    </message>
    <message>
        <source>{n} pruned channel</source>
        <extracomment>sentences</extracomment>
        <translation>{n} geprunter Kanal</translation>
    </message>
    <message>
        <source>{n} pruned channels</source>
        <extracomment>sentences</extracomment>
        <translation>{n} geprunte Kanäle</translation>
    </message>
    <message>
        <source>Choose other tensors, or prune without their dependents.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie andere Tensoren, oder prunen Sie ohne davon abhängige.</translation>
    </message>
    <message>
        <source>&apos;{both}&apos; is selected and also depends on a selected tensor, so that more of it may be pruned than the limits allow ({join}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{both}&apos; ist gewählt und hängt zugleich von einem gewählten Tensor ab, sodass mehr davon geprunt werden kann, als die Grenzen erlauben ({join}).</translation>
    </message>
    <message>
        <source>Select one tensor of each group, or remove the limits.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie einen Tensor je Gruppe, oder entfernen Sie die Grenzen.</translation>
    </message>
    <message>
        <source>No mask of &apos;{path}&apos; has the name of a tensor of &apos;{path2}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>Keine Maske in &apos;{path}&apos; hat den Namen eines Tensors in &apos;{path2}&apos;.</translation>
    </message>
    <message>
        <source>Choose the masks of this model: the mask of &apos;NAME&apos; is named &apos;NAME&apos; or &apos;NAME_mask&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie die Masken dieses Modells: Eine Maske von &apos;NAME&apos; heißt &apos;NAME&apos; oder &apos;NAME_mask&apos;.</translation>
    </message>
    <message>
        <source>Nothing is pruned in these tensors of &apos;{name}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>In diesen Tensoren von &apos;{name}&apos; ist nichts geprunt.</translation>
    </message>
    <message>
        <source>Prune them there first.</source>
        <extracomment>sentences</extracomment>
        <translation>Prunen Sie sie zuerst dort.</translation>
    </message>
    <message>
        <source>None of these tensors of &apos;{name}&apos; fits &apos;{name2}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>Keiner dieser Tensoren von &apos;{name}&apos; passt zu &apos;{name2}&apos;.</translation>
    </message>
    <message>
        <source>Names and shapes must be the same.</source>
        <extracomment>sentences</extracomment>
        <translation>Namen und Formen müssen gleich sein.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has no tensor in common with &apos;{name2}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; hat keinen Tensor mit &apos;{name2}&apos; gemeinsam.</translation>
    </message>
    <message>
        <source>Choose a file of the same model: names and shapes must be the same.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie eine Datei desselben Modells: Namen und Formen müssen gleich sein.</translation>
    </message>
    <message>
        <source>Nothing changes: {UNCHANGED}.</source>
        <extracomment>sentences</extracomment>
        <translation>Nichts ändert sich: {UNCHANGED}.</translation>
    </message>
    <message>
        <source>Choose another combination.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie eine andere Verknüpfung.</translation>
    </message>
    <message>
        <source>&apos;{invalid}&apos; has no mask of zeros and ones beside it in &apos;{name}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{invalid}&apos; hat in &apos;{name}&apos; keine Maske aus Nullen und Einsen neben sich.</translation>
    </message>
    <message>
        <source>Choose the file in which it was pruned.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie die Datei, in der geprunt wurde.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; contains no mask for &apos;{name}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; enthält keine Maske für &apos;{name}&apos;.</translation>
    </message>
    <message>
        <source>Its name there must be &apos;{name}&apos; or &apos;{name2}_mask&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>Ihr Name dort muss &apos;{name}&apos; oder &apos;{name2}_mask&apos; sein.</translation>
    </message>
    <message>
        <source>The mask &apos;{name}&apos; has the shape {list}, but &apos;{name2}&apos; has {list2}.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Maske &apos;{name}&apos; hat die Form {list}, &apos;{name2}&apos; aber {list2}.</translation>
    </message>
    <message>
        <source>Choose the mask file made for this checkpoint.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie die Maskendatei, die für diesen Checkpoint erstellt wurde.</translation>
    </message>
    <message>
        <source>The mask &apos;{name}&apos; in &apos;{path}&apos; holds values other than 0 and 1.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Maske &apos;{name}&apos; in &apos;{path}&apos; enthält andere Werte als 0 und 1.</translation>
    </message>
    <message>
        <source>Save it with 1 for kept and 0 for pruned weights.</source>
        <extracomment>sentences</extracomment>
        <translation>Speichern Sie sie mit 1 für behaltene und 0 für geprunte Gewichte.</translation>
    </message>
    <message>
        <source>The other mask of &apos;{name}&apos; has {size} elements, but the tensor has {numel}.</source>
        <extracomment>sentences</extracomment>
        <translation>Die andere Maske von &apos;{name}&apos; hat {size} Elemente, der Tensor aber {numel}.</translation>
    </message>
    <message>
        <source>Choose the masks of the same model.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie die Masken desselben Modells.</translation>
    </message>
    <message>
        <source>The mask {key} of &apos;{name}&apos; is missing.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Maske {key} von &apos;{name}&apos; fehlt.</translation>
    </message>
    <message>
        <source>Put the file of this name beside the recipe.</source>
        <extracomment>sentences</extracomment>
        <translation>Legen Sie die Datei dieses Namens neben das Rezept.</translation>
    </message>
    <message>
        <source>The mask {key} of &apos;{name}&apos; is not the one that was saved under this name.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Maske {key} von &apos;{name}&apos; ist nicht die, die unter diesem Namen gespeichert wurde.</translation>
    </message>
    <message>
        <source>Restore the file from where the recipe came from.</source>
        <extracomment>sentences</extracomment>
        <translation>Holen Sie die Datei von dort zurück, woher das Rezept kam.</translation>
    </message>
    <message>
        <source>&apos;operation&apos; must be one of {join} (got {operation}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;operation&apos; muss eines von {join} sein (angegeben: {operation}).</translation>
    </message>
    <message>
        <source>An edit needs at least one target (got none).</source>
        <extracomment>sentences</extracomment>
        <translation>Eine Änderung braucht mindestens ein Ziel (angegeben: keines).</translation>
    </message>
    <message>
        <source>The gestures of one edit must have the same operation (got {sorted}).</source>
        <extracomment>sentences</extracomment>
        <translation>Die Gesten einer Änderung müssen dasselbe tun (angegeben: {sorted}).</translation>
    </message>
    <message>
        <source>The target &apos;{name}&apos; needs either boxes of indices or a mask.</source>
        <extracomment>sentences</extracomment>
        <translation>Das Ziel &apos;{name}&apos; braucht entweder Bereiche von Indizes oder eine Maske.</translation>
    </message>
    <message>
        <source>The repaired values {key} of &apos;{name}&apos; are missing.</source>
        <extracomment>sentences</extracomment>
        <translation>Die reparierten Werte {key} von &apos;{name}&apos; fehlen.</translation>
    </message>
    <message>
        <source>Put the folder of values beside the recipe.</source>
        <extracomment>sentences</extracomment>
        <translation>Legen Sie den Ordner mit den Werten neben das Rezept.</translation>
    </message>
    <message>
        <source>The repaired values {key} of &apos;{name}&apos; are not those that were saved under this name.</source>
        <extracomment>sentences</extracomment>
        <translation>Die reparierten Werte {key} von &apos;{name}&apos; sind nicht die, die unter diesem Namen gespeichert wurden.</translation>
    </message>
    <message>
        <source>{n} layer</source>
        <extracomment>sentences
----------
steps</extracomment>
        <translation>{n} Schicht</translation>
    </message>
    <message>
        <source>{n} layers</source>
        <extracomment>sentences
----------
steps</extracomment>
        <translation>{n} Schichten</translation>
    </message>
    <message>
        <source>There is no tensor to be repaired.</source>
        <extracomment>sentences</extracomment>
        <translation>Es gibt keinen Tensor zu reparieren.</translation>
    </message>
    <message>
        <source>Prune one first.</source>
        <extracomment>sentences</extracomment>
        <translation>Prunen Sie zuerst einen.</translation>
    </message>
    <message>
        <source>{n} pruned weight is an ordinary zero now</source>
        <extracomment>sentences
----------
steps</extracomment>
        <translation>{n} gepruntes Gewicht ist jetzt eine gewöhnliche Null</translation>
    </message>
    <message>
        <source>{n} pruned weights are ordinary zeros now</source>
        <extracomment>sentences
----------
steps</extracomment>
        <translation>{n} geprunte Gewichte sind jetzt gewöhnliche Nullen</translation>
    </message>
    <message>
        <source>These tensors have no zeros that are not pruned already.</source>
        <extracomment>sentences</extracomment>
        <translation>Diese Tensoren haben keine Nullen, die nicht schon geprunt sind.</translation>
    </message>
    <message>
        <source>Nothing is pruned in these tensors, so nothing can be made permanent.</source>
        <extracomment>sentences</extracomment>
        <translation>In diesen Tensoren ist nichts geprunt, also kann nichts endgültig gemacht werden.</translation>
    </message>
    <message>
        <source>Prune them first.</source>
        <extracomment>sentences</extracomment>
        <translation>Prunen Sie sie zuerst.</translation>
    </message>
    <message>
        <source>{n} zero</source>
        <extracomment>sentences</extracomment>
        <translation>{n} Null</translation>
    </message>
    <message>
        <source>{n} zeros</source>
        <extracomment>sentences</extracomment>
        <translation>{n} Nullen</translation>
    </message>
    <message>
        <source>The total must be from {low} % to {high} % of {weights} weights here (got {value} %): that is what limits and the scanned amounts allow.</source>
        <extracomment>sentences</extracomment>
        <translation>Der Gesamtwert muss hier {low} % bis {high} % von {weights} Gewichten sein (angegeben: {value} %): So viel erlauben die Grenzen und die gescannten Umfänge.</translation>
    </message>
    <message>
        <source>Choose another total, change the limits, or {more}.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie einen anderen Gesamtwert, oder ändern Sie die Grenzen (auch möglich: {more}).</translation>
    </message>
    <message>
        <source>The total must be from {least} to {most} weights here (got {target}): that is what limits and the scanned amounts allow.</source>
        <extracomment>sentences</extracomment>
        <translation>Der Gesamtwert muss hier {least} bis {most} Gewichte sein (angegeben: {target}): So viel erlauben die Grenzen und die gescannten Umfänge.</translation>
    </message>
    <message>
        <source>Choose another total, change the limits, or scan larger amounts.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie einen anderen Gesamtwert, ändern Sie die Grenzen, oder scannen Sie größere Umfänge.</translation>
    </message>
    <message>
        <source>None of these tensors has been measured yet.</source>
        <extracomment>sentences</extracomment>
        <translation>Noch ist keiner dieser Tensoren gemessen.</translation>
    </message>
    <message>
        <source>Continue the scan: `pruneapp scan` with the same file.</source>
        <extracomment>sentences</extracomment>
        <translation>Setzen Sie den Scan fort: `pruneapp scan` mit derselben Datei.</translation>
    </message>
    <message>
        <source>The minimum sparsity of &apos;{name}&apos;, {percent}, is above its maximum of {percent2}.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Mindest-Sparsity von &apos;{name}&apos;, {percent}, liegt über der Höchst-Sparsity von {percent2}.</translation>
    </message>
    <message>
        <source>Lower the minimum or raise the maximum sparsity.</source>
        <extracomment>sentences</extracomment>
        <translation>Senken Sie die Mindest-Sparsity, oder erhöhen Sie die Höchst-Sparsity.</translation>
    </message>
    <message>
        <source>No tensor of the scan matches &apos;{pattern}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>Kein Tensor des Scans passt zu &apos;{pattern}&apos;.</translation>
    </message>
    <message>
        <source>Patterns are case-sensitive and match whole names; &apos;*&apos; matches all.</source>
        <extracomment>sentences</extracomment>
        <translation>Muster unterscheiden Groß- und Kleinschreibung und gelten für ganze Namen; &apos;*&apos; passt zu allen.</translation>
    </message>
    <message>
        <source>A sparsity must be from 0.0 to 1.0, or from 0% to 100% (got {share}).</source>
        <extracomment>sentences</extracomment>
        <translation>Eine Sparsity muss zwischen 0,0 und 1,0 oder zwischen 0% und 100% liegen (angegeben: {share}).</translation>
    </message>
    <message>
        <source>The repair was sequential: the inputs of each layer were collected after the layers before it were repaired, so no statistics file has them.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Reparatur lief nacheinander: Die Eingaben jeder Schicht wurden gesammelt, nachdem die Schichten davor repariert waren, daher enthält sie keine Statistikdatei.</translation>
    </message>
    <message>
        <source>Repair the pruned file again with the same script, and compare.</source>
        <extracomment>sentences</extracomment>
        <translation>Reparieren Sie die geprunte Datei noch einmal mit demselben Skript, und vergleichen Sie.</translation>
    </message>
    <message>
        <source>The repair was made for the outputs of another model.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Reparatur wurde für die Ausgaben eines anderen Modells berechnet.</translation>
    </message>
    <message>
        <source>Name that model, which was pruned, with --unpruned.</source>
        <extracomment>sentences</extracomment>
        <translation>Nennen Sie mit --unpruned das Modell, das geprunt wurde.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is not the model that the repair was made for.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist nicht das Modell, für das die Reparatur berechnet wurde.</translation>
    </message>
    <message>
        <source>Name the model that was pruned.</source>
        <extracomment>sentences</extracomment>
        <translation>Nennen Sie das Modell, das geprunt wurde.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; ran no input through any of the pruned layers.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; hat keine Eingabe durch eine der geprunten Schichten geschickt.</translation>
    </message>
    <message>
        <source>Let calibrate(model) call the model that load(path) returned.</source>
        <extracomment>sentences</extracomment>
        <translation>Lassen Sie calibrate(model) das Modell aufrufen, das load(path) zurückgab.</translation>
    </message>
    <message>
        <source>The repair was made with the statistics with the SHA-256 {statistics}; that of &apos;{statistics2}&apos; is {sha256}.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Reparatur beruht auf der Statistik mit dem SHA-256 {statistics}; der von &apos;{statistics2}&apos; ist {sha256}.</translation>
    </message>
    <message>
        <source>Name the statistics file that the repair was made with.</source>
        <extracomment>sentences</extracomment>
        <translation>Nennen Sie die Statistikdatei, auf der die Reparatur beruht.</translation>
    </message>
    <message>
        <source>There is no image in &apos;{folder}&apos; or its subfolders.</source>
        <extracomment>sentences</extracomment>
        <translation>In &apos;{folder}&apos; und seinen Unterordnern ist kein Bild.</translation>
    </message>
    <message>
        <source>Name a folder with images ({join}).</source>
        <extracomment>sentences</extracomment>
        <translation>Nennen Sie einen Ordner mit Bildern ({join}).</translation>
    </message>
    <message>
        <source>The images in &apos;{folder}&apos; cannot be listed: {words_of}.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Bilder in &apos;{folder}&apos; können nicht aufgeführt werden: {words_of}.</translation>
    </message>
    <message>
        <source>Check the path.</source>
        <extracomment>sentences</extracomment>
        <translation>Prüfen Sie den Pfad.</translation>
    </message>
    <message>
        <source>calibrate in &apos;{name}&apos; ran different inputs in its next run, so the sums of the two runs cannot be combined.</source>
        <extracomment>sentences</extracomment>
        <translation>calibrate in &apos;{name}&apos; verwendete im nächsten Durchlauf andere Eingaben, sodass sich die Summen der beiden nicht verbinden lassen.</translation>
    </message>
    <message>
        <source>Run the same inputs in the same order each time; &apos;seed&apos; is the same.</source>
        <extracomment>sentences</extracomment>
        <translation>Verwenden Sie jedes Mal dieselben Eingaben in derselben Reihenfolge; &apos;seed&apos; ist derselbe.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; does not define calibrate(model), which collecting statistics of activations requires.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; definiert kein calibrate(model), das zum Sammeln einer Aktivierungsstatistik nötig ist.</translation>
    </message>
    <message>
        <source>Define calibrate(model), and run some inputs through the model in it.</source>
        <extracomment>sentences</extracomment>
        <translation>Definieren Sie calibrate(model), und schicken Sie darin einige Eingaben durch das Modell.</translation>
    </message>
    <message>
        <source>Multiply-adds cannot be counted in a program that a command line starts.</source>
        <extracomment>sentences</extracomment>
        <translation>In einem Programm, das eine Befehlszeile startet, lassen sich Multiply-Adds nicht zählen.</translation>
    </message>
    <message>
        <source>Evaluate by a script.</source>
        <extracomment>sentences</extracomment>
        <translation>Werten Sie mit einem Skript aus.</translation>
    </message>
    <message>
        <source>The model holds weights in a different form than the file ({first_names}), so no other state can be run beside it, which a sequential repair requires.</source>
        <extracomment>sentences</extracomment>
        <translation>Das Modell enthält Gewichte in anderer Form als die Datei ({first_names}), daher kann neben ihm kein anderer Zustand laufen, was eine Reparatur mit „Nacheinander“ voraussetzt.</translation>
    </message>
    <message>
        <source>Repair without Sequential.</source>
        <extracomment>sentences</extracomment>
        <translation>Reparieren Sie ohne „Nacheinander“.</translation>
    </message>
    <message>
        <source>The model multiplies by &apos;{name}&apos;, which &apos;{name2}&apos; does not contain in this form, so it is not known which multiply-adds are left in a pruned state.</source>
        <extracomment>sentences</extracomment>
        <translation>Das Modell multipliziert mit &apos;{name}&apos;, das so nicht in &apos;{name2}&apos; steht; daher ist nicht bekannt, welche Multiply-Adds in einem geprunten Zustand übrig sind.</translation>
    </message>
    <message>
        <source>Load the weights as they are in the file.</source>
        <extracomment>sentences</extracomment>
        <translation>Laden Sie die Gewichte so, wie sie in der Datei stehen.</translation>
    </message>
    <message>
        <source>The Gram matrix of &apos;{name}&apos; takes {format_bytes}, but the limit of one run is {format_bytes2}.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Gram-Matrix von &apos;{name}&apos; braucht {format_bytes}, die Grenze eines Durchlaufs ist aber {format_bytes2}.</translation>
    </message>
    <message>
        <source>Allow more memory, or collect without Gram matrices.</source>
        <extracomment>sentences</extracomment>
        <translation>Erlauben Sie mehr Speicher, oder sammeln Sie ohne Gram-Matrizen.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has no evaluate(model), so agreement with the unpruned model is measured, but there is no unpruned model.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; hat kein evaluate(model), also wird die Übereinstimmung mit dem ungeprunten Modell gemessen, aber es gibt kein ungepruntes Modell.</translation>
    </message>
    <message>
        <source>Define evaluate(model), or name the original.</source>
        <extracomment>sentences</extracomment>
        <translation>Definieren Sie evaluate(model), oder nennen Sie das Original.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; returned &apos;{min}&apos; for only one of the two models.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; gab &apos;{min}&apos; nur für eines der beiden Modelle zurück.</translation>
    </message>
    <message>
        <source>Return the same metrics for every model.</source>
        <extracomment>sentences</extracomment>
        <translation>Geben Sie für jedes Modell dieselben Metriken zurück.</translation>
    </message>
    <message>
        <source>The evaluation changed the weights that it was given (&apos;{name}&apos;{more}), so there is no result.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Auswertung hat die Gewichte geändert, die sie bekam (&apos;{name}&apos;{more}), daher gibt es kein Ergebnis.</translation>
    </message>
    <message>
        <source>Do not train, load or change weights in evaluate.</source>
        <extracomment>sentences</extracomment>
        <translation>Trainieren, laden oder ändern Sie in evaluate keine Gewichte.</translation>
    </message>
    <message>
        <source>Norm layers in training mode change their buffers: call model.eval() in load.</source>
        <extracomment>sentences</extracomment>
        <translation>Norm-Schichten im Trainingsmodus ändern ihre Puffer: Rufen Sie in load model.eval() auf.</translation>
    </message>
    <message>
        <source>Let load(path) read the weights from the path that it is given.</source>
        <extracomment>sentences</extracomment>
        <translation>Lassen Sie load(path) die Gewichte von dem übergebenen Pfad lesen.</translation>
    </message>
    <message>
        <source>{n} other tensor</source>
        <extracomment>sentences</extracomment>
        <translation>{n} anderer Tensor</translation>
    </message>
    <message>
        <source>{n} other tensors</source>
        <extracomment>sentences</extracomment>
        <translation>{n} andere Tensoren</translation>
    </message>
    <message>
        <source>It is not known whether a higher or a lower &apos;{name}&apos; is better.</source>
        <extracomment>sentences</extracomment>
        <translation>Es ist nicht bekannt, ob ein höherer oder ein niedrigerer Wert von &apos;{name}&apos; besser ist.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; of &apos;{script}&apos; is {value}{of}, which is not a finite number.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; von &apos;{script}&apos; ist keine endliche Zahl: {value}{of}.</translation>
    </message>
    <message>
        <source>&apos;--at-most&apos; must be a number of at least 0, or a percentage (got &apos;{text}&apos;).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;--at-most&apos; muss eine Zahl ab 0 oder ein Prozentsatz sein (angegeben: &apos;{text}&apos;).</translation>
    </message>
    <message>
        <source>0.01 is in the unit of the metric, 1% is relative to the original.</source>
        <extracomment>sentences</extracomment>
        <translation>0.01 ist in der Einheit der Metrik, 1% ist relativ zum Original.</translation>
    </message>
    <message>
        <source>&apos;{command}&apos; cannot be started: {words_of}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{command}&apos; kann nicht gestartet werden: {words_of}.</translation>
    </message>
    <message>
        <source>Choose another program.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie ein anderes Programm.</translation>
    </message>
    <message>
        <source>&apos;stop&apos; compares a metric, but the rounds are not evaluated.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;stop&apos; vergleicht eine Metrik, aber die Runden werden nicht evaluiert.</translation>
    </message>
    <message>
        <source>Evaluate after each round, or remove &apos;stop&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>Evaluieren Sie nach jeder Runde, oder entfernen Sie &apos;stop&apos;.</translation>
    </message>
    <message>
        <source>&apos;rewind&apos; is for rounds with a recovery.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;rewind&apos; ist für Runden mit Nachtraining.</translation>
    </message>
    <message>
        <source>Choose how to recover, or do not rewind.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie ein Nachtraining, oder setzen Sie nicht zurück.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; returned no metric &apos;{metric}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; hat keine Metrik &apos;{metric}&apos; zurückgegeben.</translation>
    </message>
    <message>
        <source>It returned {join}.</source>
        <extracomment>sentences</extracomment>
        <translation>Zurückgegeben wurden {join}.</translation>
    </message>
    <message>
        <source>Scripts and commands read files of a disk, and &apos;{path}&apos; is in a store.</source>
        <extracomment>sentences</extracomment>
        <translation>Skripte und Befehle lesen Dateien einer Festplatte, &apos;{path}&apos; ist aber in einem Objektspeicher.</translation>
    </message>
    <message>
        <source>Download the model first, then open the copy.</source>
        <extracomment>sentences</extracomment>
        <translation>Laden Sie das Modell zuerst herunter, und öffnen Sie dann die Kopie.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; defines neither evaluate(model) nor calibrate(model){others}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; definiert weder evaluate(model) noch calibrate(model){others}.</translation>
    </message>
    <message>
        <source>Define evaluate(model), and let it return a number.</source>
        <extracomment>sentences</extracomment>
        <translation>Definieren Sie evaluate(model), und lassen Sie es eine Zahl zurückgeben.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; does not define load(path), and &apos;{name2}&apos; is no model folder that transformers could load.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; definiert kein load(path), und &apos;{name2}&apos; ist kein Modellordner, den transformers laden könnte.</translation>
    </message>
    <message>
        <source>Define load(path), and let it return the model with the weights of path.</source>
        <extracomment>sentences</extracomment>
        <translation>Definieren Sie load(path), und lassen Sie es das Modell mit den Gewichten aus path zurückgeben.</translation>
    </message>
    <message>
        <source>The command does not name the checkpoint.</source>
        <extracomment>sentences</extracomment>
        <translation>Der Befehl nennt den Checkpoint nicht.</translation>
    </message>
    <message>
        <source>Write {{checkpoint}} where its path belongs.</source>
        <extracomment>sentences</extracomment>
        <translation>Schreiben Sie {{checkpoint}} dorthin, wo sein Pfad stehen soll.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; returned no number: there is none in {{out}}, and the command printed neither a JSON object nor a line with a number alone.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; hat keine Zahl zurückgegeben: In {{out}} steht keine, und der Befehl hat weder ein JSON-Objekt noch eine Zeile mit nur einer Zahl ausgegeben.</translation>
    </message>
    <message>
        <source>Let it print one last line such as {{&quot;accuracy&quot;: 0.93}}, or a number.</source>
        <extracomment>sentences</extracomment>
        <translation>Lassen Sie ihn als letzte Zeile etwa {{&quot;accuracy&quot;: 0.93}} oder eine Zahl ausgeben.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; took longer than the {limit} seconds that it was given.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; brauchte länger als die erlaubten {limit} Sekunden.</translation>
    </message>
    <message>
        <source>Allow more time, or evaluate fewer samples.</source>
        <extracomment>sentences</extracomment>
        <translation>Erlauben Sie mehr Zeit, oder werten Sie weniger Beispiele aus.</translation>
    </message>
    <message>
        <source>Try it in a terminal.</source>
        <extracomment>sentences</extracomment>
        <translation>Probieren Sie es in einem Terminal.</translation>
    </message>
    <message>
        <source>The command has a quotation mark without its counterpart, or ends in a backslash.</source>
        <extracomment>sentences</extracomment>
        <translation>Der Befehl hat ein Anführungszeichen ohne Gegenstück, oder er endet mit einem Backslash.</translation>
    </message>
    <message>
        <source>Quote arguments with spaces, as in a terminal.</source>
        <extracomment>sentences</extracomment>
        <translation>Setzen Sie Argumente mit Leerzeichen in Anführungszeichen, wie in einem Terminal.</translation>
    </message>
    <message>
        <source>&apos;amounts&apos; must be fractions of each tensor, such as 0.5 or 50%: above 0, up to 100% (got &apos;{join}&apos;).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;amounts&apos; müssen Anteile jedes Tensors sein, etwa 0.5 oder 50%: über 0, bis 100% (angegeben: &apos;{join}&apos;).</translation>
    </message>
    <message>
        <source>Separate several by commas: 30%, 50%, 70%.</source>
        <extracomment>sentences</extracomment>
        <translation>Trennen Sie mehrere durch Kommas: 30%, 50%, 70%.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; cannot be scanned: it has no amount of weights or channels.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; kann nicht gescannt werden: Die Methode hat keinen Umfang von Gewichten oder Kanälen.</translation>
    </message>
    <message>
        <source>Choose a method such as l1_unstructured or ln_structured.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie eine Methode wie l1_unstructured oder ln_structured.</translation>
    </message>
    <message>
        <source>Nothing is left to prune in the selected tensors.</source>
        <extracomment>sentences</extracomment>
        <translation>In den gewählten Tensoren gibt es nichts mehr zu prunen.</translation>
    </message>
    <message>
        <source>Select other tensors.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie andere Tensoren.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; returned no metric that can be better or worse.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; gab keine Metrik zurück, die besser oder schlechter sein kann.</translation>
    </message>
    <message>
        <source>Return a number such as a loss or an accuracy.</source>
        <extracomment>sentences</extracomment>
        <translation>Geben Sie eine Zahl zurück, etwa einen Loss oder eine Genauigkeit.</translation>
    </message>
    <message>
        <source>&apos;{where}&apos; has other metrics than the script returns now.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos; hat andere Metriken, als das Skript jetzt zurückgibt.</translation>
    </message>
    <message>
        <source>Choose another name for this scan, or delete that file.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie einen anderen Namen für diesen Scan, oder löschen Sie diese Datei.</translation>
    </message>
    <message>
        <source>&apos;{where}&apos; has {before} as &apos;{name}&apos; of the unpruned model, and now it is {before2}: the data or the packages have changed.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos; hat {before} als &apos;{name}&apos; des ungeprunten Modells, jetzt ist es {before2}: Die Daten oder die Pakete haben sich geändert.</translation>
    </message>
    <message>
        <source>these are more weights than any model has</source>
        <extracomment>sentences</extracomment>
        <translation>das sind mehr Gewichte, als irgendein Modell hat</translation>
    </message>
    <message>
        <source>The scan has no metric &apos;{name}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>Der Scan hat keine Metrik &apos;{name}&apos;.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is not a sensitivity scan: it lacks &quot;format&quot;: &quot;{FORMAT}&quot;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; ist kein Sensitivitäts-Scan: Es fehlt &quot;format&quot;: &quot;{FORMAT}&quot;.</translation>
    </message>
    <message>
        <source>Choose a file that `pruneapp scan` wrote.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie eine Datei, die `pruneapp scan` geschrieben hat.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is a scan of version {version}, and this Pruneapp reads up to {VERSION}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; ist ein Scan der Version {version}, dieses Pruneapp liest bis {VERSION}.</translation>
    </message>
    <message>
        <source>Install a newer Pruneapp.</source>
        <extracomment>sentences</extracomment>
        <translation>Installieren Sie ein neueres Pruneapp.</translation>
    </message>
    <message>
        <source>&apos;unit&apos; does not divide &apos;weights&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;weights&apos; ist nicht durch &apos;unit&apos; teilbar</translation>
    </message>
    <message>
        <source>more is pruned and protected than there is</source>
        <extracomment>sentences</extracomment>
        <translation>mehr ist geprunt und geschützt, als es gibt</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; appears twice</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; kommt zweimal vor</translation>
    </message>
    <message>
        <source>{amount} is not one of the amounts of the scan</source>
        <extracomment>sentences</extracomment>
        <translation>{amount} ist keiner der Umfänge des Scans</translation>
    </message>
    <message>
        <source>&apos;pruned&apos; is not a count that this tensor can have</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;pruned&apos; ist keine Anzahl, die dieser Tensor haben kann</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is not one of the metrics of the scan</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; ist keine der Metriken des Scans</translation>
    </message>
    <message>
        <source>There is no Python interpreter at &apos;{path}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>Unter &apos;{path}&apos; gibt es keinen Python-Interpreter.</translation>
    </message>
    <message>
        <source>Name the executable file, or the folder of its environment.</source>
        <extracomment>sentences</extracomment>
        <translation>Nennen Sie die ausführbare Datei oder den Ordner ihrer Umgebung.</translation>
    </message>
    <message>
        <source>No Python was found for &apos;{name}&apos;: there is no .venv beside it, and no conda environment is active.</source>
        <extracomment>sentences</extracomment>
        <translation>Für &apos;{name}&apos; wurde kein Python gefunden: Daneben ist kein .venv, und keine conda-Umgebung ist aktiv.</translation>
    </message>
    <message>
        <source>Choose the interpreter of the environment in which your model runs.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie den Interpreter der Umgebung, in der Ihr Modell läuft.</translation>
    </message>
    <message>
        <source>&apos;time_limit&apos; must be more than 0 seconds (got {time_limit}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;time_limit&apos; muss mehr als 0 Sekunden sein (angegeben: {time_limit}).</translation>
    </message>
    <message>
        <source>uv could not make the environment that the header of &apos;{path}&apos; describes.</source>
        <extracomment>sentences</extracomment>
        <translation>uv konnte die Umgebung nicht erstellen, die der Kopf von &apos;{path}&apos; beschreibt.</translation>
    </message>
    <message>
        <source>Correct the header, or choose an interpreter.</source>
        <extracomment>sentences</extracomment>
        <translation>Korrigieren Sie den Kopf, oder wählen Sie einen Interpreter.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is larger than {value} MiB, so it is not a script.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist größer als {value} MiB, also kein Skript.</translation>
    </message>
    <message>
        <source>Choose the Python file that defines load and evaluate.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie die Python-Datei, die load und evaluate definiert.</translation>
    </message>
    <message>
        <source>The script &apos;{path}&apos; cannot be read: {words_of}.</source>
        <extracomment>sentences</extracomment>
        <translation>Das Skript &apos;{path}&apos; kann nicht gelesen werden: {words_of}.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is not a Python file.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist keine Python-Datei.</translation>
    </message>
    <message>
        <source>The process of &apos;{name}&apos; {how}.</source>
        <extracomment>sentences</extracomment>
        <translation>Der Prozess von &apos;{name}&apos; {how}.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos;{place} raised {message} while {label}{reason}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos;{place} hat {message} ausgelöst (bei: {label}){reason}.</translation>
    </message>
    <message>
        <source>Write an evaluation script for this model.</source>
        <extracomment>sentences</extracomment>
        <translation>Schreiben Sie ein Auswertungsskript für dieses Modell.</translation>
    </message>
    <message>
        <source>Correct the script; the traceback shows where.</source>
        <extracomment>sentences</extracomment>
        <translation>Korrigieren Sie das Skript; der Traceback zeigt, wo.</translation>
    </message>
    <message>
        <source>&apos;{python}&apos; is Python {version}, but scripts need Python 3.9 or newer.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{python}&apos; ist Python {version}, Skripte brauchen aber Python 3.9 oder neuer.</translation>
    </message>
    <message>
        <source>Choose another interpreter.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie einen anderen Interpreter.</translation>
    </message>
    <message>
        <source>&apos;{python}&apos; (Python {version}) cannot import torch: {get}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{python}&apos; (Python {version}) kann torch nicht importieren: {get}.</translation>
    </message>
    <message>
        <source>Choose the interpreter of the environment in which your model runs, or install torch there.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie den Interpreter der Umgebung, in der Ihr Modell läuft, oder installieren Sie torch dort.</translation>
    </message>
    <message>
        <source>&apos;{python}&apos; {how} before it was ready{more}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{python}&apos; {how}, bevor der Interpreter bereit war{more}.</translation>
    </message>
    <message>
        <source>Choose a Python interpreter, 3.9 or newer, with torch.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie einen Python-Interpreter, 3.9 oder neuer, mit torch.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; called exit({message}) instead of returning.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; rief exit({message}) auf, statt zurückzukehren.</translation>
    </message>
    <message>
        <source>Return from the function instead, or raise an exception.</source>
        <extracomment>sentences</extracomment>
        <translation>Kehren Sie stattdessen aus der Funktion zurück, oder lösen Sie eine Ausnahme aus.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; ran out of memory: {first_line}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; ging der Speicher aus: {first_line}.</translation>
    </message>
    <message>
        <source>Use fewer samples or smaller batches, or a device with more memory.</source>
        <extracomment>sentences</extracomment>
        <translation>Verwenden Sie weniger Beispiele, kleinere Batches oder ein Gerät mit mehr Speicher.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; wrote into the pipe through which the worker answers, so its answers cannot be trusted.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; schrieb in die Pipe, durch die der Worker antwortet, daher sind seine Antworten nicht verlässlich.</translation>
    </message>
    <message>
        <source>Print to standard output only.</source>
        <extracomment>sentences</extracomment>
        <translation>Schreiben Sie nur auf die Standardausgabe.</translation>
    </message>
    <message>
        <source>There is an export format &apos;{name}&apos; already.</source>
        <extracomment>sentences</extracomment>
        <translation>Es gibt schon ein Exportformat &apos;{name}&apos;.</translation>
    </message>
    <message>
        <source>There is no export format &apos;{name}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>Es gibt kein Exportformat &apos;{name}&apos;.</translation>
    </message>
    <message>
        <source>Choose another format, and report this.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie ein anderes Format, und melden Sie das.</translation>
    </message>
    <message>
        <source>&apos;--omit&apos; must name a tensor of the file that cannot be read{reason} (got &apos;{show}&apos;).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;--omit&apos; muss einen Tensor der Datei nennen, der nicht gelesen werden kann{reason} (angegeben: &apos;{show}&apos;).</translation>
    </message>
    <message>
        <source>Tensors that can be read are always written.</source>
        <extracomment>sentences</extracomment>
        <translation>Lesbare Tensoren werden immer geschrieben.</translation>
    </message>
    <message>
        <source>Choose &apos;{stem}{suffixes}&apos; for one file, or &apos;{stem2}&apos; for a folder.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie &apos;{stem}{suffixes}&apos; für eine Datei oder &apos;{stem2}&apos; für einen Ordner.</translation>
    </message>
    <message>
        <source>Choose &apos;{stem}&apos; for a folder.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie &apos;{stem}&apos; für einen Ordner.</translation>
    </message>
    <message>
        <source>it is an object of type {name}</source>
        <extracomment>sentences</extracomment>
        <translation>es ist ein Objekt vom Typ {name}</translation>
    </message>
    <message>
        <source>The model is a {name}, and must be a Module.</source>
        <extracomment>sentences</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The pruned model and the unpruned one share parameters.</source>
        <extracomment>sentences</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pass a deep copy, or the masks instead of the pruned model.</source>
        <extracomment>sentences</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>steps must be an integer of at least 0 (got {steps}).</source>
        <extracomment>sentences</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>lr must be a positive number or None (got {lr}).</source>
        <extracomment>sentences</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>samples must be an integer of at least 2 or None (got {samples}).</source>
        <extracomment>sentences</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No weight is pruned.</source>
        <extracomment>sentences</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pass masks with zeros, or a model that has zeros.</source>
        <extracomment>sentences</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>inputs is a {name}, and must be an iterable of inputs or a function.</source>
        <extracomment>sentences</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There are no inputs.</source>
        <extracomment>sentences</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pass 256 samples or more.</source>
        <extracomment>sentences</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model has no parameter &apos;{name}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pass a mask of the same shape for each parameter.</source>
        <extracomment>sentences</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The {what} is a {name}, and must be a Module.</source>
        <extracomment>sentences</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>pruned is a {name}, and must be a Module or a dict of masks.</source>
        <extracomment>sentences</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The function did not call the model it was passed.</source>
        <extracomment>sentences</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Call its argument: model(x), not a part of it.</source>
        <extracomment>sentences</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model does not accept the first of the inputs: {name}: {error}</source>
        <extracomment>sentences</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Each input must have the arguments of the model only, without labels: (x for x, _ in loader).</source>
        <extracomment>sentences</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The mask of &apos;{name}&apos; is a {name2}, and must be a tensor.</source>
        <extracomment>sentences</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model cannot be copied: {error}</source>
        <extracomment>sentences</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pass a pruned model instead of masks.</source>
        <extracomment>sentences</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose the file that it was made with.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie die Datei, mit der sie erstellt wurde.</translation>
    </message>
    <message>
        <source>Choose the file that it was made with, or use the masks on this one.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie die Datei, mit der sie erstellt wurde, oder wenden Sie die Masken auf diese an.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is a GGUF file, but no imatrix (its general.type is &apos;{show}&apos;).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist eine GGUF-Datei, aber keine imatrix (ihr general.type ist &apos;{show}&apos;).</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is a GGUF file, but no imatrix.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist eine GGUF-Datei, aber keine imatrix.</translation>
    </message>
    <message>
        <source>Replace it, or take it out of the folder.</source>
        <extracomment>sentences</extracomment>
        <translation>Ersetzen Sie es, oder nehmen Sie es aus dem Ordner.</translation>
    </message>
    <message>
        <source>Call the model with tensors.</source>
        <extracomment>sentences</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model was called with a tensor of layout {layout}, which recovery cannot record.</source>
        <extracomment>sentences</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Call the model with dense tensors.</source>
        <extracomment>sentences</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Recovery found only one independent sample in the inputs, and needs at least two: one to train with, one held out.</source>
        <extracomment>sentences</extracomment>
        <translation>In den Eingaben wurde nur eine unabhängige Probe gefunden, und nötig sind mindestens zwei: eine zum Trainieren, eine zurückgehaltene.</translation>
    </message>
    <message>
        <source>Run more inputs through the model; 256 or more are useful.</source>
        <extracomment>sentences</extracomment>
        <translation>Lassen Sie mehr Eingaben durch das Modell laufen; 256 oder mehr sind sinnvoll.</translation>
    </message>
    <message>
        <source>Call the model with tensors, lists and dicts of tensors only; language models with use_cache=False instead of generate().</source>
        <extracomment>sentences</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fix this environment, or choose the interpreter of another.</source>
        <extracomment>sentences</extracomment>
        <translation>Reparieren Sie diese Umgebung, oder wählen Sie den Interpreter einer anderen.</translation>
    </message>
    <message>
        <source>it holds text</source>
        <extracomment>sentences</extracomment>
        <translation>er enthält Text</translation>
    </message>
    <message>
        <source>4-bit numbers of ONNX are not read</source>
        <extracomment>sentences</extracomment>
        <translation>4-Bit-Zahlen von ONNX werden nicht gelesen</translation>
    </message>
    <message>
        <source>2-bit numbers of ONNX are not read</source>
        <extracomment>sentences</extracomment>
        <translation>2-Bit-Zahlen von ONNX werden nicht gelesen</translation>
    </message>
    <message>
        <source>it is in a branch of the graph</source>
        <extracomment>sentences</extracomment>
        <translation>er liegt in einem Zweig des Graphen</translation>
    </message>
    <message>
        <source>another tensor has its name</source>
        <extracomment>sentences</extracomment>
        <translation>ein anderer Tensor hat denselben Namen</translation>
    </message>
    <message>
        <source>it is a segment of a tensor</source>
        <extracomment>sentences</extracomment>
        <translation>er ist ein Abschnitt eines Tensors</translation>
    </message>
    <message>
        <source>its numbers are in several pieces</source>
        <extracomment>sentences</extracomment>
        <translation>seine Zahlen liegen in mehreren Stücken</translation>
    </message>
    <message>
        <source>The sparse initializers of this ONNX model are not read, and not shown: {sparse}.</source>
        <extracomment>sentences</extracomment>
        <translation>Die dünnbesetzten Initializer dieses ONNX-Modells werden weder gelesen noch gezeigt: {sparse}.</translation>
    </message>
    <message>
        <source>Tensors in branches of the graph whose names other tensors have are not shown: {hidden}.</source>
        <extracomment>sentences</extracomment>
        <translation>Tensoren in Zweigen des Graphen, deren Namen andere Tensoren tragen, werden nicht gezeigt: {hidden}.</translation>
    </message>
    <message>
        <source>Weights of this model were packed by compressed-tensors, in a way that no current program unpacks. Exported, they are plain; take &apos;quantization_config&apos; out of config.json then.</source>
        <extracomment>sentences</extracomment>
        <translation>Gewichte dieses Modells hat compressed-tensors auf eine Weise gepackt, die kein aktuelles Programm entpackt. Exportiert sind sie unverpackt; nehmen Sie dann &apos;quantization_config&apos; aus config.json heraus.</translation>
    </message>
    <message>
        <source>it was replaced</source>
        <extracomment>sentences</extracomment>
        <translation>sie wurde ersetzt</translation>
    </message>
    <message>
        <source>{len} of {value} bytes came</source>
        <extracomment>sentences</extracomment>
        <translation>{len} von {value} Bytes kamen an</translation>
    </message>
    <message>
        <source>the store does not answer ({name})</source>
        <extracomment>sentences</extracomment>
        <translation>der Objektspeicher antwortet nicht ({name})</translation>
    </message>
    <message>
        <source>it is no longer there</source>
        <extracomment>sentences</extracomment>
        <translation>sie ist nicht mehr da</translation>
    </message>
    <message>
        <source>what the store sends does not match its checksum</source>
        <extracomment>sentences</extracomment>
        <translation>was der Objektspeicher sendet, passt nicht zu seiner Prüfsumme</translation>
    </message>
    <message>
        <source>torch.export has put it into a pickle of its own</source>
        <extracomment>sentences</extracomment>
        <translation>torch.export hat ihn in einen eigenen Pickle geschrieben</translation>
    </message>
    <message>
        <source>torch.export has written it in another layout than that of plain tensors</source>
        <extracomment>sentences</extracomment>
        <translation>torch.export hat ihn in einem anderen Layout als dem einfacher Tensoren geschrieben</translation>
    </message>
    <message>
        <source>it is of type {number} of torch.export, which is not known</source>
        <extracomment>sentences</extracomment>
        <translation>er hat den Typ {number} von torch.export, der nicht bekannt ist</translation>
    </message>
    <message>
        <source>Behind its last tensor the file has {more} more.</source>
        <extracomment>sentences</extracomment>
        <translation>Hinter dem letzten Tensor enthält die Datei noch {more}.</translation>
    </message>
    <message>
        <source>it is a numpy array whose numbers the file does not hold</source>
        <extracomment>sentences</extracomment>
        <translation>er ist ein numpy-Array, dessen Zahlen nicht in der Datei stehen</translation>
    </message>
    <message>
        <source>it is a {path}, which Pruneapp does not read</source>
        <extracomment>sentences</extracomment>
        <translation>er ist vom Typ {path}, den Pruneapp nicht liest</translation>
    </message>
    <message>
        <source>it is a numpy array of a type that Pruneapp does not know</source>
        <extracomment>sentences</extracomment>
        <translation>er ist ein numpy-Array von einem Typ, den Pruneapp nicht kennt</translation>
    </message>
    <message>
        <source>it is a numpy array of Python objects (dtype object), no numbers</source>
        <extracomment>sentences</extracomment>
        <translation>er ist ein numpy-Array aus Python-Objekten (dtype object), nicht aus Zahlen</translation>
    </message>
    <message>
        <source>it is a numpy array of type &apos;{shown}&apos;, which Pruneapp does not read</source>
        <extracomment>sentences</extracomment>
        <translation>er ist ein numpy-Array vom Typ &apos;{shown}&apos;, den Pruneapp nicht liest</translation>
    </message>
    <message>
        <source>torch says something of it that Pruneapp does not know</source>
        <extracomment>sentences</extracomment>
        <translation>torch gibt dazu etwas an, das Pruneapp nicht kennt</translation>
    </message>
    <message>
        <source>torch.{name} is stored before a negation or conjugation</source>
        <extracomment>sentences</extracomment>
        <translation>torch.{name} ist vor einer Negation oder Konjugation gespeichert</translation>
    </message>
    <message>
        <source>nested jagged</source>
        <extracomment>sentences</extracomment>
        <translation>Nested-Jagged</translation>
    </message>
    <message>
        <source>it is a nested tensor of a kind that Pruneapp does not know</source>
        <extracomment>sentences</extracomment>
        <translation>er ist ein verschachtelter Tensor von einer Art, die Pruneapp nicht kennt</translation>
    </message>
    <message>
        <source>it is stored as a numpy array of another type</source>
        <extracomment>sentences</extracomment>
        <translation>er ist als numpy-Array von einem anderen Typ gespeichert</translation>
    </message>
    <message>
        <source>it is a tensor of shape {list} on the meta device: the file holds no numbers of it</source>
        <extracomment>sentences</extracomment>
        <translation>er ist ein Tensor der Form {list} auf dem Gerät meta: Die Datei enthält keine Zahlen dazu</translation>
    </message>
    <message>
        <source>it is a tensor on the meta device: the file holds no numbers of it</source>
        <extracomment>sentences</extracomment>
        <translation>er ist ein Tensor auf dem Gerät meta: Die Datei enthält keine Zahlen dazu</translation>
    </message>
    <message>
        <source>it is made of other tensors</source>
        <extracomment>sentences</extracomment>
        <translation>er besteht aus anderen Tensoren</translation>
    </message>
    <message>
        <source>it lies inside an object of {inside}, which Pruneapp does not know</source>
        <extracomment>sentences</extracomment>
        <translation>er liegt in einem Objekt vom Typ {inside}, den Pruneapp nicht kennt</translation>
    </message>
    <message>
        <source>it is a part of a {kind} tensor</source>
        <extracomment>sentences</extracomment>
        <translation>er ist Teil eines {kind}-Tensors</translation>
    </message>
    <message>
        <source>{kind} tensor of shape {shape}</source>
        <extracomment>sentences</extracomment>
        <translation>{kind}-Tensor der Form {shape}</translation>
    </message>
    <message>
        <source>{kind} tensor</source>
        <extracomment>sentences</extracomment>
        <translation>{kind}-Tensor</translation>
    </message>
    <message>
        <source>it is a {value} made of other tensors</source>
        <extracomment>sentences</extracomment>
        <translation>er ist vom Typ {value} und besteht aus anderen Tensoren</translation>
    </message>
    <message>
        <source>it is a DTensor whose local shard cannot be read</source>
        <extracomment>sentences</extracomment>
        <translation>er ist ein DTensor, dessen lokaler Shard nicht gelesen werden kann</translation>
    </message>
    <message>
        <source>it is a DTensor that does not say how it is spread</source>
        <extracomment>sentences</extracomment>
        <translation>er ist ein DTensor, der nicht angibt, wie er verteilt ist</translation>
    </message>
    <message>
        <source>it is a DTensor of shape {list} of which the file holds a partial result</source>
        <extracomment>sentences</extracomment>
        <translation>er ist ein DTensor der Form {list}, von dem die Datei ein Teilergebnis enthält</translation>
    </message>
    <message>
        <source>it is a DTensor of shape {list} of which the file holds one shard, of shape {list2}</source>
        <extracomment>sentences</extracomment>
        <translation>er ist ein DTensor der Form {list}, von dem die Datei einen Shard der Form {list2} enthält</translation>
    </message>
    <message>
        <source>storage &apos;{key}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>Storage &apos;{key}&apos;</translation>
    </message>
    <message>
        <source>tensor &apos;{name}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>Tensor &apos;{name}&apos;</translation>
    </message>
    <message>
        <source>Waiting for workers</source>
        <extracomment>sentences</extracomment>
        <translation>Warten auf Worker</translation>
    </message>
    <message>
        <source>Starting workers</source>
        <extracomment>sentences</extracomment>
        <translation>Worker werden gestartet</translation>
    </message>
    <message>
        <source>Checking what is there</source>
        <extracomment>sentences</extracomment>
        <translation>Vorhandenes wird geprüft</translation>
    </message>
    <message>
        <source>Comparing {name}</source>
        <extracomment>sentences</extracomment>
        <translation>Vergleichen: {name}</translation>
    </message>
    <message>
        <source>Writing {name}</source>
        <extracomment>sentences</extracomment>
        <translation>Schreiben: {name}</translation>
    </message>
    <message>
        <source>{method} on one worker</source>
        <extracomment>sentences</extracomment>
        <translation>{method} auf einem Worker</translation>
    </message>
    <message>
        <source>Looking for whole channels</source>
        <extracomment>sentences</extracomment>
        <translation>Ganze Kanäle werden gesucht</translation>
    </message>
    <message>
        <source>Edits by hand</source>
        <extracomment>sentences</extracomment>
        <translation>Änderungen von Hand</translation>
    </message>
    <message>
        <source>Entries that make pruned weights permanent</source>
        <extracomment>sentences</extracomment>
        <translation>Einträge, die geprunte Gewichte endgültig machen</translation>
    </message>
    <message>
        <source>Entries that treat zeros as pruned</source>
        <extracomment>sentences</extracomment>
        <translation>Einträge, die Nullen als geprunt behandeln</translation>
    </message>
    <message>
        <source>Masks that lie in the file</source>
        <extracomment>sentences</extracomment>
        <translation>Masken, die in der Datei liegen</translation>
    </message>
    <message>
        <source>On the worker {address}: {sentence}</source>
        <extracomment>sentences</extracomment>
        <translation>Auf dem Worker {address}: {sentence}</translation>
    </message>
    <message>
        <source>Also prunes {counted}: {examples}{more}</source>
        <extracomment>sentences</extracomment>
        <translation>Prunt auch {counted}: {examples}{more}</translation>
    </message>
    <message>
        <source>&apos;{name}&apos;: there is no tensor of this name.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos;: Es gibt keinen Tensor dieses Namens.</translation>
    </message>
    <message>
        <source>{list}, but {list2} here</source>
        <extracomment>sentences</extracomment>
        <translation>{list}, hier aber {list2}</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has the shape {shapes}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; hat die Form {shapes}.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; cannot be pruned here: {why_not}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; kann hier nicht geprunt werden: {why_not}.</translation>
    </message>
    <message>
        <source>those tensors</source>
        <extracomment>sentences</extracomment>
        <translation>diese Tensoren</translation>
    </message>
    <message>
        <source>Leave {them} out with --omit NAME{elsewhere}.</source>
        <extracomment>sentences</extracomment>
        <translation>Lassen Sie das mit --omit NAME weg{elsewhere}.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has new values, and does not lie in one piece in it</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; hat neue Werte und liegt darin nicht in einem Stück</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; lies compressed or sparse in it</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; liegt darin komprimiert oder dünnbesetzt</translation>
    </message>
    <message>
        <source>elements of &apos;{name}&apos; share their place in it</source>
        <extracomment>sentences</extracomment>
        <translation>Elemente von &apos;{name}&apos; teilen sich darin ihren Platz</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is a numpy array that cannot be changed in its place</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; ist ein numpy-Array, das sich nicht an seinem Platz ändern lässt</translation>
    </message>
    <message>
        <source>&apos;{prefix}{second}&apos; comes before &apos;{prefix2}{first}&apos; in the file, so the block computes in another order.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{prefix}{second}&apos; steht in der Datei vor &apos;{prefix2}{first}&apos;, also rechnet der Block in anderer Reihenfolge.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has the shape {shown}, and in such a block it would have {form_of}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; hat die Form {shown}, in einem solchen Block wäre sie {form_of}.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is tied to &apos;{aliases}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; teilt seine Werte mit &apos;{aliases}&apos;.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is packed ({label}) and stays whole.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; ist gepackt ({label}) und bleibt ganz.</translation>
    </message>
    <message>
        <source>of a number</source>
        <extracomment>sentences</extracomment>
        <translation>einer Zahl</translation>
    </message>
    <message>
        <source>By {CONFIG} there are {count} units ({size}).</source>
        <extracomment>sentences</extracomment>
        <translation>Laut {CONFIG} gibt es {count} Einheiten ({size}).</translation>
    </message>
    <message>
        <source>{count} units are no multiple of {outer}.</source>
        <extracomment>sentences</extracomment>
        <translation>{count} Einheiten sind kein Vielfaches von {outer}.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has {len} dimensions and should have more than {dim}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; hat {len} Dimensionen und müsste mehr als {dim} haben.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has {size} entries along dim {dim}; by {CONFIG} it should have {wanted}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; hat {size} Einträge entlang Dim {dim}; laut {CONFIG} müssten es {wanted} sein.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is of an expert beyond {value}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; gehört zu einem Experten mit einer Nummer über {value}.</translation>
    </message>
    <message>
        <source>Not every expert of &apos;{prefix}&apos; is there.</source>
        <extracomment>sentences</extracomment>
        <translation>Nicht jeder Experte von &apos;{prefix}&apos; ist vorhanden.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has a dimension of {size} as the group has, and nobody knows whether it belongs to it, so nothing is cut here.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; hat eine Dimension von {size} wie die Gruppe, und es ist nicht bekannt, ob sie dazugehört; daher wird hier nichts entfernt.</translation>
    </message>
    <message>
        <source>&apos;{missing}&apos; is missing beside &apos;{name}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{missing}&apos; fehlt neben &apos;{name}&apos;.</translation>
    </message>
    <message>
        <source>, which fits all tensors</source>
        <extracomment>sentences</extracomment>
        <translation>, die für alle Tensoren passt,</translation>
    </message>
    <message>
        <source>Enter {most}{fits}, or unprotect weights.</source>
        <extracomment>sentences</extracomment>
        <translation>Geben Sie ein: {most}{fits} oder heben Sie den Schutz von Gewichten auf.</translation>
    </message>
    <message>
        <source>{n} more tensor</source>
        <extracomment>sentences</extracomment>
        <translation>{n} weiterer Tensor</translation>
    </message>
    <message>
        <source>&apos;{where}&apos; is a scan with {join}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos; ist ein Scan unter anderen Bedingungen: {join}.</translation>
    </message>
    <message>
        <source>{n} more tensors</source>
        <extracomment>sentences</extracomment>
        <translation>{n} weitere Tensoren</translation>
    </message>
    <message>
        <source>&apos;{target}&apos; holds {first_names}, which would stay beside the new files and could be loaded with them, or instead of them.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{target}&apos; enthält {first_names}: Das bliebe neben den neuen Dateien liegen und könnte mit ihnen oder an ihrer Stelle geladen werden.</translation>
    </message>
    <message>
        <source>Choose an empty folder or the name of a new one, or remove what is there.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie einen leeren Ordner oder den Namen eines neuen, oder entfernen Sie, was dort liegt.</translation>
    </message>
    <message>
        <source>&apos;{target}&apos; holds the model that was opened, whose files would stay beside the new ones and could be loaded instead of them: {first_names}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{target}&apos; enthält das geöffnete Modell, dessen Dateien neben den neuen liegen blieben und an ihrer Stelle geladen werden könnten: {first_names}.</translation>
    </message>
    <message>
        <source>Choose another folder.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie einen anderen Ordner.</translation>
    </message>
    <message>
        <source>The files in &apos;{folder}&apos; cannot be listed: {words_of}.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Dateien in &apos;{folder}&apos; können nicht aufgeführt werden: {words_of}.</translation>
    </message>
    <message>
        <source>Ask for permission to read the folder, or choose another one.</source>
        <extracomment>sentences</extracomment>
        <translation>Bitten Sie um das Recht, den Ordner zu lesen, oder nehmen Sie einen anderen.</translation>
    </message>
    <message>
        <source>&apos;{index}&apos; lists the modules of the model, and cannot be read: {error}</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{index}&apos; führt die Module des Modells auf und kann nicht gelesen werden: {error}</translation>
    </message>
    <message>
        <source>Fix the file, or move it out of the folder.</source>
        <extracomment>sentences</extracomment>
        <translation>Korrigieren Sie die Datei, oder verschieben Sie sie aus dem Ordner.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; was changed by another program while it was being copied.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; wurde von einem anderen Programm geändert, während die Datei kopiert wurde.</translation>
    </message>
    <message>
        <source>Nothing was written. Export again.</source>
        <extracomment>sentences</extracomment>
        <translation>Nichts wurde geschrieben. Exportieren Sie noch einmal.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos;, which goes with the model, cannot be read: {words_of}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; gehört zum Modell und kann nicht gelesen werden: {words_of}.</translation>
    </message>
    <message>
        <source>Ask for permission to read it, or move it out of the folder.</source>
        <extracomment>sentences</extracomment>
        <translation>Bitten Sie um das Recht, die Datei zu lesen, oder verschieben Sie sie aus dem Ordner.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is the model that was opened, and in a store no backup of the original is kept beside an export.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist das geöffnete Modell, und ein Objektspeicher bewahrt neben einem Export kein Original auf.</translation>
    </message>
    <message>
        <source>With a max shard size a folder is written, but &apos;{name}&apos; is the name of a file.</source>
        <extracomment>sentences</extracomment>
        <translation>Mit einer maximalen Shard-Größe wird ein Ordner geschrieben, &apos;{name}&apos; ist aber der Name einer Datei.</translation>
    </message>
    <message>
        <source>Name a folder: &apos;{without}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>Nennen Sie einen Ordner: &apos;{without}&apos;.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is the name of a file, but not of one in the format &apos;{name2}&apos;: the model would be written as a folder of that name.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; ist der Name einer Datei, aber nicht einer im Format &apos;{name2}&apos;: Das Modell würde als Ordner dieses Namens geschrieben.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is a link to &apos;{resolved}&apos;, and links are not followed by default.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist ein Link auf &apos;{resolved}&apos;, und Links wird normalerweise nicht gefolgt.</translation>
    </message>
    <message>
        <source>Export to &apos;{resolved}&apos; itself, or allow it: --follow-links.</source>
        <extracomment>sentences</extracomment>
        <translation>Exportieren Sie direkt nach &apos;{resolved}&apos;, oder erlauben Sie es: --follow-links.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is not a valid file name: {reason}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist kein gültiger Dateiname: {reason}.</translation>
    </message>
    <message>
        <source>transformers expects plain weights in a file named &apos;{name}&apos;, which this export is not (&apos;{label}&apos;).</source>
        <extracomment>sentences</extracomment>
        <translation>transformers erwartet in einer Datei namens &apos;{name}&apos; gewöhnliche Gewichte, was dieser Export nicht ist (&apos;{label}&apos;).</translation>
    </message>
    <message>
        <source>Choose another name, one that ends in {suffixes}.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie einen anderen Namen mit der Endung {suffixes}.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is a link to &apos;{resolved}&apos;, and links are not followed here.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist ein Link auf &apos;{resolved}&apos;, und hier wird Links nicht gefolgt.</translation>
    </message>
    <message>
        <source>Specify &apos;{resolved}&apos; itself, or another name.</source>
        <extracomment>sentences</extracomment>
        <translation>Geben Sie direkt &apos;{resolved}&apos; oder einen anderen Namen an.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; cannot be written: &apos;{parent}&apos; is a file, not a folder.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; kann nicht geschrieben werden: &apos;{parent}&apos; ist eine Datei, kein Ordner.</translation>
    </message>
    <message>
        <source>Choose a folder.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie einen Ordner.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; cannot be written: the folder &apos;{parent}&apos; is not there.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; kann nicht geschrieben werden: Den Ordner &apos;{parent}&apos; gibt es nicht.</translation>
    </message>
    <message>
        <source>Make the folder first, or choose another.</source>
        <extracomment>sentences</extracomment>
        <translation>Legen Sie zuerst den Ordner an, oder wählen Sie einen anderen.</translation>
    </message>
    <message>
        <source>&apos;{name}…{name2}&apos; is not a valid name for a file or folder: it has {size} bytes, and a name has at most {NAME_BYTES}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}…{name2}&apos; ist kein gültiger Name für eine Datei oder einen Ordner: Er hat {size} Bytes, ein Name hat höchstens {NAME_BYTES}.</translation>
    </message>
    <message>
        <source>Choose a shorter name.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie einen kürzeren Namen.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is a folder.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist ein Ordner.</translation>
    </message>
    <message>
        <source>Add the name of a file to it.</source>
        <extracomment>sentences</extracomment>
        <translation>Fügen Sie den Namen einer Datei an.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; {reason}</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; {reason}</translation>
    </message>
    <message>
        <source>Choose the folder &apos;{parent}&apos;, or another name.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie den Ordner &apos;{parent}&apos; oder einen anderen Namen.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is a broken link, so nothing was written.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist ein Link ins Leere, also wurde nichts geschrieben.</translation>
    </message>
    <message>
        <source>Remove the link or choose another name.</source>
        <extracomment>sentences</extracomment>
        <translation>Entfernen Sie den Link, oder wählen Sie einen anderen Namen.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is a file, but a model of several files needs a folder.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist eine Datei, ein Modell aus mehreren Dateien braucht aber einen Ordner.</translation>
    </message>
    <message>
        <source>{name} is not a valid name for a file or folder: it cannot be encoded.</source>
        <extracomment>sentences</extracomment>
        <translation>{name} ist kein gültiger Name für eine Datei oder einen Ordner: Er lässt sich nicht codieren.</translation>
    </message>
    <message>
        <source>&apos;{resolved}&apos; is in a download cache, whose files are shared and named by their content.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{resolved}&apos; liegt in einem Download-Cache, dessen Dateien geteilt und nach ihrem Inhalt benannt sind.</translation>
    </message>
    <message>
        <source>&apos;{value}&apos; is a folder, and a file of the export has that name.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{value}&apos; ist ein Ordner, und eine Datei des Exports hat diesen Namen.</translation>
    </message>
    <message>
        <source>Choose another folder, or remove what is there.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie einen anderen Ordner, oder entfernen Sie, was dort liegt.</translation>
    </message>
    <message>
        <source>Choose another format.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie ein anderes Format.</translation>
    </message>
    <message>
        <source>{n} tensor is</source>
        <extracomment>sentences</extracomment>
        <translation>{n} Tensor</translation>
    </message>
    <message>
        <source>{n} tensors are</source>
        <extracomment>sentences</extracomment>
        <translation>{n} Tensoren</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is damaged: its decompressed content is not of the size in its header.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist beschädigt: Der entpackte Inhalt hat nicht die Größe, die im Header steht.</translation>
    </message>
    <message>
        <source>Export as torch.</source>
        <extracomment>sentences</extracomment>
        <translation>Exportieren Sie als torch.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; does not contain the size of its decompressed content.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; enthält nicht die Größe des entpackten Inhalts.</translation>
    </message>
    <message>
        <source>Unpack it with `zstd -d`.</source>
        <extracomment>sentences</extracomment>
        <translation>Entpacken Sie die Datei mit `zstd -d`.</translation>
    </message>
    <message>
        <source>The reader script for compact files cannot be read from the installation of Pruneapp: {words_of}.</source>
        <extracomment>sentences</extracomment>
        <translation>Das Leseskript für kompakte Dateien kann nicht aus der Installation von Pruneapp gelesen werden: {words_of}.</translation>
    </message>
    <message>
        <source>Export without it, or install Pruneapp again.</source>
        <extracomment>sentences</extracomment>
        <translation>Exportieren Sie ohne das Skript, oder installieren Sie Pruneapp noch einmal.</translation>
    </message>
    <message>
        <source>The compact format reserves the name &apos;{name}&apos;, but a tensor has it.</source>
        <extracomment>sentences</extracomment>
        <translation>Das kompakte Format reserviert den Namen &apos;{name}&apos;, aber ein Tensor heißt so.</translation>
    </message>
    <message>
        <source>&apos;{out}&apos; is the file to expand, which cannot be its own output.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{out}&apos; ist die Datei, die entpackt werden soll, und kann nicht zugleich die Ausgabe sein.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is neither a compact file nor one compressed with zstd ({label}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist weder eine kompakte Datei noch eine mit zstd komprimierte ({label}).</translation>
    </message>
    <message>
        <source>Only compact and zst exports can be expanded.</source>
        <extracomment>sentences</extracomment>
        <translation>Nur Exporte in den Formaten compact und zst lassen sich entpacken.</translation>
    </message>
    <message>
        <source>{n} pruned tensor</source>
        <extracomment>sentences</extracomment>
        <translation>{n} geprunten Tensor</translation>
    </message>
    <message>
        <source>{n} pruned tensors</source>
        <extracomment>sentences</extracomment>
        <translation>{n} geprunten Tensoren</translation>
    </message>
    <message>
        <source>These weights do not compress, and torch.load with mmap=True would map the file instead of decompressing it.</source>
        <extracomment>sentences</extracomment>
        <translation>Diese Gewichte lassen sich nicht komprimieren, und torch.load mit mmap=True würde die Datei in den Speicher abbilden, statt sie zu entpacken.</translation>
    </message>
    <message>
        <source>Export as safetensors.</source>
        <extracomment>sentences</extracomment>
        <translation>Exportieren Sie als safetensors.</translation>
    </message>
    <message>
        <source>Give the file a name that ends in .safetensors.</source>
        <extracomment>sentences</extracomment>
        <translation>Geben Sie der Datei einen Namen mit der Endung .safetensors.</translation>
    </message>
    <message>
        <source>Give the file a name that ends in .pt.</source>
        <extracomment>sentences</extracomment>
        <translation>Geben Sie der Datei einen Namen mit der Endung .pt.</translation>
    </message>
    <message>
        <source>The resumable format reserves the name &apos;{ours}&apos;, but a tensor has it.</source>
        <extracomment>sentences</extracomment>
        <translation>Das fortsetzbare Format reserviert den Namen &apos;{ours}&apos;, aber ein Tensor heißt so.</translation>
    </message>
    <message>
        <source>safetensors cannot hold so many tensors: its header would be {len} bytes long, at most {MAX_HEADER_BYTES} are allowed.</source>
        <extracomment>sentences</extracomment>
        <translation>safetensors kann nicht so viele Tensoren enthalten: Der Header wäre {len} Bytes lang, erlaubt sind höchstens {MAX_HEADER_BYTES}.</translation>
    </message>
    <message>
        <source>safetensors cannot hold a tensor named &apos;{METADATA}&apos;: the format reserves this name.</source>
        <extracomment>sentences</extracomment>
        <translation>safetensors kann keinen Tensor namens &apos;{METADATA}&apos; enthalten: Das Format reserviert diesen Namen.</translation>
    </message>
    <message>
        <source>safetensors cannot store a tensor name that is not valid Unicode.</source>
        <extracomment>sentences</extracomment>
        <translation>safetensors kann keinen Tensornamen speichern, der kein gültiges Unicode ist.</translation>
    </message>
    <message>
        <source>{kind} cannot have the suffix .bin: {loss}.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Endung .bin ist hier nicht möglich ({kind}): {loss}.</translation>
    </message>
    <message>
        <source>Use the suffix .pt.</source>
        <extracomment>sentences</extracomment>
        <translation>Verwenden Sie die Endung .pt.</translation>
    </message>
    <message>
        <source>Temporary data in &apos;{fspath}&apos; cannot be written or read: {words_of}.</source>
        <extracomment>sentences</extracomment>
        <translation>Temporäre Daten in &apos;{fspath}&apos; können nicht geschrieben oder gelesen werden: {words_of}.</translation>
    </message>
    <message>
        <source>Free disk space there, or set TMPDIR to another folder.</source>
        <extracomment>sentences</extracomment>
        <translation>Schaffen Sie dort Platz, oder setzen Sie TMPDIR auf einen anderen Ordner.</translation>
    </message>
    <message>
        <source>A report ends in {join} (got &apos;{name}&apos;).</source>
        <extracomment>sentences</extracomment>
        <translation>Ein Bericht hat die Endung {join} (angegeben: &apos;{name}&apos;).</translation>
    </message>
    <message>
        <source>Choose one of these suffixes.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie eine dieser Endungen.</translation>
    </message>
    <message>
        <source>The comparison script reads files of a disk, and &apos;{path}&apos; is in a store.</source>
        <extracomment>sentences</extracomment>
        <translation>Das Vergleichsskript liest Dateien einer Festplatte, &apos;{path}&apos; ist aber in einem Objektspeicher.</translation>
    </message>
    <message>
        <source>Compare with `pruneapp diff`, or download both first.</source>
        <extracomment>sentences</extracomment>
        <translation>Vergleichen Sie mit `pruneapp diff`, oder laden Sie zuerst beide herunter.</translation>
    </message>
    <message>
        <source>The comparison script needs the original, which it cannot find: {rstrip}.</source>
        <extracomment>sentences</extracomment>
        <translation>Das Vergleichsskript braucht das Original und findet es nicht: {rstrip}.</translation>
    </message>
    <message>
        <source>Export to another path, or keep a backup of the original.</source>
        <extracomment>sentences</extracomment>
        <translation>Exportieren Sie in einen anderen Pfad, oder behalten Sie eine Sicherung des Originals.</translation>
    </message>
    <message>
        <source>A script cannot load &apos;{name}&apos; ({label}).</source>
        <extracomment>sentences</extracomment>
        <translation>Ein Skript kann &apos;{name}&apos; nicht laden ({label}).</translation>
    </message>
    <message>
        <source>Export it as safetensors, and open that.</source>
        <extracomment>sentences</extracomment>
        <translation>Exportieren Sie als safetensors, und öffnen Sie das Ergebnis.</translation>
    </message>
    <message>
        <source>torch.load refuses &apos;{name}&apos; with weights_only=True, because it names code ({unknown}).</source>
        <extracomment>sentences</extracomment>
        <translation>torch.load lehnt &apos;{name}&apos; mit weights_only=True ab, denn die Datei nennt Code ({unknown}).</translation>
    </message>
    <message>
        <source>The history has a repair, whose values torch.nn.utils.prune cannot compute.</source>
        <extracomment>sentences</extracomment>
        <translation>Der Verlauf enthält eine Reparatur, deren Werte torch.nn.utils.prune nicht berechnen kann.</translation>
    </message>
    <message>
        <source>Leave the script out; &apos;pruneapp run&apos; applies the recipe with its values.</source>
        <extracomment>sentences</extracomment>
        <translation>Lassen Sie das Skript weg; &apos;pruneapp run&apos; wendet das Rezept mit seinen Werten an.</translation>
    </message>
    <message>
        <source>torch has no type {label}, which &apos;{name}&apos; has.</source>
        <extracomment>sentences</extracomment>
        <translation>torch hat keinen Typ {label}, den &apos;{name}&apos; hat.</translation>
    </message>
    <message>
        <source>Leave the script out.</source>
        <extracomment>sentences</extracomment>
        <translation>Lassen Sie das Skript weg.</translation>
    </message>
    <message>
        <source>torch&apos;s pruning multiplies weights by their mask, which it cannot do with {label}, the type of &apos;{name}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>Das Pruning von torch multipliziert Gewichte mit ihrer Maske, was mit {label}, dem Typ von &apos;{name}&apos;, nicht geht.</translation>
    </message>
    <message>
        <source>Leave the script out; `pruneapp run` applies the recipe.</source>
        <extracomment>sentences</extracomment>
        <translation>Lassen Sie das Skript weg; pruneapp run führt das Rezept aus.</translation>
    </message>
    <message>
        <source>&apos;{index}&apos;, the index of the model, can no longer be read.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{index}&apos;, der Index des Modells, kann nicht mehr gelesen werden.</translation>
    </message>
    <message>
        <source>Put it back, then open the model again.</source>
        <extracomment>sentences</extracomment>
        <translation>Legen Sie ihn zurück, und öffnen Sie dann das Modell noch einmal.</translation>
    </message>
    <message>
        <source>Increase the max shard size.</source>
        <extracomment>sentences</extracomment>
        <translation>Erhöhen Sie die maximale Shard-Größe.</translation>
    </message>
    <message>
        <source>This checkpoint cannot be written as a compact file, so its size cannot be guaranteed.</source>
        <extracomment>sentences</extracomment>
        <translation>Dieser Checkpoint kann nicht als kompakte Datei geschrieben werden, also lässt sich ihre Größe nicht garantieren.</translation>
    </message>
    <message>
        <source>Enter a fraction or a count.</source>
        <extracomment>sentences</extracomment>
        <translation>Geben Sie einen Anteil oder eine Anzahl ein.</translation>
    </message>
    <message>
        <source>{nbytes} bytes cannot be reached: {least} are needed for the tensors that the step does not touch, and for the masks of the others.</source>
        <extracomment>sentences</extracomment>
        <translation>{nbytes} Bytes sind nicht erreichbar: {least} sind nötig für die Tensoren, die der Schritt nicht anrührt, und für die Masken der anderen.</translation>
    </message>
    <message>
        <source>Ask for more bytes, or select more tensors.</source>
        <extracomment>sentences</extracomment>
        <translation>Verlangen Sie mehr Bytes, oder wählen Sie mehr Tensoren.</translation>
    </message>
    <message>
        <source>Without pruning anything more, a compact file takes {now} bytes at most; {nbytes} were asked for.</source>
        <extracomment>sentences</extracomment>
        <translation>Ohne weiteres Prunen hat eine kompakte Datei höchstens {now} Bytes; verlangt waren {nbytes}.</translation>
    </message>
    <message>
        <source>Ask for fewer bytes.</source>
        <extracomment>sentences</extracomment>
        <translation>Verlangen Sie weniger Bytes.</translation>
    </message>
    <message>
        <source>The metadata of &apos;{file}&apos; contains no recipe, so there is nothing to verify.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Metadaten von &apos;{file}&apos; enthalten kein Rezept, also gibt es nichts zu prüfen.</translation>
    </message>
    <message>
        <source>Name the exported file first and the original after --against, or give the recipe with --recipe: torch formats have no metadata, and a recipe of many megabytes is not written into it.</source>
        <extracomment>sentences</extracomment>
        <translation>Nennen Sie zuerst die exportierte Datei und das Original nach --against, oder geben Sie das Rezept mit --recipe an: torch-Formate haben keine Metadaten, und ein Rezept von vielen Megabytes wird nicht hineingeschrieben.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; cannot be read: {words_of}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; kann nicht gelesen werden: {words_of}.</translation>
    </message>
    <message>
        <source>Check the file and your permissions.</source>
        <extracomment>sentences</extracomment>
        <translation>Prüfen Sie die Datei und Ihre Rechte.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; declares no family: {error}</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; deklariert keine Modellfamilie: {error}</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is not an ONNX model, so it holds no graph.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist kein ONNX-Modell, enthält also keinen Graphen.</translation>
    </message>
    <message>
        <source>Open an ONNX model.</source>
        <extracomment>sentences</extracomment>
        <translation>Öffnen Sie ein ONNX-Modell.</translation>
    </message>
    <message>
        <source>The graph of &apos;{path}&apos; is not as ONNX defines it.</source>
        <extracomment>sentences</extracomment>
        <translation>Der Graph von &apos;{path}&apos; ist nicht so, wie ONNX ihn definiert.</translation>
    </message>
    <message>
        <source>Check the model with onnx.checker, and save it again.</source>
        <extracomment>sentences</extracomment>
        <translation>Prüfen Sie das Modell mit onnx.checker, und speichern Sie es noch einmal.</translation>
    </message>
    <message>
        <source>The groups of an ONNX model need the package onnx, which is not installed.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Gruppen eines ONNX-Modells brauchen das Paket onnx, das nicht installiert ist.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is not a program of torch.export, so it holds no graph.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist kein Programm von torch.export, enthält also keinen Graphen.</translation>
    </message>
    <message>
        <source>Open a .pt2 file.</source>
        <extracomment>sentences</extracomment>
        <translation>Öffnen Sie eine .pt2-Datei.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; holds several programs, which are not cut.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; enthält mehrere Programme; solche werden nicht verkleinert.</translation>
    </message>
    <message>
        <source>Export each into a file of its own.</source>
        <extracomment>sentences</extracomment>
        <translation>Exportieren Sie jedes in eine eigene Datei.</translation>
    </message>
    <message>
        <source>The graph of &apos;{path}&apos; is not as torch.export writes it.</source>
        <extracomment>sentences</extracomment>
        <translation>Der Graph von &apos;{path}&apos; ist nicht so, wie torch.export ihn schreibt.</translation>
    </message>
    <message>
        <source>Export the model again.</source>
        <extracomment>sentences</extracomment>
        <translation>Exportieren Sie das Modell noch einmal.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has another shape on the other side: nothing can be compared.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; hat auf der anderen Seite eine andere Form: Es lässt sich nichts vergleichen.</translation>
    </message>
    <message>
        <source>Choose another tensor, or show something else.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie einen anderen Tensor, oder zeigen Sie etwas anderes an.</translation>
    </message>
    <message>
        <source>Undo still works. Free disk space, or export and reopen the file before memory runs low.</source>
        <extracomment>sentences</extracomment>
        <translation>Rückgängigmachen geht weiterhin. Schaffen Sie Platz auf der Festplatte, oder exportieren Sie die Datei und öffnen Sie sie neu, bevor der Speicher knapp wird.</translation>
    </message>
    <message>
        <source>Undo and try again.</source>
        <extracomment>sentences</extracomment>
        <translation>Machen Sie die Schritte rückgängig, und versuchen Sie es erneut.</translation>
    </message>
    <message>
        <source>Another file is being opened; changes to this one would be lost.</source>
        <extracomment>sentences</extracomment>
        <translation>Eine andere Datei wird geöffnet; Änderungen an dieser gingen verloren.</translation>
    </message>
    <message>
        <source>Wait, or press Esc to stay with this file.</source>
        <extracomment>sentences</extracomment>
        <translation>Warten Sie, oder drücken Sie Esc, um bei dieser Datei zu bleiben.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has changed.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; hat sich geändert.</translation>
    </message>
    <message>
        <source>Start the evaluation again to read the new version.</source>
        <extracomment>sentences</extracomment>
        <translation>Starten Sie die Auswertung neu, um die neue Fassung zu lesen.</translation>
    </message>
    <message>
        <source>Enter a command line.</source>
        <extracomment>sentences</extracomment>
        <translation>Geben Sie eine Befehlszeile ein.</translation>
    </message>
    <message>
        <source>There is no program &apos;{name}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>Es gibt kein Programm &apos;{name}&apos;.</translation>
    </message>
    <message>
        <source>Name one that is installed, or its path; it runs in &apos;{folder}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>Nennen Sie ein installiertes Programm oder seinen Pfad; es läuft in &apos;{folder}&apos;.</translation>
    </message>
    <message>
        <source>Choose {what}.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie: {what}.</translation>
    </message>
    <message>
        <source>There is no file &apos;{text}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>Es gibt keine Datei &apos;{text}&apos;.</translation>
    </message>
    <message>
        <source>Choose a text file for the model.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie eine Textdatei für das Modell.</translation>
    </message>
    <message>
        <source>The original file is being replaced; changes made now would be lost.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Originaldatei wird gerade ersetzt; jetzige Änderungen gingen verloren.</translation>
    </message>
    <message>
        <source>Wait for the export to finish, or press Esc to cancel it.</source>
        <extracomment>sentences</extracomment>
        <translation>Warten Sie, bis der Export fertig ist, oder brechen Sie ihn mit Esc ab.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is not the file that this session was made with: its size matches, but its SHA-256 differs.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; ist nicht die Datei, mit der diese Sitzung erstellt wurde: Die Größe stimmt, aber der SHA-256 ist ein anderer.</translation>
    </message>
    <message>
        <source>The masks fit, but were made for other weights. Locate the original file.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Masken passen, wurden aber für andere Gewichte erstellt. Suchen Sie die Originaldatei.</translation>
    </message>
    <message>
        <source>Nothing is selected.</source>
        <extracomment>sentences</extracomment>
        <translation>Es ist nichts ausgewählt.</translation>
    </message>
    <message>
        <source>Select channels or weights in the picture; see Help &gt; Keyboard shortcuts.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie im Bild Kanäle oder Gewichte aus; siehe Hilfe &gt; Tastenkürzel.</translation>
    </message>
    <message>
        <source>No tensor is checked.</source>
        <extracomment>sentences</extracomment>
        <translation>Es ist kein Tensor angekreuzt.</translation>
    </message>
    <message>
        <source>Check a tensor in the tree.</source>
        <extracomment>sentences</extracomment>
        <translation>Kreuzen Sie im Baum einen Tensor an.</translation>
    </message>
    <message>
        <source>Enter the tensors that this rule applies to.</source>
        <extracomment>sentences</extracomment>
        <translation>Geben Sie die Tensoren ein, für die diese Regel gilt.</translation>
    </message>
    <message>
        <source>This file has no tensors.</source>
        <extracomment>sentences</extracomment>
        <translation>Diese Datei hat keine Tensoren.</translation>
    </message>
    <message>
        <source>Open another checkpoint.</source>
        <extracomment>sentences</extracomment>
        <translation>Öffnen Sie einen anderen Checkpoint.</translation>
    </message>
    <message>
        <source>No tensor of this file can be pruned.</source>
        <extracomment>sentences</extracomment>
        <translation>Kein Tensor dieser Datei lässt sich prunen.</translation>
    </message>
    <message>
        <source>The tree shows the reason for each.</source>
        <extracomment>sentences</extracomment>
        <translation>Der Baum zeigt für jeden den Grund.</translation>
    </message>
    <message>
        <source>Rule {rule} is for the checked tensors, but no tensor is checked.</source>
        <extracomment>sentences</extracomment>
        <translation>Regel {rule} gilt für die angekreuzten Tensoren, aber es ist kein Tensor angekreuzt.</translation>
    </message>
    <message>
        <source>Check a tensor in the tree, or remove the rule.</source>
        <extracomment>sentences</extracomment>
        <translation>Kreuzen Sie im Baum einen Tensor an, oder entfernen Sie die Regel.</translation>
    </message>
    <message>
        <source>No checkpoint is open.</source>
        <extracomment>sentences</extracomment>
        <translation>Es ist kein Checkpoint geöffnet.</translation>
    </message>
    <message>
        <source>No {kind} layer can be pruned here.</source>
        <extracomment>sentences</extracomment>
        <translation>Hier lässt sich keine {kind}-Schicht prunen.</translation>
    </message>
    <message>
        <source>The picture cannot be encoded as PNG. Nothing was written.</source>
        <extracomment>sentences</extracomment>
        <translation>Das Bild lässt sich nicht als PNG speichern. Es wurde nichts geschrieben.</translation>
    </message>
    <message>
        <source>No channels are selected.</source>
        <extracomment>sentences</extracomment>
        <translation>Es sind keine Kanäle ausgewählt.</translation>
    </message>
    <message>
        <source>Select bars on the page Channels (3).</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie Balken auf der Seite Kanäle (3) aus.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is not a list of channels: it is not UTF-8 text at byte {start}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist keine Liste von Kanälen: Bei Byte {start} ist es kein Text in UTF-8.</translation>
    </message>
    <message>
        <source>Choose a text file with indices such as 0-3, 7, 12.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie eine Textdatei mit Indizes wie 0-3, 7, 12.</translation>
    </message>
    <message>
        <source>There is no text on the clipboard.</source>
        <extracomment>sentences</extracomment>
        <translation>In der Zwischenablage ist kein Text.</translation>
    </message>
    <message>
        <source>Copy a list of channels, such as 0-3, 7, 12.</source>
        <extracomment>sentences</extracomment>
        <translation>Kopieren Sie eine Liste von Kanälen, etwa 0-3, 7, 12.</translation>
    </message>
    <message>
        <source>There are no channels to select from.</source>
        <extracomment>sentences</extracomment>
        <translation>Es gibt keine Kanäle zum Auswählen.</translation>
    </message>
    <message>
        <source>Show the page Channels (3) of a tensor of two or more dimensions.</source>
        <extracomment>sentences</extracomment>
        <translation>Zeigen Sie die Seite Kanäle (3) eines Tensors mit zwei oder mehr Dimensionen an.</translation>
    </message>
    <message>
        <source>Enter a size as a number and a unit, such as 40 MB or 512 KiB (got &apos;{strip}&apos;).</source>
        <extracomment>sentences</extracomment>
        <translation>Geben Sie eine Größe als Zahl mit Einheit ein, etwa 40 MB oder 512 KiB (angegeben: &apos;{strip}&apos;).</translation>
    </message>
    <message>
        <source>&apos;{label}&apos; prunes whole {granularity}, so a file size cannot be guaranteed.</source>
        <extracomment>sentences</extracomment>
        <translation>„{label}“ prunt ganze Einheiten ({granularity}), daher lässt sich keine Dateigröße garantieren.</translation>
    </message>
    <message>
        <source>Choose an unstructured method.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie eine unstrukturierte Methode.</translation>
    </message>
    <message>
        <source>The recipe was not applied because the history changed in the meantime.</source>
        <extracomment>sentences</extracomment>
        <translation>Das Rezept wurde nicht angewendet, weil sich der Verlauf inzwischen geändert hat.</translation>
    </message>
    <message>
        <source>Apply the recipe again.</source>
        <extracomment>sentences</extracomment>
        <translation>Wenden Sie das Rezept noch einmal an.</translation>
    </message>
    <message>
        <source>The history is empty, so there is no recipe to save.</source>
        <extracomment>sentences</extracomment>
        <translation>Der Verlauf ist leer, daher gibt es kein Rezept zu speichern.</translation>
    </message>
    <message>
        <source>Apply a pruning step first.</source>
        <extracomment>sentences</extracomment>
        <translation>Wenden Sie zuerst einen Pruning-Schritt an.</translation>
    </message>
    <message>
        <source>Iterative pruning needs exactly one rule (got {len}).</source>
        <extracomment>sentences</extracomment>
        <translation>Iteratives Pruning braucht genau eine Regel (vorhanden: {len}).</translation>
    </message>
    <message>
        <source>Remove the other rules, and apply them before or after.</source>
        <extracomment>sentences</extracomment>
        <translation>Entfernen Sie die anderen Regeln, und wenden Sie sie vorher oder nachher an.</translation>
    </message>
    <message>
        <source>Iterative pruning of channels or blocks works per tensor only.</source>
        <extracomment>sentences</extracomment>
        <translation>Iteratives Pruning von Kanälen oder Blöcken geht nur je Tensor.</translation>
    </message>
    <message>
        <source>Choose the scope &apos;per tensor&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie den Bereich „je Tensor“.</translation>
    </message>
    <message>
        <source>These tensors have only {size} weights.</source>
        <extracomment>sentences</extracomment>
        <translation>Diese Tensoren haben nur {size} Gewichte.</translation>
    </message>
    <message>
        <source>{begun} of {size} weights are already pruned.</source>
        <extracomment>sentences</extracomment>
        <translation>Von {size} Gewichten sind schon {begun} geprunt.</translation>
    </message>
    <message>
        <source>Enter a higher final sparsity, or undo.</source>
        <extracomment>sentences</extracomment>
        <translation>Geben Sie eine höhere End-Sparsity ein, oder machen Sie Schritte rückgängig.</translation>
    </message>
    <message>
        <source>No round was applied because the history changed in the meantime.</source>
        <extracomment>sentences</extracomment>
        <translation>Keine Runde wurde angewendet, weil sich der Verlauf inzwischen geändert hat.</translation>
    </message>
    <message>
        <source>Start iterative pruning again.</source>
        <extracomment>sentences</extracomment>
        <translation>Beginnen Sie das iterative Pruning noch einmal.</translation>
    </message>
    <message>
        <source>Choose a statistics file.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie eine Statistikdatei.</translation>
    </message>
    <message>
        <source>A repair is being computed; changes made now would be lost.</source>
        <extracomment>sentences</extracomment>
        <translation>Eine Reparatur wird berechnet; jetzige Änderungen gingen verloren.</translation>
    </message>
    <message>
        <source>Wait for it to finish, or press Esc to cancel it.</source>
        <extracomment>sentences</extracomment>
        <translation>Warten Sie, bis sie fertig ist, oder brechen Sie sie mit Esc ab.</translation>
    </message>
    <message>
        <source>No layer is partly pruned, so there is nothing to repair.</source>
        <extracomment>sentences</extracomment>
        <translation>Keine Schicht ist teilweise geprunt, daher gibt es nichts zu reparieren.</translation>
    </message>
    <message>
        <source>Prune first; zeros in the file count after Treat zeros as pruned.</source>
        <extracomment>sentences</extracomment>
        <translation>Prunen Sie zuerst; Nullen der Datei zählen erst, wenn sie als geprunt behandelt werden.</translation>
    </message>
    <message>
        <source>Nothing has been scanned yet, so nothing can be allocated.</source>
        <extracomment>sentences</extracomment>
        <translation>Es wurde noch nichts gescannt, daher lässt sich nichts zuteilen.</translation>
    </message>
    <message>
        <source>Choose Tools &gt; Scan sensitivity… first.</source>
        <extracomment>sentences</extracomment>
        <translation>Führen Sie zuerst einen Sensitivitäts-Scan aus (Menü Werkzeuge).</translation>
    </message>
    <message>
        <source>The state that was scanned is not in the history any more.</source>
        <extracomment>sentences</extracomment>
        <translation>Der gescannte Zustand ist nicht mehr im Verlauf.</translation>
    </message>
    <message>
        <source>Scan the current state.</source>
        <extracomment>sentences</extracomment>
        <translation>Scannen Sie den aktuellen Zustand.</translation>
    </message>
    <message>
        <source>This is not the state that was scanned: other weights are pruned in it.</source>
        <extracomment>sentences</extracomment>
        <translation>Das ist nicht der gescannte Zustand: In ihm sind andere Gewichte geprunt.</translation>
    </message>
    <message>
        <source>The allocation was not applied because the history changed in the meantime.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Zuteilung wurde nicht angewendet, weil sich der Verlauf inzwischen geändert hat.</translation>
    </message>
    <message>
        <source>Allocate again.</source>
        <extracomment>sentences</extracomment>
        <translation>Teilen Sie noch einmal zu.</translation>
    </message>
    <message>
        <source>A scan is running.</source>
        <extracomment>sentences</extracomment>
        <translation>Ein Scan läuft.</translation>
    </message>
    <message>
        <source>Wait for it to finish, or press Esc to stop it.</source>
        <extracomment>sentences</extracomment>
        <translation>Warten Sie, bis er fertig ist, oder halten Sie ihn mit Esc an.</translation>
    </message>
    <message>
        <source>No tensor is checked, so there is nothing to scan.</source>
        <extracomment>sentences</extracomment>
        <translation>Es ist kein Tensor angekreuzt, daher gibt es nichts zu scannen.</translation>
    </message>
    <message>
        <source>Check tensors in the tree.</source>
        <extracomment>sentences</extracomment>
        <translation>Kreuzen Sie im Baum Tensoren an.</translation>
    </message>
    <message>
        <source>This was measured in another state than the current one, so it cannot be set in the form.</source>
        <extracomment>sentences</extracomment>
        <translation>Das wurde in einem anderen Zustand als dem aktuellen gemessen, daher lässt es sich im Formular nicht einstellen.</translation>
    </message>
    <message>
        <source>Press &apos;Go to this state&apos; above the map, or scan the current state.</source>
        <extracomment>sentences</extracomment>
        <translation>Drücken Sie über der Karte „Zu diesem Zustand gehen“, oder scannen Sie den aktuellen Zustand.</translation>
    </message>
    <message>
        <source>Custom pruning methods are classes of torch, which is not installed.</source>
        <extracomment>sentences</extracomment>
        <translation>Eigene Pruning-Methoden sind Klassen von torch, das nicht installiert ist.</translation>
    </message>
    <message>
        <source>it is nested too deeply: at most {MAX_DEPTH} levels are allowed</source>
        <extracomment>sentences</extracomment>
        <translation>zu tief verschachtelt: höchstens {MAX_DEPTH} Ebenen</translation>
    </message>
    <message>
        <source>it is not a JSON object</source>
        <extracomment>sentences</extracomment>
        <translation>kein JSON-Objekt</translation>
    </message>
    <message>
        <source>it holds an integer that does not fit in 64 bits</source>
        <extracomment>sentences</extracomment>
        <translation>eine ganze Zahl passt nicht in 64 Bit</translation>
    </message>
    <message>
        <source>it is not UTF-8 text at byte {start}</source>
        <extracomment>sentences</extracomment>
        <translation>kein UTF-8-Text bei Byte {start}</translation>
    </message>
    <message>
        <source>&apos;{where}&apos;, at {place}: {sentence}</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos;, bei {place}: {sentence}</translation>
    </message>
    <message>
        <source>{quoted_names} of &apos;{path}&apos; cannot be written as {name}: {why}.</source>
        <extracomment>sentences</extracomment>
        <translation>Aus &apos;{path}&apos; nicht als {name} zu schreiben: {quoted_names} ({why}).</translation>
    </message>
    <message>
        <source>{quoted_names} of &apos;{path}&apos; would not be in the export, which is a bug in Pruneapp.</source>
        <extracomment>sentences</extracomment>
        <translation>Aus &apos;{path}&apos; würde im Export etwas fehlen, ein Fehler von Pruneapp: {quoted_names}.</translation>
    </message>
    <message>
        <source>The program cannot be written, because {reason}.</source>
        <extracomment>sentences</extracomment>
        <translation>Das Programm kann nicht geschrieben werden: {reason}.</translation>
    </message>
    <message>
        <source>Export as safetensors, which holds the weights without the graph.</source>
        <extracomment>sentences</extracomment>
        <translation>Exportieren Sie als safetensors; diese Datei enthält die Gewichte ohne den Graphen.</translation>
    </message>
    <message>
        <source>There would be more than {MAX_FILES} files of at most {format_bytes}.</source>
        <extracomment>sentences</extracomment>
        <translation>Es entstünden mehr als {MAX_FILES} Dateien mit höchstens {format_bytes}.</translation>
    </message>
    <message>
        <source>it holds half of a surrogate pair at {start}</source>
        <extracomment>sentences</extracomment>
        <translation>ein halbes Surrogatpaar bei {start}</translation>
    </message>
    <message>
        <source>it holds half of a surrogate pair</source>
        <extracomment>sentences</extracomment>
        <translation>ein halbes Surrogatpaar</translation>
    </message>
    <message>
        <source>it holds a number with thousands of digits</source>
        <extracomment>sentences</extracomment>
        <translation>eine Zahl mit Tausenden von Ziffern</translation>
    </message>
    <message>
        <source>it is nested too deeply</source>
        <extracomment>sentences</extracomment>
        <translation>zu tief verschachtelt</translation>
    </message>
    <message>
        <source>&apos;device&apos; must be one of {join} (got {key}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;device&apos; muss eines von {join} sein (angegeben: {key}).</translation>
    </message>
    <message>
        <source>There is no {upper} device here (there are: {join}).</source>
        <extracomment>sentences</extracomment>
        <translation>Hier gibt es kein Gerät {upper} (vorhanden: {join}).</translation>
    </message>
    <message>
        <source>Choose auto or cpu.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie auto oder cpu.</translation>
    </message>
    <message>
        <source>GPUs need torch, which is not installed. {remedy_for}</source>
        <extracomment>sentences</extracomment>
        <translation>GPUs brauchen torch, das nicht installiert ist. {remedy_for}</translation>
    </message>
    <message>
        <source>The device &apos;{name}&apos; failed: {rstrip}.</source>
        <extracomment>sentences</extracomment>
        <translation>Das Gerät &apos;{name}&apos; ist ausgefallen: {rstrip}.</translation>
    </message>
    <message>
        <source>Choose the CPU as device; the masks are the same.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie die CPU als Gerät; die Masken sind dieselben.</translation>
    </message>
    <message>
        <source>A mask of {value} GB does not fit into memory and is kept in &apos;{folder}&apos;, but {why}.</source>
        <extracomment>sentences</extracomment>
        <translation>Eine Maske von {value} GB passt nicht in den Speicher und soll in &apos;{folder}&apos; liegen, was fehlschlug: {why}.</translation>
    </message>
    <message>
        <source>Free that much space there, or set XDG_CACHE_HOME to a folder on a larger disk and start Pruneapp again.</source>
        <extracomment>sentences</extracomment>
        <translation>Schaffen Sie dort so viel Platz, oder setzen Sie XDG_CACHE_HOME auf einen Ordner einer größeren Festplatte, und starten Sie Pruneapp neu.</translation>
    </message>
    <message>
        <source>{n} {one} that is</source>
        <extracomment>sentences</extracomment>
        <translation>{n} {one}</translation>
    </message>
    <message>
        <source>{n} {more} that are</source>
        <extracomment>sentences</extracomment>
        <translation>{n} {more}</translation>
    </message>
    <message>
        <source>&apos;amount&apos; is too large: of the {kept} not pruned yet, {counted} protected, so {can} ({given}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;amount&apos; ist zu groß. Noch nicht geprunt: {kept}; davon geschützt: {counted}; also {can} ({given}).</translation>
    </message>
    <message>
        <source>At most {percent} {each} is {counted}, but {what} requires {target}.</source>
        <extracomment>sentences</extracomment>
        <translation>Höchstens {percent} ({each}) sind {counted}, verlangt sind aber {target} ({what}).</translation>
    </message>
    <message>
        <source>Raise the maximum sparsity or lower the {word}.</source>
        <extracomment>sentences</extracomment>
        <translation>Erhöhen Sie die Höchst-Sparsity, oder verringern Sie den Wert ({word}).</translation>
    </message>
    <message>
        <source>&apos;amount&apos; must be 0 here: all {more} are pruned already (got {count}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;amount&apos; muss hier 0 sein, denn alles ist schon geprunt ({more}; angegeben: {count}).</translation>
    </message>
    <message>
        <source>Uncheck pruned tensors, or undo a step.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie geprunte Tensoren ab, oder machen Sie einen Schritt rückgängig.</translation>
    </message>
    <message>
        <source>{n} {one} is</source>
        <extracomment>sentences</extracomment>
        <translation>{n} {one}</translation>
    </message>
    <message>
        <source>{n} {more} are</source>
        <extracomment>sentences</extracomment>
        <translation>{n} {more}</translation>
    </message>
    <message>
        <source>&apos;amount&apos; is larger than what remains: only {only} not pruned yet (got {count}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;amount&apos; ist größer als der Rest. Noch nicht geprunt: nur {only} (angegeben: {count}).</translation>
    </message>
    <message>
        <source>At least {percent} of &apos;{names}&apos; is {counted}, but only {most} can be pruned: {counted2} protected.</source>
        <extracomment>sentences</extracomment>
        <translation>Mindestens {percent} von &apos;{names}&apos; sind {counted}, aber nur {most} können geprunt werden (geschützt: {counted2}).</translation>
    </message>
    <message>
        <source>Lower the minimum sparsity, or unprotect weights.</source>
        <extracomment>sentences</extracomment>
        <translation>Senken Sie die Mindest-Sparsity, oder heben Sie den Schutz von Gewichten auf.</translation>
    </message>
    <message>
        <source>{counted} pruned already, but {what} is {target}.</source>
        <extracomment>sentences</extracomment>
        <translation>Schon geprunt: {counted}; verlangt sind aber nur {target} ({what}).</translation>
    </message>
    <message>
        <source>Raise the {word}, or undo a step.</source>
        <extracomment>sentences</extracomment>
        <translation>Erhöhen Sie den Wert ({word}), oder machen Sie einen Schritt rückgängig.</translation>
    </message>
    <message>
        <source>At least {percent} {each} is {counted}, but {what} is only {target}.</source>
        <extracomment>sentences</extracomment>
        <translation>Mindestens {percent} ({each}) sind {counted}, verlangt sind aber nur {target} ({what}).</translation>
    </message>
    <message>
        <source>Lower the minimum sparsity or raise the {word}.</source>
        <extracomment>sentences</extracomment>
        <translation>Senken Sie die Mindest-Sparsity, oder erhöhen Sie den Wert ({word}).</translation>
    </message>
    <message>
        <source>The selected tensors have {counted}, but {what} is {target}.</source>
        <extracomment>sentences</extracomment>
        <translation>Die gewählten Tensoren haben {counted}, verlangt sind aber {target} ({what}).</translation>
    </message>
    <message>
        <source>Lower the {word}.</source>
        <extracomment>sentences</extracomment>
        <translation>Verringern Sie den Wert ({word}).</translation>
    </message>
    <message>
        <source>Only {counted} can be pruned, because {counted2} protected, but {what} requires {target}.</source>
        <extracomment>sentences</extracomment>
        <translation>Geprunt werden können nur {counted} (geschützt: {counted2}), verlangt sind aber {target} ({what}).</translation>
    </message>
    <message>
        <source>Lower the {word}, or unprotect weights.</source>
        <extracomment>sentences</extracomment>
        <translation>Verringern Sie den Wert ({word}), oder heben Sie den Schutz von Gewichten auf.</translation>
    </message>
    <message>
        <source>Whole {unit} of &apos;{names}&apos; cannot be between {percent} and {percent2} of it: {most} of them are too few, and {least} would prune {value} of {numel} weights.</source>
        <extracomment>sentences</extracomment>
        <translation>Ganze Einheiten ({unit}) von &apos;{names}&apos; können nicht zwischen {percent} und {percent2} davon ausmachen: {most} davon sind zu wenig, und {least} würden {value} von {numel} Gewichten prunen.</translation>
    </message>
    <message>
        <source>At least {percent} of each tensor is {counted} in whole {unit}, but the total is only {target}.</source>
        <extracomment>sentences</extracomment>
        <translation>Mindestens {percent} jedes Tensors sind in ganzen Einheiten ({unit}) {counted}, der Gesamtwert ist aber nur {target}.</translation>
    </message>
    <message>
        <source>Lower the minimum sparsity or raise the total.</source>
        <extracomment>sentences</extracomment>
        <translation>Senken Sie die Mindest-Sparsity, oder erhöhen Sie den Gesamtwert.</translation>
    </message>
    <message>
        <source>{n} is</source>
        <extracomment>sentences</extracomment>
        <translation>{n}</translation>
    </message>
    <message>
        <source>{n} are</source>
        <extracomment>sentences</extracomment>
        <translation>{n}</translation>
    </message>
    <message>
        <source>{n} weight is</source>
        <extracomment>sentences</extracomment>
        <translation>{n} Gewicht</translation>
    </message>
    <message>
        <source>{n} weights are</source>
        <extracomment>sentences</extracomment>
        <translation>{n} Gewichte</translation>
    </message>
    <message>
        <source>Groups of &apos;{name}&apos; along dimension {dim} hold weights of several outputs, which cannot be exchanged.</source>
        <extracomment>sentences</extracomment>
        <translation>Gruppen von &apos;{name}&apos; entlang Dimension {dim} enthalten Gewichte mehrerer Ausgaben, die sich nicht tauschen lassen.</translation>
    </message>
    <message>
        <source>Choose the dimension of the inputs, or &apos;wanda_n_m&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie die Dimension der Eingaben oder &apos;wanda_n_m&apos;.</translation>
    </message>
    <message>
        <source>Nothing would be pruned: of {units}, {value} would be kept, and the number of units kept {where} is rounded up to a multiple of {multiple}.</source>
        <extracomment>sentences</extracomment>
        <translation>Es würde nichts geprunt: Von {units} blieben {value} erhalten, und die Zahl der erhaltenen Einheiten {where} wird auf ein Vielfaches von {multiple} aufgerundet.</translation>
    </message>
    <message>
        <source>&apos;{by}&apos; ranks units by the tensors that read them, and none is known for &apos;{place}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{by}&apos; ordnet Einheiten nach den Tensoren, die sie lesen, und für &apos;{place}&apos; ist keiner bekannt.</translation>
    </message>
    <message>
        <source>Rank by &apos;wanda&apos; or by a norm.</source>
        <extracomment>sentences</extracomment>
        <translation>Ordnen Sie nach &apos;wanda&apos; oder nach einer Norm.</translation>
    </message>
    <message>
        <source>The statistics say nothing about the inputs of {first_names}, so &apos;{by}&apos; cannot rank the units of &apos;{place}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Statistik sagt nichts über die Eingaben von {first_names}, daher kann &apos;{by}&apos; die Einheiten von &apos;{place}&apos; nicht ordnen.</translation>
    </message>
    <message>
        <source>Collect statistics that reach them with `pruneapp statistics`, or rank by a norm.</source>
        <extracomment>sentences</extracomment>
        <translation>Sammeln Sie mit `pruneapp statistics` eine Statistik, die sie erreicht, oder ordnen Sie nach einer Norm.</translation>
    </message>
    <message>
        <source>&apos;{FLAP}&apos; needs the means of inputs, but the statistics have only the squares for {first_names}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{FLAP}&apos; braucht die Mittelwerte von Eingaben, die Statistik enthält für {first_names} aber nur deren Quadrate.</translation>
    </message>
    <message>
        <source>Collect them with `pruneapp statistics`, or rank by &apos;wanda&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>Sammeln Sie sie mit `pruneapp statistics`, oder ordnen Sie nach &apos;wanda&apos;.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has no part in {label}, as far as is known.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; hat, soweit bekannt, keinen Anteil an {label}.</translation>
    </message>
    <message>
        <source>Uncheck it, or choose another method.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie den Tensor ab, oder wählen Sie eine andere Methode.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; cannot prune {scope}ly: it offers {join} only.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; kann nicht im Bereich {scope} prunen, möglich ist nur {join}.</translation>
    </message>
    <message>
        <source>Choose the {scopes} scope.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie den Bereich {scopes}.</translation>
    </message>
    <message>
        <source>&apos;scope&apos; must be local or global (got {scope}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;scope&apos; muss local oder global sein (angegeben: {scope}).</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; cannot prune globally: channels of different tensors have different sizes, so their scores are not comparable.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; kann nicht global prunen: Kanäle verschiedener Tensoren haben verschiedene Größen, daher sind ihre Werte nicht vergleichbar.</translation>
    </message>
    <message>
        <source>Choose the local scope, or an unstructured method.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie den Bereich „je Tensor“ oder eine unstrukturierte Methode.</translation>
    </message>
    <message>
        <source>Pruning {what} needs tensors of two or more dimensions, but &apos;{name}&apos; has {len}.</source>
        <extracomment>sentences</extracomment>
        <translation>Das Prunen von {what} braucht Tensoren mit zwei oder mehr Dimensionen, &apos;{name}&apos; hat aber {len}.</translation>
    </message>
    <message>
        <source>Uncheck it, or choose an unstructured method.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie den Tensor ab, oder wählen Sie eine unstrukturierte Methode.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; takes no importance scores.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; nimmt keine Wichtigkeitswerte.</translation>
    </message>
    <message>
        <source>Remove them, or choose a method that ranks by magnitude.</source>
        <extracomment>sentences</extracomment>
        <translation>Entfernen Sie sie, oder wählen Sie eine Methode, die nach Betrag ordnet.</translation>
    </message>
    <message>
        <source>The importance scores of &apos;{name}&apos; must have its shape {list} (got {list2}).</source>
        <extracomment>sentences</extracomment>
        <translation>Die Wichtigkeitswerte von &apos;{name}&apos; müssen dessen Form {list} haben (angegeben: {list2}).</translation>
    </message>
    <message>
        <source>Choose the score file made for this checkpoint.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie die Datei mit Werten, die für diesen Checkpoint erstellt wurde.</translation>
    </message>
    <message>
        <source>The importance scores of &apos;{name}&apos; must be floats (got {label}).</source>
        <extracomment>sentences</extracomment>
        <translation>Die Wichtigkeitswerte von &apos;{name}&apos; müssen Gleitkommazahlen sein (angegeben: {label}).</translation>
    </message>
    <message>
        <source>Save them as float32.</source>
        <extracomment>sentences</extracomment>
        <translation>Speichern Sie sie als float32.</translation>
    </message>
    <message>
        <source>No mask is given for &apos;{name}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>Für &apos;{name}&apos; ist keine Maske angegeben.</translation>
    </message>
    <message>
        <source>Choose a mask file that contains this tensor, or exclude the tensor.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie eine Maskendatei, die diesen Tensor enthält, oder nehmen Sie den Tensor aus.</translation>
    </message>
    <message>
        <source>No norm layer that follows &apos;{name}&apos; was found by name, so its channels have no scale.</source>
        <extracomment>sentences</extracomment>
        <translation>Nach Namen fand sich keine Norm-Schicht, die auf &apos;{name}&apos; folgt, also haben die Kanäle keine Skala.</translation>
    </message>
    <message>
        <source>Uncheck it, or choose a method that ranks channels by their weights.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie den Tensor ab, oder wählen Sie eine Methode, die Kanäle nach ihren Gewichten ordnet.</translation>
    </message>
    <message>
        <source>The statistics say nothing about the inputs of {first_names}.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Statistik sagt nichts über die Eingaben von {first_names}.</translation>
    </message>
    <message>
        <source>Uncheck those tensors, or collect statistics that reach them.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie diese Tensoren ab, oder sammeln Sie eine Statistik, die sie erreicht.</translation>
    </message>
    <message>
        <source>Uncheck it, or collect statistics that reach it.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie den Tensor ab, oder sammeln Sie eine Statistik, die ihn erreicht.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; needs Gram matrices, but the statistics have none of the inputs of {first_names}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; braucht Gram-Matrizen, die Statistik hat aber keine der Eingaben von {first_names}.</translation>
    </message>
    <message>
        <source>Collect statistics with Gram matrices (`pruneapp statistics --gram`).</source>
        <extracomment>sentences</extracomment>
        <translation>Sammeln Sie eine Statistik mit Gram-Matrizen (`pruneapp statistics --gram`).</translation>
    </message>
    <message>
        <source>The rows of {first_names} are inputs, not outputs, so &apos;{name}&apos; cannot compare weights within them.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Zeilen von {first_names} sind Eingaben, keine Ausgaben, also kann &apos;{name}&apos; darin keine Gewichte vergleichen.</translation>
    </message>
    <message>
        <source>Uncheck {value}, or choose &apos;wanda_per_tensor&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie ab, was nicht passt ({value}), oder nehmen Sie &apos;wanda_per_tensor&apos;.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; prunes units in several tensors at once, so limits do not apply ({join}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; prunt Einheiten in mehreren Tensoren zugleich, also gelten Grenzen nicht ({join}).</translation>
    </message>
    <message>
        <source>Remove them, or choose a method for weights or channels of one tensor.</source>
        <extracomment>sentences</extracomment>
        <translation>Entfernen Sie sie, oder wählen Sie eine Methode für Gewichte oder Kanäle eines Tensors.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; sets the sparsity itself, so limits do not apply ({join}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; legt die Sparsity selbst fest, also gelten Grenzen nicht ({join}).</translation>
    </message>
    <message>
        <source>Remove them, or choose a method that takes an amount.</source>
        <extracomment>sentences</extracomment>
        <translation>Entfernen Sie sie, oder wählen Sie eine Methode mit einem Umfang.</translation>
    </message>
    <message>
        <source>The minimum sparsity of {percent} is above the maximum of {percent2}.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Mindest-Sparsity von {percent} liegt über der Höchst-Sparsity von {percent2}.</translation>
    </message>
    <message>
        <source>Sparsity limits of methods that prune whole {granularity} apply per tensor ({join}).</source>
        <extracomment>sentences</extracomment>
        <translation>Bei Methoden, die nur Ganzes prunen ({granularity}), gelten Grenzen der Sparsity je Tensor ({join}).</translation>
    </message>
    <message>
        <source>Choose the local scope, or remove the limits.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie den Bereich „je Tensor“, oder entfernen Sie die Grenzen.</translation>
    </message>
    <message>
        <source>The name of a method must be a Python identifier (got &apos;{name}&apos;).</source>
        <extracomment>sentences</extracomment>
        <translation>Der Name einer Methode muss ein Python-Bezeichner sein (angegeben: &apos;{name}&apos;).</translation>
    </message>
    <message>
        <source>Use letters, digits and underscores, such as &apos;my_method&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>Verwenden Sie Buchstaben, Ziffern und Unterstriche, etwa &apos;my_method&apos;.</translation>
    </message>
    <message>
        <source>A method named &apos;{name}&apos; exists already.</source>
        <extracomment>sentences</extracomment>
        <translation>Eine Methode namens &apos;{name}&apos; gibt es schon.</translation>
    </message>
    <message>
        <source>Give your method another name.</source>
        <extracomment>sentences</extracomment>
        <translation>Geben Sie Ihrer Methode einen anderen Namen.</translation>
    </message>
    <message>
        <source>There is no method &apos;{name}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>Es gibt keine Methode &apos;{name}&apos;.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; must be {describe} (got {got}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; hat keinen zulässigen Wert, möglich ist: {describe} (angegeben: {got}).</translation>
    </message>
    <message>
        <source>Unknown parameter &apos;{name}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>Unbekannter Parameter &apos;{name}&apos;.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has no effect without {needed_with}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; hat keine Wirkung ohne {needed_with}.</translation>
    </message>
    <message>
        <source>Remove it, or choose the value that it belongs to.</source>
        <extracomment>sentences</extracomment>
        <translation>Entfernen Sie den Parameter, oder wählen Sie den Wert, zu dem er gehört.</translation>
    </message>
    <message>
        <source>Pruning channels needs tensors of two or more dimensions, but &apos;{name}&apos; has {len}.</source>
        <extracomment>sentences</extracomment>
        <translation>Das Prunen von Kanälen braucht Tensoren mit zwei oder mehr Dimensionen, &apos;{name}&apos; hat aber {len}.</translation>
    </message>
    <message>
        <source>&apos;dim&apos; must be from {value} to {value2} for &apos;{name}&apos; (got {dim}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;dim&apos; muss für &apos;{name}&apos; von {value} bis {value2} sein (angegeben: {dim}).</translation>
    </message>
    <message>
        <source>The tensor has {len} dimensions: 0 is the first, -1 the last.</source>
        <extracomment>sentences</extracomment>
        <translation>Der Tensor hat {len} Dimensionen: 0 ist die erste, -1 die letzte.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has no .toml files</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; hat keine .toml-Dateien</translation>
    </message>
    <message>
        <source>The plugin {name} {version} was not loaded: &apos;{value}&apos; failed: {last_line}</source>
        <extracomment>sentences</extracomment>
        <translation>Das Plugin {name} {version} wurde nicht geladen: &apos;{value}&apos; schlug fehl: {last_line}</translation>
    </message>
    <message>
        <source>Update or uninstall {name}.</source>
        <extracomment>sentences</extracomment>
        <translation>Aktualisieren oder deinstallieren Sie {name}.</translation>
    </message>
    <message>
        <source>No package named &apos;{name}&apos; that adds something to Pruneapp is installed.</source>
        <extracomment>sentences</extracomment>
        <translation>Es ist kein Paket namens &apos;{name}&apos; installiert, das Pruneapp erweitert.</translation>
    </message>
    <message>
        <source>There {value} {there}.</source>
        <extracomment>sentences</extracomment>
        <translation>Vorhanden {value}: {there}.</translation>
    </message>
    <message>
        <source>Install it into the environment of Pruneapp first.</source>
        <extracomment>sentences</extracomment>
        <translation>Installieren Sie es zuerst in der Umgebung von Pruneapp.</translation>
    </message>
    <message>
        <source>The plugin {name} {version} was not loaded: &apos;{value}&apos; is no {GROUPS}: {sentence}</source>
        <extracomment>sentences</extracomment>
        <translation>Das Plugin {name} {version} wurde nicht geladen: &apos;{value}&apos; ist nicht, was es sein soll ({GROUPS}): {sentence}</translation>
    </message>
    <message>
        <source>{names} takes no mask.</source>
        <extracomment>sentences</extracomment>
        <translation>Mit {names} lässt sich keine Maske verwenden.</translation>
    </message>
    <message>
        <source>Use &apos;custom_from_mask&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>Verwenden Sie &apos;custom_from_mask&apos;.</translation>
    </message>
    <message>
        <source>{names} takes no importance scores.</source>
        <extracomment>sentences</extracomment>
        <translation>Mit {names} lassen sich keine Wichtigkeitswerte verwenden.</translation>
    </message>
    <message>
        <source>Remove them.</source>
        <extracomment>sentences</extracomment>
        <translation>Entfernen Sie sie.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; holds no importance scores for &apos;{name}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; enthält keine Wichtigkeitswerte für &apos;{name}&apos;.</translation>
    </message>
    <message>
        <source>It must hold a tensor of the same name and shape for every selected one.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Datei muss für jeden gewählten einen Tensor desselben Namens und derselben Form enthalten.</translation>
    </message>
    <message>
        <source>&apos;amount&apos; must be at most {tensor_size}, all there is (got {amount}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;amount&apos; darf höchstens {tensor_size} sein, mehr gibt es nicht (angegeben: {amount}).</translation>
    </message>
    <message>
        <source>Channels need a tensor of two or more dimensions (got shape {tuple}).</source>
        <extracomment>sentences</extracomment>
        <translation>Kanäle brauchen einen Tensor mit zwei oder mehr Dimensionen (angegeben: Form {tuple}).</translation>
    </message>
    <message>
        <source>Prune unstructured instead.</source>
        <extracomment>sentences</extracomment>
        <translation>Prunen Sie stattdessen unstrukturiert.</translation>
    </message>
    <message>
        <source>&apos;amount&apos; as a count must be 0 or more (got {amount}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;amount&apos; als Anzahl muss 0 oder mehr sein (angegeben: {amount}).</translation>
    </message>
    <message>
        <source>&apos;amount&apos; as a fraction must be from 0.0 to 1.0 (got {amount}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;amount&apos; als Anteil muss von 0,0 bis 1,0 sein (angegeben: {amount}).</translation>
    </message>
    <message>
        <source>Give an int to prune a count.</source>
        <extracomment>sentences</extracomment>
        <translation>Geben Sie ein int an, um eine Anzahl zu prunen.</translation>
    </message>
    <message>
        <source>&apos;{where}&apos; is neither a pruning method nor a module of them.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos; ist weder eine Pruning-Methode noch ein Modul mit solchen.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; defines no pruning method.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; definiert keine Pruning-Methode.</translation>
    </message>
    <message>
        <source>Derive a class from torch.nn.utils.prune.BasePruningMethod in it, and give it compute_mask and PRUNING_TYPE.</source>
        <extracomment>sentences</extracomment>
        <translation>Leiten Sie darin eine Klasse von torch.nn.utils.prune.BasePruningMethod ab, und geben Sie ihr compute_mask und PRUNING_TYPE.</translation>
    </message>
    <message>
        <source>{name} in &apos;{where}&apos; must have a PRUNING_TYPE of &apos;unstructured&apos;, &apos;structured&apos; or &apos;global&apos; (got {pruning_type}).</source>
        <extracomment>sentences</extracomment>
        <translation>{name} in &apos;{where}&apos; muss als PRUNING_TYPE &apos;unstructured&apos;, &apos;structured&apos; oder &apos;global&apos; haben (angegeben: {pruning_type}).</translation>
    </message>
    <message>
        <source>{name} in &apos;{where}&apos; is of PRUNING_TYPE &apos;structured&apos; and must take &apos;dim&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>{name} in &apos;{where}&apos; hat den PRUNING_TYPE &apos;structured&apos; und muss &apos;dim&apos; annehmen.</translation>
    </message>
    <message>
        <source>Give its constructor a parameter dim, and keep it as self.dim.</source>
        <extracomment>sentences</extracomment>
        <translation>Geben Sie dem Konstruktor einen Parameter dim, und speichern Sie ihn als self.dim.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; cannot be run: {last_line}</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; kann nicht ausgeführt werden: {last_line}</translation>
    </message>
    <message>
        <source>Fix the file, then load it again.</source>
        <extracomment>sentences</extracomment>
        <translation>Korrigieren Sie die Datei, und laden Sie sie dann noch einmal.</translation>
    </message>
    <message>
        <source>{name} in &apos;{where}&apos; must return a mask of the shape of &apos;{name2}&apos;, {list} (got {got}).</source>
        <extracomment>sentences</extracomment>
        <translation>{name} in &apos;{where}&apos; muss eine Maske mit der Form von &apos;{name2}&apos; zurückgeben, {list} (zurückgegeben: {got}).</translation>
    </message>
    <message>
        <source>{name} in &apos;{where}&apos; must return a mask of 0 and 1 for &apos;{name2}&apos; (got other values).</source>
        <extracomment>sentences</extracomment>
        <translation>{name} in &apos;{where}&apos; muss für &apos;{name2}&apos; eine Maske aus 0 und 1 zurückgeben (zurückgegeben: andere Werte).</translation>
    </message>
    <message>
        <source>A document keeps a weight or prunes it; it does not scale it.</source>
        <extracomment>sentences</extracomment>
        <translation>Ein Dokument behält ein Gewicht oder prunt es; es skaliert es nicht.</translation>
    </message>
    <message>
        <source>The constructor of {name} in &apos;{where}&apos; does not declare its parameters.</source>
        <extracomment>sentences</extracomment>
        <translation>Der Konstruktor von {name} in &apos;{where}&apos; deklariert seine Parameter nicht.</translation>
    </message>
    <message>
        <source>Give it an __init__ with named parameters.</source>
        <extracomment>sentences</extracomment>
        <translation>Geben Sie der Klasse ein __init__ mit benannten Parametern.</translation>
    </message>
    <message>
        <source>{name} in &apos;{where}&apos; failed on &apos;{name2}&apos;: {last_line}</source>
        <extracomment>sentences</extracomment>
        <translation>{name} in &apos;{where}&apos; schlug bei &apos;{name2}&apos; fehl: {last_line}</translation>
    </message>
    <message>
        <source>Fix the method, then load it again; nothing was changed.</source>
        <extracomment>sentences</extracomment>
        <translation>Korrigieren Sie die Methode, und laden Sie sie dann noch einmal; nichts wurde geändert.</translation>
    </message>
    <message>
        <source>{name} in &apos;{where}&apos; takes &apos;{name2}&apos;, which no form can ask for.</source>
        <extracomment>sentences</extracomment>
        <translation>{name} in &apos;{where}&apos; verlangt &apos;{name2}&apos;, wonach kein Formular fragen kann.</translation>
    </message>
    <message>
        <source>Give it a default; integers, floats and booleans can then be changed in the form.</source>
        <extracomment>sentences</extracomment>
        <translation>Geben Sie dem Parameter einen Standardwert; ganze Zahlen, Gleitkommazahlen und Wahrheitswerte lassen sich dann im Formular ändern.</translation>
    </message>
    <message>
        <source>&apos;parameters&apos; must hold at least one (module, name) pair (got none).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;parameters&apos; muss mindestens ein Paar (module, name) enthalten (angegeben: keines).</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; needs masks, which a step of a recipe cannot contain.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; braucht Masken, die ein Schritt eines Rezepts nicht enthalten kann.</translation>
    </message>
    <message>
        <source>Use an entry &apos;edit&apos;, whose targets name masks.</source>
        <extracomment>sentences</extracomment>
        <translation>Verwenden Sie einen Eintrag &apos;edit&apos;, dessen Ziele Masken nennen.</translation>
    </message>
    <message>
        <source>Use `pruneapp run RECIPE {model} --script SCRIPT -o OUT`, which collects them, or collect them with `pruneapp statistics {model2} --script SCRIPT -o FILE`. Then use `pruneapp run RECIPE {model3} --statistics FILE -o OUT`, or choose the method in the form, press &apos;Load statistics…&apos;, and apply the recipe again.</source>
        <extracomment>sentences</extracomment>
        <translation>Verwenden Sie `pruneapp run RECIPE {model} --script SCRIPT -o OUT`, das sie sammelt, oder sammeln Sie sie mit `pruneapp statistics {model2} --script SCRIPT -o FILE`. Verwenden Sie dann `pruneapp run RECIPE {model3} --statistics FILE -o OUT`, oder wählen Sie die Methode im Formular, klicken Sie auf „Statistik laden…“, und wenden Sie das Rezept erneut an.</translation>
    </message>
    <message>
        <source>Remove it from the targets.</source>
        <extracomment>sentences</extracomment>
        <translation>Entfernen Sie den Tensor aus den Zielen.</translation>
    </message>
    <message>
        <source>The entry applies to no tensor of this checkpoint.</source>
        <extracomment>sentences</extracomment>
        <translation>Der Eintrag gilt für keinen Tensor dieses Checkpoints.</translation>
    </message>
    <message>
        <source>Remove the entry.</source>
        <extracomment>sentences</extracomment>
        <translation>Entfernen Sie den Eintrag.</translation>
    </message>
    <message>
        <source>&apos;{where}&apos; cannot be applied to this checkpoint: {counted}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos; kann nicht auf diesen Checkpoint angewendet werden: {counted}.</translation>
    </message>
    <message>
        <source>{n} round</source>
        <extracomment>sentences</extracomment>
        <translation>{n} Runde</translation>
    </message>
    <message>
        <source>{n} rounds</source>
        <extracomment>sentences</extracomment>
        <translation>{n} Runden</translation>
    </message>
    <message>
        <source>The step of a schedule needs exactly one row (got {len}).</source>
        <extracomment>sentences</extracomment>
        <translation>Der Schritt eines Plans braucht genau eine Regel (angegeben: {len}).</translation>
    </message>
    <message>
        <source>Remove the other rows, or make an entry of each.</source>
        <extracomment>sentences</extracomment>
        <translation>Entfernen Sie die anderen Regeln, oder machen Sie aus jeder einen Eintrag.</translation>
    </message>
    <message>
        <source>&apos;final&apos; must be at most the {size} weights that the step touches (got {final}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;final&apos; darf höchstens die {size} Gewichte sein, die der Schritt betrifft (angegeben: {final}).</translation>
    </message>
    <message>
        <source>Lower &apos;final&apos;, or use a fraction such as 0.9.</source>
        <extracomment>sentences</extracomment>
        <translation>Verringern Sie &apos;final&apos;, oder verwenden Sie einen Anteil wie 0.9.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has no mask in &apos;{name2}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; hat in &apos;{name2}&apos; keine Maske.</translation>
    </message>
    <message>
        <source>Remove the tensor from the entry.</source>
        <extracomment>sentences</extracomment>
        <translation>Entfernen Sie den Tensor aus dem Eintrag.</translation>
    </message>
    <message>
        <source>{n} problem</source>
        <extracomment>sentences</extracomment>
        <translation>{n} Problem</translation>
    </message>
    <message>
        <source>{n} problems</source>
        <extracomment>sentences</extracomment>
        <translation>{n} Probleme</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; contains no layer of kind &apos;{kind}&apos; that can be pruned.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; enthält keine Schicht der Art &apos;{kind}&apos;, die geprunt werden kann.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; contains no tensors that are selected by default.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; enthält keine Tensoren, die standardmäßig gewählt werden.</translation>
    </message>
    <message>
        <source>Add a &apos;pattern&apos; to the row.</source>
        <extracomment>sentences</extracomment>
        <translation>Geben Sie der Regel ein &apos;pattern&apos;.</translation>
    </message>
    <message>
        <source>&apos;{where}&apos; is not a recipe: it lacks &quot;format&quot;: &quot;{FORMAT}&quot;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos; ist kein Rezept: Es fehlt &quot;format&quot;: &quot;{FORMAT}&quot;.</translation>
    </message>
    <message>
        <source>Choose a file that Pruneapp saved as a recipe.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie eine Datei, die Pruneapp als Rezept gespeichert hat.</translation>
    </message>
    <message>
        <source>&apos;{where}&apos; is a recipe of version {version}, and this Pruneapp reads up to {VERSION}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos; ist ein Rezept der Version {version}, dieses Pruneapp liest bis {VERSION}.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; has no Gram matrices, which a repair needs.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; hat keine Gram-Matrizen, die eine Reparatur braucht.</translation>
    </message>
    <message>
        <source>Collect the statistics with Gram matrices.</source>
        <extracomment>sentences</extracomment>
        <translation>Sammeln Sie die Statistik mit Gram-Matrizen.</translation>
    </message>
    <message>
        <source>The statistics do not fit &apos;{name}&apos;: it has the shape {list}, and they have {many} of {columns} inputs.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Statistik passt nicht zu &apos;{name}&apos;: Der Tensor hat die Form {list}, sie hat {many} mit {columns} Eingaben.</translation>
    </message>
    <message>
        <source>Collect statistics of this model.</source>
        <extracomment>sentences</extracomment>
        <translation>Sammeln Sie eine Statistik dieses Modells.</translation>
    </message>
    <message>
        <source>&apos;iterations&apos; must be at least 1 (got {iterations}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;iterations&apos; muss mindestens 1 sein (angegeben: {iterations}).</translation>
    </message>
    <message>
        <source>&apos;damping&apos; must be a positive number (got {damping}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;damping&apos; muss eine positive Zahl sein (angegeben: {damping}).</translation>
    </message>
    <message>
        <source>Nothing is pruned in these layers, so there is nothing to repair.</source>
        <extracomment>sentences</extracomment>
        <translation>In diesen Schichten ist nichts geprunt, also gibt es nichts zu reparieren.</translation>
    </message>
    <message>
        <source>Nothing is known about the inputs of the pruned layers.</source>
        <extracomment>sentences</extracomment>
        <translation>Über die Eingaben der geprunten Schichten ist nichts bekannt.</translation>
    </message>
    <message>
        <source>Collect statistics of this model, with Gram matrices.</source>
        <extracomment>sentences</extracomment>
        <translation>Sammeln Sie eine Statistik dieses Modells, mit Gram-Matrizen.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has &apos;{name2}&apos; in the shape {list} and type {label}; it must be floats of the shape {list2}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; hat &apos;{name2}&apos; in der Form {list} und vom Typ {label}; es müssen Gleitkommazahlen der Form {list2} sein.</translation>
    </message>
    <message>
        <source>The statistics do not fit &apos;{name}&apos;: {error}.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Statistik passt nicht zu &apos;{name}&apos;: {error}.</translation>
    </message>
    <message>
        <source>The text has {len} characters; a list of {noun}s may have at most {MOST_LETTERS}.</source>
        <extracomment>sentences</extracomment>
        <translation>Der Text hat {len} Zeichen, eine Liste ({noun}) hat höchstens {MOST_LETTERS}.</translation>
    </message>
    <message>
        <source>Correct the list. The selection is unchanged.</source>
        <extracomment>sentences</extracomment>
        <translation>Korrigieren Sie die Liste. Die Auswahl ist unverändert.</translation>
    </message>
    <message>
        <source>The list of {noun}s is empty.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Liste ({noun}) ist leer.</translation>
    </message>
    <message>
        <source>Give indices such as 0-3, 7, 12.</source>
        <extracomment>sentences</extracomment>
        <translation>Geben Sie Indizes wie 0-3, 7, 12 an.</translation>
    </message>
    <message>
        <source>The list of {noun}s contains &apos;{piece}&apos;, which is neither an index such as 7 nor a range such as 0-3.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Liste ({noun}) enthält &apos;{piece}&apos;, was weder ein Index wie 7 noch ein Bereich wie 0-3 ist.</translation>
    </message>
    <message>
        <source>The list of {noun}s contains &apos;{piece}&apos;, but there are {counted}, numbered from 0{value}.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Liste ({noun}) enthält &apos;{piece}&apos;, es gibt aber nur {counted} (Nummern: 0{value}).</translation>
    </message>
    <message>
        <source>The list of {noun}s contains &apos;{piece}&apos;, but a range goes from its lower to its higher index, both included.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Liste ({noun}) enthält &apos;{piece}&apos;, aber ein Bereich geht vom kleineren zum größeren Index, beide eingeschlossen.</translation>
    </message>
    <message>
        <source>{n} group</source>
        <extracomment>sentences</extracomment>
        <translation>{n} Gruppe</translation>
    </message>
    <message>
        <source>{n} groups</source>
        <extracomment>sentences</extracomment>
        <translation>{n} Gruppen</translation>
    </message>
    <message>
        <source>&apos;{where}&apos; is not a valid session: {what}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos; ist keine gültige Sitzung: {what}.</translation>
    </message>
    <message>
        <source>Restore a backup of it if you have one; the checkpoint is unchanged.</source>
        <extracomment>sentences</extracomment>
        <translation>Spielen Sie eine Sicherung davon ein, wenn Sie eine haben; der Checkpoint ist unverändert.</translation>
    </message>
    <message>
        <source>a state of its history follows one that is made later</source>
        <extracomment>sentences</extracomment>
        <translation>ein Zustand ihres Verlaufs folgt auf einen, der erst später entsteht</translation>
    </message>
    <message>
        <source>it has no state {position}</source>
        <extracomment>sentences</extracomment>
        <translation>sie hat keinen Zustand {position}</translation>
    </message>
    <message>
        <source>state {position} is not on the branch that ends at {tip}</source>
        <extracomment>sentences</extracomment>
        <translation>Zustand {position} ist nicht auf dem Zweig, der bei {tip} endet</translation>
    </message>
    <message>
        <source>its version is {str}</source>
        <extracomment>sentences</extracomment>
        <translation>ihre Version ist {str}</translation>
    </message>
    <message>
        <source>Update Pruneapp to open it.</source>
        <extracomment>sentences</extracomment>
        <translation>Aktualisieren Sie Pruneapp, um sie zu öffnen.</translation>
    </message>
    <message>
        <source>of mask {number}, {error}</source>
        <extracomment>sentences</extracomment>
        <translation>bei Maske {number}: {error}</translation>
    </message>
    <message>
        <source>its history cannot be read{at} ({what})</source>
        <extracomment>sentences</extracomment>
        <translation>ihr Verlauf kann nicht gelesen werden{at} ({what})</translation>
    </message>
    <message>
        <source>it names state {state}, which is not there</source>
        <extracomment>sentences</extracomment>
        <translation>sie nennt den Zustand {state}, den es nicht gibt</translation>
    </message>
    <message>
        <source>You can go on working. Make room on the disk, or save the session.</source>
        <extracomment>sentences</extracomment>
        <translation>Sie können weiterarbeiten. Schaffen Sie Platz auf der Festplatte, oder speichern Sie die Sitzung.</translation>
    </message>
    <message>
        <source>The work in &apos;{name}&apos; was opened or deleted by another window in the meantime.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Arbeit in &apos;{name}&apos; wurde inzwischen von einem anderen Fenster geöffnet oder gelöscht.</translation>
    </message>
    <message>
        <source>Look in the other window.</source>
        <extracomment>sentences</extracomment>
        <translation>Sehen Sie im anderen Fenster nach.</translation>
    </message>
    <message>
        <source>it does not begin as one</source>
        <extracomment>sentences</extracomment>
        <translation>sie beginnt nicht wie eine solche</translation>
    </message>
    <message>
        <source>The work in &apos;{path}&apos; cannot be read: {words_of}.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Arbeit in &apos;{path}&apos; kann nicht gelesen werden: {words_of}.</translation>
    </message>
    <message>
        <source>Check the disk, then open it again.</source>
        <extracomment>sentences</extracomment>
        <translation>Prüfen Sie die Festplatte, und öffnen Sie sie dann noch einmal.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; refers to &apos;{path}&apos;, which no longer exists.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; verweist auf &apos;{path}&apos;, das es nicht mehr gibt.</translation>
    </message>
    <message>
        <source>Locate it.</source>
        <extracomment>sentences</extracomment>
        <translation>Suchen Sie die Datei.</translation>
    </message>
    <message>
        <source>{n} file</source>
        <extracomment>sentences</extracomment>
        <translation>{n} Datei</translation>
    </message>
    <message>
        <source>{n} files</source>
        <extracomment>sentences</extracomment>
        <translation>{n} Dateien</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is not the file that &apos;{name2}&apos; was made with: {changes}{fits}</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; ist nicht die Datei, mit der &apos;{name2}&apos; erstellt wurde: {changes}{fits}</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; does not match the work in &apos;{name2}&apos;: {wrong}{more}</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; passt nicht zur Arbeit in &apos;{name2}&apos;: {wrong}{more}</translation>
    </message>
    <message>
        <source>Choose the checkpoint that it was made with.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie den Checkpoint, mit dem sie erstellt wurde.</translation>
    </message>
    <message>
        <source>it has no state {exported}</source>
        <extracomment>sentences</extracomment>
        <translation>sie hat keinen Zustand {exported}</translation>
    </message>
    <message>
        <source>there is no mask {number}</source>
        <extracomment>sentences</extracomment>
        <translation>es gibt keine Maske {number}</translation>
    </message>
    <message>
        <source>mask {number} has {known_size} elements, and its tensor {size}</source>
        <extracomment>sentences</extracomment>
        <translation>Maske {number} hat {known_size} Elemente und ihr Tensor {size}</translation>
    </message>
    <message>
        <source>This version of Pruneapp does not support &apos;{name}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>Diese Version von Pruneapp unterstützt &apos;{name}&apos; nicht.</translation>
    </message>
    <message>
        <source>Open the work with the version that it was made with.</source>
        <extracomment>sentences</extracomment>
        <translation>Öffnen Sie die Arbeit mit der Version, mit der sie erstellt wurde.</translation>
    </message>
    <message>
        <source>The work in &apos;{where}&apos; cannot be restored: {words_of}.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Arbeit in &apos;{where}&apos; kann nicht wiederhergestellt werden: {words_of}.</translation>
    </message>
    <message>
        <source>Make room on the disk and try again.</source>
        <extracomment>sentences</extracomment>
        <translation>Schaffen Sie Platz auf der Festplatte, und versuchen Sie es noch einmal.</translation>
    </message>
    <message>
        <source>mask {number} cannot be unpacked from mask {base}</source>
        <extracomment>sentences</extracomment>
        <translation>Maske {number} kann nicht aus Maske {base} entpackt werden</translation>
    </message>
    <message>
        <source>state {place} names a tensor twice</source>
        <extracomment>sentences</extracomment>
        <translation>Zustand {place} nennt einen Tensor zweimal</translation>
    </message>
    <message>
        <source>mask {number} has {size} elements</source>
        <extracomment>sentences</extracomment>
        <translation>Maske {number} hat {size} Elemente</translation>
    </message>
    <message>
        <source>in state {place}, pruned weights of &apos;{name}&apos; are protected</source>
        <extracomment>sentences</extracomment>
        <translation>in Zustand {place} sind geprunte Gewichte von &apos;{name}&apos; geschützt</translation>
    </message>
    <message>
        <source>state {place} changes a tensor without a name</source>
        <extracomment>sentences</extracomment>
        <translation>Zustand {place} ändert einen Tensor ohne Namen</translation>
    </message>
    <message>
        <source>state {place} does not follow the one before it</source>
        <extracomment>sentences</extracomment>
        <translation>Zustand {place} folgt nicht auf den vorigen</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; was changed by another window since you opened it.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; wurde von einem anderen Fenster geändert, seit Sie die Sitzung geöffnet haben.</translation>
    </message>
    <message>
        <source>Save the session in another file, or replace it.</source>
        <extracomment>sentences</extracomment>
        <translation>Speichern Sie die Sitzung in einer anderen Datei, oder ersetzen Sie sie.</translation>
    </message>
    <message>
        <source>&apos;{where}&apos; is not a session of Pruneapp.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos; ist keine Sitzung von Pruneapp.</translation>
    </message>
    <message>
        <source>Open a {SUFFIX} file.</source>
        <extracomment>sentences</extracomment>
        <translation>Öffnen Sie eine {SUFFIX}-Datei.</translation>
    </message>
    <message>
        <source>{len} of its {edits} states follow another</source>
        <extracomment>sentences</extracomment>
        <translation>{len} ihrer {edits} Zustände folgen auf einen anderen</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is missing</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; fehlt</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has {numel} bytes, {MOST_JSON} are the most</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; hat {numel} Bytes, höchstens {MOST_JSON} sind möglich</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is the checkpoint itself, which a session never replaces.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist der Checkpoint selbst, den eine Sitzung nie ersetzt.</translation>
    </message>
    <message>
        <source>Choose another name, that ends in {SUFFIX}.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie einen anderen Namen mit der Endung {SUFFIX}.</translation>
    </message>
    <message>
        <source>mask {number} is missing</source>
        <extracomment>sentences</extracomment>
        <translation>Maske {number} fehlt</translation>
    </message>
    <message>
        <source>The outputs of &apos;{shrunk}&apos; differ from those with zeros by {how}.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Ausgaben von &apos;{shrunk}&apos; weichen von denen mit Nullen ab, um {how}.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; refers to its own code in auto_map, and code of a folder is never run.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; verweist in auto_map auf eigenen Code, und Code eines Ordners wird nie ausgeführt.</translation>
    </message>
    <message>
        <source>Only folders whose class is in transformers can be checked.</source>
        <extracomment>sentences</extracomment>
        <translation>Nur Ordner, deren Klasse in transformers ist, können geprüft werden.</translation>
    </message>
    <message>
        <source>&apos;{shrunk}&apos; is not what {by} takes: {answer}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{shrunk}&apos; ist nicht, was {by} annimmt: {answer}.</translation>
    </message>
    <message>
        <source>&apos;{shrunk}&apos; is not what {by} takes: {join}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{shrunk}&apos; ist nicht, was {by} annimmt: {join}.</translation>
    </message>
    <message>
        <source>The outputs of &apos;{shrunk}&apos; have the shape {after}, but with zeros {before}.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Ausgaben von &apos;{shrunk}&apos; haben die Form {after}, mit Nullen aber {before}.</translation>
    </message>
    <message>
        <source>&apos;{folder}&apos; holds {format}, but only safetensors files are checked.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{folder}&apos; enthält {format}, geprüft werden aber nur safetensors-Dateien.</translation>
    </message>
    <message>
        <source>The configuration does not say how many layers there are, so the first of them cannot be checked by themselves.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Konfiguration sagt nicht, wie viele Schichten es gibt, daher lassen sich nicht nur die ersten prüfen.</translation>
    </message>
    <message>
        <source>Check all layers.</source>
        <extracomment>sentences</extracomment>
        <translation>Prüfen Sie alle Schichten.</translation>
    </message>
    <message>
        <source>config.json has one list for the layers of encoder and decoder, and different layers would stay in each.</source>
        <extracomment>sentences</extracomment>
        <translation>config.json hat eine einzige Liste für die Schichten von Encoder und Decoder, aber in beiden würden verschiedene Schichten bleiben.</translation>
    </message>
    <message>
        <source>Remove the same layers from both.</source>
        <extracomment>sentences</extracomment>
        <translation>Entfernen Sie in beiden dieselben Schichten.</translation>
    </message>
    <message>
        <source>The kind of a layer repeats every {every} layers ({name}), and layers that stay would change their kind.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Arten der Schichten wiederholen sich alle {every} Schichten ({name}), und die bleibenden Schichten bekämen eine andere Art.</translation>
    </message>
    <message>
        <source>Remove {every} consecutive layers, or several such runs.</source>
        <extracomment>sentences</extracomment>
        <translation>Entfernen Sie {every} aufeinanderfolgende Schichten oder mehrere solche Folgen.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; in config.json has {counted}, fewer than there are layers.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; in config.json hat {counted}, weniger, als es Schichten gibt.</translation>
    </message>
    <message>
        <source>Correct the configuration.</source>
        <extracomment>sentences</extracomment>
        <translation>Korrigieren Sie die Konfiguration.</translation>
    </message>
    <message>
        <source>{n} entry</source>
        <extracomment>sentences</extracomment>
        <translation>{n} Eintrag</translation>
    </message>
    <message>
        <source>{n} entries</source>
        <extracomment>sentences</extracomment>
        <translation>{n} Einträge</translation>
    </message>
    <message>
        <source>{label} would be {sizes} and not {after}, which is a bug in Pruneapp. Nothing was written.</source>
        <extracomment>sentences</extracomment>
        <translation>{label}: Es wären {sizes} statt {after}, ein Fehler von Pruneapp. Nichts wurde geschrieben.</translation>
    </message>
    <message>
        <source>Please report it.</source>
        <extracomment>sentences</extracomment>
        <translation>Bitte melden Sie das.</translation>
    </message>
    <message>
        <source>&apos;{show}&apos; lies in a file beside the model, and cannot be rewritten: {what}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos; liegt in einer Datei neben dem Modell und kann nicht neu geschrieben werden: {what}.</translation>
    </message>
    <message>
        <source>Save the model with this tensor inside it.</source>
        <extracomment>sentences</extracomment>
        <translation>Speichern Sie das Modell mit diesem Tensor darin.</translation>
    </message>
    <message>
        <source>The shapes of the smaller graph do not fit each other, which is a bug in Pruneapp: {splitlines}</source>
        <extracomment>sentences</extracomment>
        <translation>Die Formen des kleineren Graphen passen nicht zueinander, ein Fehler von Pruneapp: {splitlines}</translation>
    </message>
    <message>
        <source>Cut fewer groups, and report this.</source>
        <extracomment>sentences</extracomment>
        <translation>Entfernen Sie Teile von weniger Gruppen, und melden Sie das.</translation>
    </message>
    <message>
        <source>{label} cannot be {wanted}{rule}; the nearest are {join}.</source>
        <extracomment>sentences</extracomment>
        <translation>{label}: {wanted} ist nicht möglich{rule}; am nächsten liegen {join}.</translation>
    </message>
    <message>
        <source>Choose one of these, or write the model as &apos;{other}&apos;, which takes any number.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie eine dieser Anzahlen, oder schreiben Sie das Modell als &apos;{other}&apos;, das jede Anzahl annimmt.</translation>
    </message>
    <message>
        <source>Choose one of these.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie eine dieser Anzahlen.</translation>
    </message>
    <message>
        <source>Layer {min} of a {model_type} is unlike the others and cannot be removed.</source>
        <extracomment>sentences</extracomment>
        <translation>Schicht {min} eines {model_type} ist anders als die übrigen und kann nicht wegfallen.</translation>
    </message>
    <message>
        <source>Name other layers.</source>
        <extracomment>sentences</extracomment>
        <translation>Nennen Sie andere Schichten.</translation>
    </message>
    <message>
        <source>A model of type &apos;{model_type}&apos; cannot be written as &apos;{wanted}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>Ein Modell der Art &apos;{model_type}&apos; kann nicht als &apos;{wanted}&apos; geschrieben werden.</translation>
    </message>
    <message>
        <source>Leave the type as it is.</source>
        <extracomment>sentences</extracomment>
        <translation>Lassen Sie die Art, wie sie ist.</translation>
    </message>
    <message>
        <source>No argument of the model&apos;s class gives {lower} the widths that they have here.</source>
        <extracomment>sentences</extracomment>
        <translation>Kein Argument der Klasse des Modells ergibt die Breiten, die es hier gibt ({lower}).</translation>
    </message>
    <message>
        <source>Let each block have its own width.</source>
        <extracomment>sentences</extracomment>
        <translation>Lassen Sie jedem Block seine eigene Breite.</translation>
    </message>
    <message>
        <source>&apos;{place}&apos; has {count} layers, numbered from 0, and no layer {min}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{place}&apos; hat {count} Schichten, nummeriert ab 0, und keine Schicht {min}.</translation>
    </message>
    <message>
        <source>Name layers of 0 to {value}.</source>
        <extracomment>sentences</extracomment>
        <translation>Nennen Sie Schichten von 0 bis {value}.</translation>
    </message>
    <message>
        <source>No layer of &apos;{place}&apos; would be left.</source>
        <extracomment>sentences</extracomment>
        <translation>Von &apos;{place}&apos; bliebe keine Schicht übrig.</translation>
    </message>
    <message>
        <source>Keep one of them.</source>
        <extracomment>sentences</extracomment>
        <translation>Behalten Sie eine davon.</translation>
    </message>
    <message>
        <source>There are no experts.</source>
        <extracomment>sentences</extracomment>
        <translation>Es gibt keine Experten.</translation>
    </message>
    <message>
        <source>There is no vocabulary.</source>
        <extracomment>sentences</extracomment>
        <translation>Es gibt kein Vokabular.</translation>
    </message>
    <message>
        <source>A model of type &apos;{wanted}&apos; has no biases, but this model does ({name}).</source>
        <extracomment>sentences</extracomment>
        <translation>Ein Modell der Art &apos;{wanted}&apos; hat keine Biases, dieses Modell aber schon ({name}).</translation>
    </message>
    <message>
        <source>{n} unit</source>
        <extracomment>sentences</extracomment>
        <translation>{n} Einheit</translation>
    </message>
    <message>
        <source>{n} units</source>
        <extracomment>sentences</extracomment>
        <translation>{n} Einheiten</translation>
    </message>
    <message>
        <source>&apos;{folder}&apos;, which the check needs, cannot be written: {words_of}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{folder}&apos; wird für die Prüfung gebraucht und kann nicht geschrieben werden: {words_of}.</translation>
    </message>
    <message>
        <source>Free disk space there, or choose --check shapes.</source>
        <extracomment>sentences</extracomment>
        <translation>Schaffen Sie dort Platz, oder wählen Sie --check shapes.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is of version {version}, and this Pruneapp reads version 1.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; hat Version {version}, dieses Pruneapp liest Version 1.</translation>
    </message>
    <message>
        <source>Update Pruneapp.</source>
        <extracomment>sentences</extracomment>
        <translation>Aktualisieren Sie Pruneapp.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is too large for a record.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist zu groß für eine Aufzeichnung.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; contradicts itself at &apos;{place}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; widerspricht sich bei &apos;{place}&apos;.</translation>
    </message>
    <message>
        <source>{what}, which is a bug in Pruneapp. Nothing was written.</source>
        <extracomment>sentences</extracomment>
        <translation>Ein Fehler von Pruneapp: {what}. Nichts wurde geschrieben.</translation>
    </message>
    <message>
        <source>There is nothing to cut: no unit is dead in every layer.</source>
        <extracomment>sentences</extracomment>
        <translation>Es gibt nichts zu entfernen: Keine Einheit ist in jeder Schicht tot.</translation>
    </message>
    <message>
        <source>Prune units first, or choose what to cut.</source>
        <extracomment>sentences</extracomment>
        <translation>Prunen Sie zuerst Einheiten, oder wählen Sie, was entfernt werden soll.</translation>
    </message>
    <message>
        <source>Choose --check shapes, which reads back and compares what was written.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie --check shapes; das liest das Geschriebene zurück und vergleicht es.</translation>
    </message>
    <message>
        <source>Nothing in {first_names} is a token of &apos;{where}&apos;, so no row of the embedding would be left.</source>
        <extracomment>sentences</extracomment>
        <translation>Nichts in {first_names} ist ein Token von &apos;{where}&apos;, sodass keine Zeile des Embeddings übrig bliebe.</translation>
    </message>
    <message>
        <source>Choose texts that the model is used with.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie Texte, mit denen das Modell verwendet wird.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; cannot be read: {words}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; kann nicht gelesen werden: {words}.</translation>
    </message>
    <message>
        <source>Check the name and your permissions.</source>
        <extracomment>sentences</extracomment>
        <translation>Prüfen Sie den Namen und Ihre Rechte.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos;, line {number}: it must hold an id such as 17, or a range such as 20-31, got &apos;{text}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos;, Zeile {number}: Hier muss eine ID wie 17 oder ein Bereich wie 20-31 stehen, nicht &apos;{text}&apos;.</translation>
    </message>
    <message>
        <source>Write one id or one range on each line.</source>
        <extracomment>sentences</extracomment>
        <translation>Schreiben Sie eine ID oder einen Bereich je Zeile.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos;, line {number}: the tokenizer has ids up to {value}, got {int}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos;, Zeile {number}: Der Tokenizer hat IDs bis {value}, nicht {int}.</translation>
    </message>
    <message>
        <source>Remove the line, or choose the list that belongs to this model.</source>
        <extracomment>sentences</extracomment>
        <translation>Entfernen Sie die Zeile, oder wählen Sie die Liste, die zu diesem Modell gehört.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is not a regular file, so it cannot be read as text.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist keine reguläre Datei und kann daher nicht als Text gelesen werden.</translation>
    </message>
    <message>
        <source>Choose another file.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie eine andere Datei.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; must be UTF-8 text, but is not at byte {value}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; muss UTF-8-Text sein, ist es aber bei Byte {value} nicht.</translation>
    </message>
    <message>
        <source>Convert it to UTF-8.</source>
        <extracomment>sentences</extracomment>
        <translation>Konvertieren Sie die Datei in UTF-8.</translation>
    </message>
    <message>
        <source>Finding the tokens of a text needs the package tokenizers, which is not installed.</source>
        <extracomment>sentences</extracomment>
        <translation>Um die Tokens eines Textes zu finden, ist das Paket tokenizers nötig, das nicht installiert ist.</translation>
    </message>
    <message>
        <source>The library tokenizers cannot use &apos;{where}&apos;: {error}.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Bibliothek tokenizers kann &apos;{where}&apos; nicht verwenden: {error}.</translation>
    </message>
    <message>
        <source>Save the tokenizer again with transformers.</source>
        <extracomment>sentences</extracomment>
        <translation>Speichern Sie den Tokenizer noch einmal mit transformers.</translation>
    </message>
    <message>
        <source>The smaller {TOKENIZER} would tokenize &apos;{path}&apos; differently, at line {value}: &apos;{parts}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>Die kleinere {TOKENIZER} würde &apos;{path}&apos; in Zeile {value} in andere Tokens zerlegen: &apos;{parts}&apos;.</translation>
    </message>
    <message>
        <source>Keep the whole vocabulary.</source>
        <extracomment>sentences</extracomment>
        <translation>Behalten Sie das ganze Vokabular.</translation>
    </message>
    <message>
        <source>&apos;{where}&apos;, at {place}: it must be an id of a token, or a list of them, got {value}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos;, bei {place}: Hier muss die ID eines Tokens oder eine Liste davon stehen, nicht {value}.</translation>
    </message>
    <message>
        <source>&apos;{where}&apos;, at {place}: it names the token {number}, which is not among the {len} kept tokens.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos;, bei {place}: Hier steht das Token {number}, das nicht unter den {len} behaltenen Tokens ist.</translation>
    </message>
    <message>
        <source>Keep this token too.</source>
        <extracomment>sentences</extracomment>
        <translation>Behalten Sie auch dieses Token.</translation>
    </message>
    <message>
        <source>calibrate() multiplied nothing by the weights of the model, as far as can be seen.</source>
        <extracomment>sentences</extracomment>
        <translation>calibrate() hat nichts mit den Gewichten des Modells multipliziert, soweit zu sehen ist.</translation>
    </message>
    <message>
        <source>Run some inputs through the model that load returned, in the same thread; compiled models and quantized layers are not seen.</source>
        <extracomment>sentences</extracomment>
        <translation>Lassen Sie einige Eingaben im selben Thread durch das Modell laufen, das load zurückgegeben hat; kompilierte Modelle und quantisierte Schichten werden nicht erfasst.</translation>
    </message>
    <message>
        <source>{name}() does not call the model with a tensor, so multiply-adds cannot be counted.</source>
        <extracomment>sentences</extracomment>
        <translation>{name}() ruft das Modell nicht mit einem Tensor auf, daher lassen sich Multiply-Adds nicht zählen.</translation>
    </message>
    <message>
        <source>Call the model that load returned as model(inputs), or define calibrate(model) that does.</source>
        <extracomment>sentences</extracomment>
        <translation>Rufen Sie das Modell, das load zurückgegeben hat, als model(inputs) auf, oder definieren Sie ein calibrate(model), das dies tut.</translation>
    </message>
    <message>
        <source>Nothing was multiplied by the weights of the model, as far as can be seen.</source>
        <extracomment>sentences</extracomment>
        <translation>Nichts wurde mit den Gewichten des Modells multipliziert, soweit zu sehen ist.</translation>
    </message>
    <message>
        <source>Compiled models and quantized layers are not seen.</source>
        <extracomment>sentences</extracomment>
        <translation>Kompilierte Modelle und quantisierte Schichten werden nicht erfasst.</translation>
    </message>
    <message>
        <source>The model returned an object of type {name} without a tensor in it.</source>
        <extracomment>sentences</extracomment>
        <translation>Das Modell hat ein Objekt vom Typ {name} zurückgegeben, das keinen Tensor enthält.</translation>
    </message>
    <message>
        <source>Agreement with the unpruned model needs a model that returns a tensor.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Übereinstimmung mit dem ungeprunten Modell braucht ein Modell, das einen Tensor zurückgibt.</translation>
    </message>
    <message>
        <source>calibrate() ran other inputs than with the unpruned model (call {call}).</source>
        <extracomment>sentences</extracomment>
        <translation>calibrate() hat andere Eingaben verwendet als beim ungeprunten Modell (Aufruf {call}).</translation>
    </message>
    <message>
        <source>calibrate() never called the model.</source>
        <extracomment>sentences</extracomment>
        <translation>calibrate() hat das Modell nie aufgerufen.</translation>
    </message>
    <message>
        <source>Run some inputs through the model in it.</source>
        <extracomment>sentences</extracomment>
        <translation>Lassen Sie darin einige Eingaben durch das Modell laufen.</translation>
    </message>
    <message>
        <source>&apos;{key}&apos; of {function}() is {kind}, not a number.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{key}&apos; von {function}() ist {kind}, keine Zahl.</translation>
    </message>
    <message>
        <source>Return a number, (correct, total), or a list of one number per sample.</source>
        <extracomment>sentences</extracomment>
        <translation>Geben Sie eine Zahl, (correct, total) oder eine Liste mit einer Zahl je Beispiel zurück.</translation>
    </message>
    <message>
        <source>What is multiplied by each weight cannot be seen in torch {version}.</source>
        <extracomment>sentences</extracomment>
        <translation>Womit jedes Gewicht multipliziert wird, ist in torch {version} nicht zu sehen.</translation>
    </message>
    <message>
        <source>Choose a Python with torch 1.13 or newer.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie ein Python mit torch 1.13 oder neuer.</translation>
    </message>
    <message>
        <source>{name}() takes no argument.</source>
        <extracomment>sentences</extracomment>
        <translation>{name}() nimmt kein Argument entgegen.</translation>
    </message>
    <message>
        <source>Define it as {name}({first}).</source>
        <extracomment>sentences</extracomment>
        <translation>Definieren Sie es als {name}({first}).</translation>
    </message>
    <message>
        <source>{name}() has a parameter &apos;{unknown}&apos;, which Pruneapp does not provide.</source>
        <extracomment>sentences</extracomment>
        <translation>{name}() hat einen Parameter &apos;{unknown}&apos;, den Pruneapp nicht liefert.</translation>
    </message>
    <message>
        <source>It provides {join}; give any other parameter a default.</source>
        <extracomment>sentences</extracomment>
        <translation>Geliefert werden {join}; geben Sie jedem anderen Parameter einen Standardwert.</translation>
    </message>
    <message>
        <source>{function}() returned None.</source>
        <extracomment>sentences</extracomment>
        <translation>{function}() hat None zurückgegeben.</translation>
    </message>
    <message>
        <source>End it with &apos;return&apos; and a number, or a dict of them.</source>
        <extracomment>sentences</extracomment>
        <translation>Beenden Sie es mit &apos;return&apos; und einer Zahl oder einem dict von Zahlen.</translation>
    </message>
    <message>
        <source>{function}() returned an empty dict.</source>
        <extracomment>sentences</extracomment>
        <translation>{function}() hat ein leeres dict zurückgegeben.</translation>
    </message>
    <message>
        <source>Return at least one number.</source>
        <extracomment>sentences</extracomment>
        <translation>Geben Sie mindestens eine Zahl zurück.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; was changed after it was shown.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; wurde geändert, nachdem das Skript angezeigt worden war.</translation>
    </message>
    <message>
        <source>Look at it and start it again.</source>
        <extracomment>sentences</extracomment>
        <translation>Sehen Sie sich das Skript an, und starten Sie es erneut.</translation>
    </message>
    <message>
        <source>load returned {value}, which is no torch.nn.Module and has none as its attribute &apos;model&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>load hat {value} zurückgegeben; das ist kein torch.nn.Module und hat auch keines als Attribut &apos;model&apos;.</translation>
    </message>
    <message>
        <source>The unpruned model was not run before.</source>
        <extracomment>sentences</extracomment>
        <translation>Das ungeprunte Modell wurde vorher nicht ausgeführt.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has no function &apos;{name2}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; hat keine Funktion &apos;{name2}&apos;.</translation>
    </message>
    <message>
        <source>docs/measure.md describes what a script has to define.</source>
        <extracomment>sentences</extracomment>
        <translation>docs/measure.md beschreibt, was ein Skript definieren muss.</translation>
    </message>
    <message>
        <source>&apos;{key}&apos; of {function}() is ({first}, {second}), not (correct, total).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{key}&apos; von {function}() ist ({first}, {second}), nicht (correct, total).</translation>
    </message>
    <message>
        <source>Return how many were right and how many there were, or a list of values.</source>
        <extracomment>sentences</extracomment>
        <translation>Geben Sie zurück, wie viele richtig waren und wie viele es insgesamt waren, oder eine Liste von Werten.</translation>
    </message>
    <message>
        <source>{name} of the installed {library} has other tensors, among them &apos;{wrong}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>{name} im installierten {library} hat andere Tensoren, darunter &apos;{wrong}&apos;.</translation>
    </message>
    <message>
        <source>Write an evaluation script with load(path) for the model.</source>
        <extracomment>sentences</extracomment>
        <translation>Schreiben Sie für das Modell ein Auswertungsskript mit load(path).</translation>
    </message>
    <message>
        <source>There is no image in &apos;{folder}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>In &apos;{folder}&apos; ist kein Bild.</translation>
    </message>
    <message>
        <source>Name a folder with images.</source>
        <extracomment>sentences</extracomment>
        <translation>Nennen Sie einen Ordner mit Bildern.</translation>
    </message>
    <message>
        <source>The model is {name} of {library}, which cannot be imported ({error}).</source>
        <extracomment>sentences</extracomment>
        <translation>Das Modell ist {name} von {library}, das sich nicht importieren lässt ({error}).</translation>
    </message>
    <message>
        <source>Choose a Python with {library}, or write an evaluation script.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie ein Python mit {library}, oder schreiben Sie ein Auswertungsskript.</translation>
    </message>
    <message>
        <source>The image &apos;{file}&apos; cannot be read: {error}.</source>
        <extracomment>sentences</extracomment>
        <translation>Das Bild &apos;{file}&apos; lässt sich nicht lesen: {error}.</translation>
    </message>
    <message>
        <source>transformers {version} has no class {value}.</source>
        <extracomment>sentences</extracomment>
        <translation>transformers {version} hat keine Klasse {value}.</translation>
    </message>
    <message>
        <source>Choose the interpreter of an environment whose transformers has it.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie den Interpreter einer Umgebung, deren transformers sie hat.</translation>
    </message>
    <message>
        <source>The outputs of {what} are {how}, so nothing can be compared.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Ausgaben von {what} sind {how}, daher lässt sich nichts vergleichen.</translation>
    </message>
    <message>
        <source>{name} routes in a way that the check cannot follow.</source>
        <extracomment>sentences</extracomment>
        <translation>{name} routet auf eine Weise, der die Prüfung nicht folgen kann.</translation>
    </message>
    <message>
        <source>The {what} cannot be used: {error}.</source>
        <extracomment>sentences</extracomment>
        <translation>Nicht verwendbar ({what}): {error}.</translation>
    </message>
    <message>
        <source>transformers cannot be imported: {words_of}.</source>
        <extracomment>sentences</extracomment>
        <translation>transformers lässt sich nicht importieren: {words_of}.</translation>
    </message>
    <message>
        <source>Choose the interpreter of an environment that has transformers.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie den Interpreter einer Umgebung, die transformers hat.</translation>
    </message>
    <message>
        <source>transformers {version} cannot import {name}: {words_of}.</source>
        <extracomment>sentences</extracomment>
        <translation>transformers {version} kann {name} nicht importieren: {words_of}.</translation>
    </message>
    <message>
        <source>its configuration is refused ({words_of})</source>
        <extracomment>sentences</extracomment>
        <translation>die Konfiguration wird abgelehnt ({words_of})</translation>
    </message>
    <message>
        <source>it cannot be built ({words_of})</source>
        <extracomment>sentences</extracomment>
        <translation>es lässt sich nicht bauen ({words_of})</translation>
    </message>
    <message>
        <source>it cannot be run ({words_of})</source>
        <extracomment>sentences</extracomment>
        <translation>es lässt sich nicht ausführen ({words_of})</translation>
    </message>
    <message>
        <source>{name} has no list of layers &apos;{stack}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>{name} hat keine Liste von Schichten &apos;{stack}&apos;.</translation>
    </message>
    <message>
        <source>{name} has no router in layer {number}.</source>
        <extracomment>sentences</extracomment>
        <translation>{name} hat in Schicht {number} keinen Router.</translation>
    </message>
    <message>
        <source>The model does not fit into the memory in {request}.</source>
        <extracomment>sentences</extracomment>
        <translation>Das Modell passt in {request} nicht in den Speicher.</translation>
    </message>
    <message>
        <source>Check its first layers only, or use a larger machine.</source>
        <extracomment>sentences</extracomment>
        <translation>Prüfen Sie nur die ersten Schichten, oder verwenden Sie einen größeren Rechner.</translation>
    </message>
    <message>
        <source>{name} takes {main}, which the check cannot make.</source>
        <extracomment>sentences</extracomment>
        <translation>{name} erwartet {main}, was die Prüfung nicht erzeugen kann.</translation>
    </message>
    <message>
        <source>&apos;{text}&apos; holds no text.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{text}&apos; enthält keinen Text.</translation>
    </message>
    <message>
        <source>Name a file with some pages of text.</source>
        <extracomment>sentences</extracomment>
        <translation>Nennen Sie eine Datei mit einigen Seiten Text.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is no model folder with a config.json.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist kein Modellordner mit einer config.json.</translation>
    </message>
    <message>
        <source>Write an evaluation script with load(path) for it.</source>
        <extracomment>sentences</extracomment>
        <translation>Schreiben Sie dafür ein Auswertungsskript mit load(path).</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; needs code of its own: transformers {version} has no class {names}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; braucht eigenen Code: transformers {version} hat keine Klasse {names}.</translation>
    </message>
    <message>
        <source>The model takes {main_input_name}, not token ids.</source>
        <extracomment>sentences</extracomment>
        <translation>Das Modell erwartet {main_input_name}, keine Token-IDs.</translation>
    </message>
    <message>
        <source>Write an evaluation script that runs inputs of yours.</source>
        <extracomment>sentences</extracomment>
        <translation>Schreiben Sie ein Auswertungsskript, das Ihre eigenen Eingaben verwendet.</translation>
    </message>
    <message>
        <source>The model returns no logits for each token.</source>
        <extracomment>sentences</extracomment>
        <translation>Das Modell gibt nicht für jedes Token Logits zurück.</translation>
    </message>
    <message>
        <source>{kind} layout</source>
        <extracomment>sentences</extracomment>
        <translation>{kind}-Layout</translation>
    </message>
    <message>
        <source>another checkpoint</source>
        <extracomment>sentences</extracomment>
        <translation>anderer Checkpoint</translation>
    </message>
    <message>
        <source>another state of the checkpoint</source>
        <extracomment>sentences</extracomment>
        <translation>anderer Zustand des Checkpoints</translation>
    </message>
    <message>
        <source>another script</source>
        <extracomment>sentences</extracomment>
        <translation>anderes Skript</translation>
    </message>
    <message>
        <source>another Python interpreter</source>
        <extracomment>sentences</extracomment>
        <translation>anderer Python-Interpreter</translation>
    </message>
    <message>
        <source>another method</source>
        <extracomment>sentences</extracomment>
        <translation>andere Methode</translation>
    </message>
    <message>
        <source>another setting of the method</source>
        <extracomment>sentences</extracomment>
        <translation>andere Einstellung der Methode</translation>
    </message>
    <message>
        <source>another seed</source>
        <extracomment>sentences</extracomment>
        <translation>anderer Seed</translation>
    </message>
    <message>
        <source>another limit</source>
        <extracomment>sentences</extracomment>
        <translation>andere Begrenzung</translation>
    </message>
    <message>
        <source>another device</source>
        <extracomment>sentences</extracomment>
        <translation>anderes Gerät</translation>
    </message>
    <message>
        <source>another repair</source>
        <extracomment>sentences</extracomment>
        <translation>andere Reparatur</translation>
    </message>
    <message>
        <source>a string</source>
        <extracomment>sentences</extracomment>
        <translation>eine Zeichenkette</translation>
    </message>
    <message>
        <source>an integer</source>
        <extracomment>sentences</extracomment>
        <translation>eine ganze Zahl</translation>
    </message>
    <message>
        <source>a number</source>
        <extracomment>sentences</extracomment>
        <translation>eine Zahl</translation>
    </message>
    <message>
        <source>true or false</source>
        <extracomment>sentences</extracomment>
        <translation>true oder false</translation>
    </message>
    <message>
        <source>an array</source>
        <extracomment>sentences</extracomment>
        <translation>ein Array</translation>
    </message>
    <message>
        <source>an object</source>
        <extracomment>sentences</extracomment>
        <translation>ein Objekt</translation>
    </message>
    <message>
        <source>an array of {len}</source>
        <extracomment>sentences</extracomment>
        <translation>ein Array der Länge {len}</translation>
    </message>
    <message>
        <source>the shape of &apos;{name}&apos; is {list} and should be {list2}</source>
        <extracomment>sentences</extracomment>
        <translation>die Form von &apos;{name}&apos; ist {list}, richtig wäre {list2}</translation>
    </message>
    <message>
        <source>a numpy array</source>
        <extracomment>sentences</extracomment>
        <translation>ein numpy-Array</translation>
    </message>
    <message>
        <source>a numpy number</source>
        <extracomment>sentences</extracomment>
        <translation>eine numpy-Zahl</translation>
    </message>
    <message>
        <source>a conjugate view</source>
        <extracomment>sentences</extracomment>
        <translation>eine konjugierte Sicht</translation>
    </message>
    <message>
        <source>a negated view</source>
        <extracomment>sentences</extracomment>
        <translation>eine negierte Sicht</translation>
    </message>
    <message>
        <source>a DTensor</source>
        <extracomment>sentences</extracomment>
        <translation>ein DTensor</translation>
    </message>
    <message>
        <source>{types} or null</source>
        <extracomment>sentences</extracomment>
        <translation>{types} oder null</translation>
    </message>
    <message>
        <source>an object of type {kind}</source>
        <extracomment>sentences</extracomment>
        <translation>ein Objekt vom Typ {kind}</translation>
    </message>
    <message>
        <source>the folder with zeros</source>
        <extracomment>sentences</extracomment>
        <translation>dem Ordner mit Nullen</translation>
    </message>
    <message>
        <source>nothing but zeros</source>
        <extracomment>sentences</extracomment>
        <translation>nichts als Nullen</translation>
    </message>
    <message>
        <source>not finite</source>
        <extracomment>sentences</extracomment>
        <translation>nicht endlich</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has no weights</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; hat keine Gewichte</translation>
    </message>
    <message>
        <source>The model of the tokenizer &apos;{where}&apos; must be BPE, Unigram or WordPiece to be cut, got {decode}.</source>
        <extracomment>sentences</extracomment>
        <translation>Um es zu verkleinern, muss das Modell des Tokenizers &apos;{where}&apos; BPE, Unigram oder WordPiece sein, nicht {decode}.</translation>
    </message>
    <message>
        <source>it is not JSON: {removesuffix} at {at}</source>
        <extracomment>sentences</extracomment>
        <translation>kein JSON: {removesuffix} ({at})</translation>
    </message>
    <message>
        <source>Enter a count up to {left}{fits}, or a fraction such as 0.2.</source>
        <extracomment>sentences</extracomment>
        <translation>Geben Sie eine Anzahl bis {left}{fits} oder einen Anteil wie 0,2 ein.</translation>
    </message>
    <message>
        <source>Only a model that transformers loads has a class to check against, and this is not one (got &apos;--check {how}&apos;).</source>
        <extracomment>sentences</extracomment>
        <translation>Nur ein Modell, das transformers lädt, hat eine Klasse, mit der sich prüfen lässt, und das ist hier nicht so (angegeben: &apos;--check {how}&apos;).</translation>
    </message>
    <message>
        <source>&apos;{where}&apos; skips merges at random (a dropout of {tree}), so the tokens of a text may vary.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos; lässt zufällig Merges aus (ein Dropout von {tree}), sodass die Tokens eines Textes nicht feststehen.</translation>
    </message>
    <message>
        <source>Set &apos;dropout&apos; to null in it.</source>
        <extracomment>sentences</extracomment>
        <translation>Setzen Sie darin &apos;dropout&apos; auf null.</translation>
    </message>
    <message>
        <source>&apos;{where}&apos; uses the id {missing}, which none of its tokens has.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos; verwendet die ID {missing}, die keines seiner Tokens hat.</translation>
    </message>
    <message>
        <source>&apos;{where}&apos; has {len} pieces; at most {MAX_ID} are allowed.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos; hat {len} Teile; höchstens {MAX_ID} sind möglich.</translation>
    </message>
    <message>
        <source>The added token &apos;{content}&apos; of &apos;{where}&apos; has the id {number}, but the library that reads it assigns {given}: the ids of added tokens must follow those of the model without gaps.</source>
        <extracomment>sentences</extracomment>
        <translation>Das hinzugefügte Token &apos;{content}&apos; in &apos;{where}&apos; hat die ID {number}, aber die Bibliothek, die es liest, vergibt {given}: Die IDs hinzugefügter Tokens müssen lückenlos auf die des Modells folgen.</translation>
    </message>
    <message>
        <source>Keep the whole vocabulary, or save the tokenizer again with transformers.</source>
        <extracomment>sentences</extracomment>
        <translation>Behalten Sie das ganze Vokabular, oder speichern Sie den Tokenizer noch einmal mit transformers.</translation>
    </message>
    <message>
        <source>&apos;{where}&apos; has a post-processor of the unknown type &apos;{kind}&apos;, which may use ids of tokens.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos; hat einen Post-Prozessor der unbekannten Art &apos;{kind}&apos;, der IDs von Tokens verwenden kann.</translation>
    </message>
    <message>
        <source>&apos;{where}&apos; gives the id {number} to both &apos;{first}&apos; and &apos;{token}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos; gibt die ID {number} sowohl &apos;{first}&apos; als auch &apos;{token}&apos;.</translation>
    </message>
    <message>
        <source>&apos;{where}&apos;, at model.merges[{number}]: a merge must be two tokens with a space between them, got &apos;{merges}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos;, bei model.merges[{number}]: Ein Merge muss zwei Tokens mit einem Leerzeichen dazwischen sein, nicht &apos;{merges}&apos;.</translation>
    </message>
    <message>
        <source>The folder &apos;{folder}&apos; has no {TOKENIZER}{found}, so that its vocabulary must stay as it is.</source>
        <extracomment>sentences</extracomment>
        <translation>Der Ordner &apos;{folder}&apos; hat keine {TOKENIZER}{found}, sodass sein Vokabular bleiben muss, wie es ist.</translation>
    </message>
    <message>
        <source>Save the tokenizer with transformers as a fast tokenizer.</source>
        <extracomment>sentences</extracomment>
        <translation>Speichern Sie den Tokenizer mit transformers als schnellen Tokenizer.</translation>
    </message>
    <message>
        <source>&apos;{where}&apos; has tokens up to the id {last_id}, but the embedding has only {counted}: they do not belong together.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos; hat Tokens bis zur ID {last_id}, das Embedding aber nur {counted}: Sie gehören nicht zusammen.</translation>
    </message>
    <message>
        <source>Keep the whole vocabulary, or check that the folder is complete.</source>
        <extracomment>sentences</extracomment>
        <translation>Behalten Sie das ganze Vokabular, oder prüfen Sie, ob der Ordner vollständig ist.</translation>
    </message>
    <message>
        <source>expected an id, got &apos;{number}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>erwartet wird eine ID, nicht &apos;{number}&apos;</translation>
    </message>
    <message>
        <source>expected an id up to {MAX_ID}, got {number}</source>
        <extracomment>sentences</extracomment>
        <translation>erwartet wird eine ID bis {MAX_ID}, nicht {number}</translation>
    </message>
    <message>
        <source>{n} row</source>
        <extracomment>sentences
----------
steps</extracomment>
        <translation>{n} Zeile</translation>
    </message>
    <message>
        <source>{n} rows</source>
        <extracomment>sentences
----------
steps</extracomment>
        <translation>{n} Zeilen</translation>
    </message>
    <message>
        <source>Ranking units by {by} needs statistics of activations.</source>
        <extracomment>sentences</extracomment>
        <translation>Um Einheiten nach {by} zu ordnen, ist eine Aktivierungsstatistik nötig.</translation>
    </message>
    <message>
        <source>Name a file of them; `pruneapp statistics` collects one.</source>
        <extracomment>sentences</extracomment>
        <translation>Nennen Sie eine Datei damit; `pruneapp statistics` sammelt eine.</translation>
    </message>
    <message>
        <source>Ranking units by {words} uses no statistics of activations.</source>
        <extracomment>sentences</extracomment>
        <translation>Um Einheiten nach {words} zu ordnen, wird keine Aktivierungsstatistik verwendet.</translation>
    </message>
    <message>
        <source>Leave them out, or rank by wanda or flap.</source>
        <extracomment>sentences</extracomment>
        <translation>Lassen Sie die Statistik weg, oder ordnen Sie nach wanda oder flap.</translation>
    </message>
    <message>
        <source>Cutting {share} of {count} {label} leaves {wanted}, and rounded up to a multiple of {multiple} that cuts nothing. The nearest numbers that can stay: {near}.</source>
        <extracomment>sentences</extracomment>
        <translation>Um {share} verringert, sind {count} {label} noch {wanted}, und auf ein Vielfaches von {multiple} aufgerundet fällt nichts weg. Die nächsten möglichen Anzahlen: {near}.</translation>
    </message>
    <message>
        <source>Cut more, or choose a smaller multiple.</source>
        <extracomment>sentences</extracomment>
        <translation>Entfernen Sie mehr, oder wählen Sie ein kleineres Vielfaches.</translation>
    </message>
    <message>
        <source>&apos;{by}&apos; has no scores for &apos;{place}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{by}&apos; hat keine Werte für &apos;{place}&apos;.</translation>
    </message>
    <message>
        <source>It needs a vector of {count} numbers with that name.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Datei braucht einen Vektor dieses Namens mit {count} Zahlen.</translation>
    </message>
    <message>
        <source>&apos;{place}&apos; in &apos;{by}&apos; must have {count} real numbers (got the shape {list}, {label}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{place}&apos; in &apos;{by}&apos; muss {count} reelle Zahlen haben (hat die Form {list}, {label}).</translation>
    </message>
    <message>
        <source>Write one score per unit.</source>
        <extracomment>sentences</extracomment>
        <translation>Schreiben Sie einen Wert je Einheit.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; was not cut out of &apos;{path2}&apos;: {what}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; wurde nicht aus &apos;{path2}&apos; geschnitten: {what}.</translation>
    </message>
    <message>
        <source>Name the model that it was cut out of.</source>
        <extracomment>sentences</extracomment>
        <translation>Nennen Sie das Modell, aus dem es geschnitten wurde.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is not a valid statistics file: {what}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist keine gültige Statistikdatei: {what}.</translation>
    </message>
    <message>
        <source>Collect the statistics again.</source>
        <extracomment>sentences</extracomment>
        <translation>Sammeln Sie die Statistik noch einmal.</translation>
    </message>
    <message>
        <source>Ranking weights by their inputs needs statistics of activations.</source>
        <extracomment>sentences</extracomment>
        <translation>Um Gewichte nach ihren Eingaben zu ordnen, ist eine Aktivierungsstatistik nötig.</translation>
    </message>
    <message>
        <source>Choose a statistics file; `pruneapp statistics` makes one.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie eine Statistikdatei; `pruneapp statistics` erstellt eine.</translation>
    </message>
    <message>
        <source>The statistics of activations with the SHA-256 {removeprefix} are not there.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Aktivierungsstatistik mit dem SHA-256 {removeprefix} ist nicht vorhanden.</translation>
    </message>
    <message>
        <source>Load the statistics file in the form, or name it with --statistics.</source>
        <extracomment>sentences</extracomment>
        <translation>Laden Sie die Statistikdatei im Formular, oder nennen Sie sie mit --statistics.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; holds no statistics of activations: none of its tensors is named &apos;NAME{SUM2}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; enthält keine Aktivierungsstatistik: Keiner der Tensoren heißt &apos;NAME{SUM2}&apos;.</translation>
    </message>
    <message>
        <source>Collect them with `pruneapp statistics`.</source>
        <extracomment>sentences</extracomment>
        <translation>Sammeln Sie eine mit `pruneapp statistics`.</translation>
    </message>
    <message>
        <source>The statistics &apos;{name}&apos; are of a &apos;{name2}&apos; with {have}, but it has the shape {list}.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Statistik &apos;{name}&apos; gehört zu einem Tensor &apos;{name2}&apos; mit {have}, er hat aber die Form {list}.</translation>
    </message>
    <message>
        <source>Choose statistics that were collected with this model.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie eine Statistik, die mit diesem Modell gesammelt wurde.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has negative sums of squares or counts</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; hat negative Quadratsummen oder Anzahlen</translation>
    </message>
    <message>
        <source>&apos;{name_of_gram}&apos; does not have {columns} x {columns2} numbers</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name_of_gram}&apos; hat nicht {columns} x {columns2} Zahlen</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; lacks its counts, or its sums are no matrix</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; fehlen die Anzahlen, oder seine Summen sind keine Matrix</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has {numel} numbers instead of {words}</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; hat {numel} Zahlen statt {words}</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is of type {label}</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; ist vom Typ {label}</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is not a statistics file.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist keine Statistikdatei.</translation>
    </message>
    <message>
        <source>Collect statistics with `pruneapp statistics`, or convert an imatrix of llama.cpp with `pruneapp statistics FILE --from IMATRIX`.</source>
        <extracomment>sentences</extracomment>
        <translation>Sammeln Sie eine Statistik mit `pruneapp statistics`, oder konvertieren Sie eine imatrix von llama.cpp mit `pruneapp statistics FILE --from IMATRIX`.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is not a valid statistics file: in its metadata, {what}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist keine gültige Statistikdatei; in den Metadaten: {what}.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; holds numbers that are not finite</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; enthält Zahlen, die nicht endlich sind</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is not a valid imatrix: {what}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist keine gültige imatrix: {what}.</translation>
    </message>
    <message>
        <source>Download or make it again.</source>
        <extracomment>sentences</extracomment>
        <translation>Laden Sie die Datei neu herunter, oder erstellen Sie sie neu.</translation>
    </message>
    <message>
        <source>Choose a file that llama-imatrix wrote.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie eine Datei, die llama-imatrix geschrieben hat.</translation>
    </message>
    <message>
        <source>it has a value of the unknown type {number}</source>
        <extracomment>sentences</extracomment>
        <translation>sie hat einen Wert vom unbekannten Typ {number}</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is not an imatrix of llama.cpp.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist keine imatrix von llama.cpp.</translation>
    </message>
    <message>
        <source>Choose a .gguf or .dat file that llama-imatrix wrote.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie eine .gguf- oder .dat-Datei, die llama-imatrix geschrieben hat.</translation>
    </message>
    <message>
        <source>None of the names in &apos;{path}&apos; (such as &apos;{show}&apos;) is known to belong to a weight of &apos;{path2}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>Keiner der Namen in &apos;{path}&apos; (etwa &apos;{show}&apos;) ist für ein Gewicht von &apos;{path2}&apos; bekannt.</translation>
    </message>
    <message>
        <source>An imatrix fits language models whose tensors are named as in Hugging Face.</source>
        <extracomment>sentences</extracomment>
        <translation>Eine imatrix passt zu Sprachmodellen mit den Namen von Hugging Face.</translation>
    </message>
    <message>
        <source>&apos;{show}&apos; lacks its sums of squares or its counts</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos; fehlen die Quadratsummen oder die Anzahlen</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; has {size} inputs of &apos;{show}&apos;, but &apos;{show2}&apos; has the shape {list}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; hat {size} Eingaben für &apos;{show}&apos;, &apos;{show2}&apos; hat aber die Form {list}.</translation>
    </message>
    <message>
        <source>Choose an imatrix that was made for a model of this shape.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie eine imatrix, die für ein Modell dieser Form erstellt wurde.</translation>
    </message>
    <message>
        <source>&apos;{show}&apos; has negative sums of squares or counts</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos; hat negative Quadratsummen oder Anzahlen</translation>
    </message>
    <message>
        <source>it holds numbers that are not finite</source>
        <extracomment>sentences</extracomment>
        <translation>sie enthält Zahlen, die nicht endlich sind</translation>
    </message>
    <message>
        <source>a name in it has {size} bytes</source>
        <extracomment>sentences</extracomment>
        <translation>ein Name darin hat {size} Bytes</translation>
    </message>
    <message>
        <source>it has a name with control characters: {text}</source>
        <extracomment>sentences</extracomment>
        <translation>sie hat einen Namen mit Steuerzeichen: {text}</translation>
    </message>
    <message>
        <source>it has &apos;{show}&apos; twice</source>
        <extracomment>sentences</extracomment>
        <translation>sie hat &apos;{show}&apos; zweimal</translation>
    </message>
    <message>
        <source>&apos;{show}&apos; has {size} values of {calls} calls</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos; hat {size} Werte aus {calls} Aufrufen</translation>
    </message>
    <message>
        <source>other bytes follow its last entry</source>
        <extracomment>sentences</extracomment>
        <translation>auf ihren letzten Eintrag folgen weitere Bytes</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; has &apos;{show}&apos;, but &apos;{path2}&apos; has no weight that it could belong to: the file was made for another model.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; enthält &apos;{show}&apos;, aber &apos;{path2}&apos; hat kein passendes Gewicht: Die Datei wurde für ein anderes Modell erstellt.</translation>
    </message>
    <message>
        <source>Choose the imatrix of this model.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie die imatrix dieses Modells.</translation>
    </message>
    <message>
        <source>&apos;{show}&apos; has {numel} counts of {parts}</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos; hat {numel} Anzahlen von {parts}</translation>
    </message>
    <message>
        <source>&apos;{show}&apos; has sums of another length than its squares</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos; hat Summen anderer Länge als seine Quadrate</translation>
    </message>
    <message>
        <source>a name in it is not UTF-8 text</source>
        <extracomment>sentences</extracomment>
        <translation>ein Name darin ist kein UTF-8-Text</translation>
    </message>
    <message>
        <source>&apos;{show}&apos; is not float32</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos; ist nicht float32</translation>
    </message>
    <message>
        <source>A vector of {size} elements, wrapped into lines of {wrap}.</source>
        <extracomment>sentences</extracomment>
        <translation>Ein Vektor mit {size} Elementen, umbrochen in Zeilen zu {wrap}.</translation>
    </message>
    <message>
        <source>It has {len} dimensions, and no dimension {dim}.</source>
        <extracomment>sentences</extracomment>
        <translation>Er hat {len} Dimensionen und keine Dimension {dim}.</translation>
    </message>
    <message>
        <source>Groups need a tensor of two or more dimensions.</source>
        <extracomment>sentences</extracomment>
        <translation>Gruppen brauchen einen Tensor mit zwei oder mehr Dimensionen.</translation>
    </message>
    <message>
        <source>Dimension {dim} has {length} elements, fewer than a group of {size}.</source>
        <extracomment>sentences</extracomment>
        <translation>Dimension {dim} hat {length} Elemente, weniger als eine Gruppe mit {size}.</translation>
    </message>
    <message>
        <source>protected weights</source>
        <extracomment>sentences</extracomment>
        <translation>geschützte Gewichte</translation>
    </message>
    <message>
        <source>weights were protected or restored</source>
        <extracomment>sentences</extracomment>
        <translation>Gewichte wurden geschützt oder wiederhergestellt</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has the shapes {shape} and {shape2}</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; hat die Formen {shape} und {shape2}</translation>
    </message>
    <message>
        <source>The folder holds &apos;{file}&apos; and shards with an index. &apos;{file2}&apos; was opened, as transformers does; to open the shards, open &apos;{index}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>Der Ordner enthält &apos;{file}&apos; und Shards mit einem Index. Wie bei transformers wurde &apos;{file2}&apos; geöffnet; um die Shards zu öffnen, öffnen Sie &apos;{index}&apos;.</translation>
    </message>
    <message>
        <source>This is shard {number} of {count}. For the whole model, open its folder or its index.</source>
        <extracomment>sentences</extracomment>
        <translation>Das ist Shard {number} von {count}. Für das ganze Modell öffnen Sie den Ordner oder den Index.</translation>
    </message>
    <message>
        <source>whole numbers are not pruned: they count, index or are quantized</source>
        <extracomment>sentences</extracomment>
        <translation>ganze Zahlen werden nicht geprunt: sie zählen, indizieren oder sind quantisiert</translation>
    </message>
    <message>
        <source>this type of scales has no 0</source>
        <extracomment>sentences</extracomment>
        <translation>dieser Typ für Skalen hat keine 0</translation>
    </message>
    <message>
        <source>packed 6-bit floats are not pruned</source>
        <extracomment>sentences</extracomment>
        <translation>gepackte 6-Bit-Zahlen werden nicht geprunt</translation>
    </message>
    <message>
        <source>packed 4-bit floats are not pruned</source>
        <extracomment>sentences</extracomment>
        <translation>gepackte 4-Bit-Zahlen werden nicht geprunt</translation>
    </message>
    <message>
        <source>complex numbers are not pruned</source>
        <extracomment>sentences</extracomment>
        <translation>komplexe Zahlen werden nicht geprunt</translation>
    </message>
    <message>
        <source>booleans are not pruned</source>
        <extracomment>sentences</extracomment>
        <translation>Wahrheitswerte werden nicht geprunt</translation>
    </message>
    <message>
        <source>tensor &apos;{show}&apos; lacks dtype, shape or data_offsets</source>
        <extracomment>sentences</extracomment>
        <translation>Tensor &apos;{show}&apos; fehlt dtype, shape oder data_offsets</translation>
    </message>
    <message>
        <source>overlaps the one before it</source>
        <extracomment>sentences</extracomment>
        <translation>überlappt den vorigen</translation>
    </message>
    <message>
        <source>leaves a hole before it</source>
        <extracomment>sentences</extracomment>
        <translation>lässt eine Lücke nach dem vorigen</translation>
    </message>
    <message>
        <source>tensor &apos;{show}&apos; {what} (byte {begin}, not {end})</source>
        <extracomment>sentences</extracomment>
        <translation>Tensor &apos;{show}&apos; {what} (Byte {begin}, nicht {end})</translation>
    </message>
    <message>
        <source>its header does not begin with &apos;{{&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>der Header beginnt nicht mit &apos;{{&apos;</translation>
    </message>
    <message>
        <source>in its header, {what}</source>
        <extracomment>sentences</extracomment>
        <translation>im Header: {what}</translation>
    </message>
    <message>
        <source>&apos;{METADATA}&apos; is not an object</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{METADATA}&apos; ist kein Objekt</translation>
    </message>
    <message>
        <source>&apos;{show}&apos; in &apos;{METADATA}&apos; is not text</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos; in &apos;{METADATA}&apos; ist kein Text</translation>
    </message>
    <message>
        <source>tensor &apos;{show}&apos; has the unknown dtype {str}</source>
        <extracomment>sentences</extracomment>
        <translation>Tensor &apos;{show}&apos; hat den unbekannten dtype {str}</translation>
    </message>
    <message>
        <source>the data_offsets of tensor &apos;{show}&apos; must be two whole numbers, the smaller first (got {str})</source>
        <extracomment>sentences</extracomment>
        <translation>die data_offsets des Tensors &apos;{show}&apos; müssen zwei ganze Zahlen sein, die kleinere zuerst (angegeben: {str})</translation>
    </message>
    <message>
        <source>the shape of tensor &apos;{show}&apos; is not a list</source>
        <extracomment>sentences</extracomment>
        <translation>die Form des Tensors &apos;{show}&apos; ist keine Liste</translation>
    </message>
    <message>
        <source>tensor &apos;{show}&apos; has {len} dimensions; at most {MAX_RANK} are allowed</source>
        <extracomment>sentences</extracomment>
        <translation>Tensor &apos;{show}&apos; hat {len} Dimensionen; höchstens {MAX_RANK} sind erlaubt</translation>
    </message>
    <message>
        <source>the shape of tensor &apos;{show}&apos; must be whole numbers up to 2^63 - 1 (got {str})</source>
        <extracomment>sentences</extracomment>
        <translation>die Form des Tensors &apos;{show}&apos; muss aus ganzen Zahlen bis 2^63 - 1 bestehen (angegeben: {str})</translation>
    </message>
    <message>
        <source>tensor &apos;{show}&apos; has more than 2^63 elements</source>
        <extracomment>sentences</extracomment>
        <translation>Tensor &apos;{show}&apos; hat mehr als 2^63 Elemente</translation>
    </message>
    <message>
        <source>tensor &apos;{show}&apos; does not end at a whole byte</source>
        <extracomment>sentences</extracomment>
        <translation>Tensor &apos;{show}&apos; endet nicht an einem ganzen Byte</translation>
    </message>
    <message>
        <source>tensor &apos;{show}&apos; needs {value} bytes but has {value2}</source>
        <extracomment>sentences</extracomment>
        <translation>Tensor &apos;{show}&apos; braucht {value} Bytes, hat aber {value2}</translation>
    </message>
    <message>
        <source>its weight_map must be an object with at least one tensor</source>
        <extracomment>sentences</extracomment>
        <translation>weight_map muss ein Objekt mit mindestens einem Tensor sein</translation>
    </message>
    <message>
        <source>the file of tensor &apos;{show}&apos; is not text</source>
        <extracomment>sentences</extracomment>
        <translation>die Datei des Tensors &apos;{show}&apos; ist kein Text</translation>
    </message>
    <message>
        <source>&apos;{other}&apos; and &apos;{file}&apos; differ only in upper and lower case, or spelling</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{other}&apos; und &apos;{file}&apos; unterscheiden sich nur in Groß- und Kleinschreibung oder Schreibweise</translation>
    </message>
    <message>
        <source>its header would have {size} bytes; at most {MAX_HEADER_BYTES} are allowed</source>
        <extracomment>sentences</extracomment>
        <translation>der Header hätte {size} Bytes, höchstens {MAX_HEADER_BYTES} sind erlaubt</translation>
    </message>
    <message>
        <source>at least {missing} missing</source>
        <extracomment>sentences</extracomment>
        <translation>mindestens {missing} fehlen</translation>
    </message>
    <message>
        <source>{counted} of {value} {verb} missing</source>
        <extracomment>sentences</extracomment>
        <translation>von {value} Bytes fehlen {counted}</translation>
    </message>
    <message>
        <source>{what} its last tensor</source>
        <extracomment>sentences</extracomment>
        <translation>{what} dem letzten Tensor</translation>
    </message>
    <message>
        <source>The header of this file has fields for {counted} that the format does not define; they are ignored.</source>
        <extracomment>sentences</extracomment>
        <translation>Der Header dieser Datei hat für {counted} Felder, die das Format nicht kennt; sie bleiben unberücksichtigt.</translation>
    </message>
    <message>
        <source>it lists itself as a shard</source>
        <extracomment>sentences</extracomment>
        <translation>er nennt sich selbst als Shard</translation>
    </message>
    <message>
        <source>{list} in the shards but not in the index; other programs may ignore this.</source>
        <extracomment>sentences</extracomment>
        <translation>{list} in den Shards, aber nicht im Index; andere Programme übergehen das möglicherweise.</translation>
    </message>
    <message>
        <source>Tensor {shown} is</source>
        <extracomment>sentences</extracomment>
        <translation>Tensor {shown} ist</translation>
    </message>
    <message>
        <source>Tensors {shown} are</source>
        <extracomment>sentences</extracomment>
        <translation>Die Tensoren {shown} sind</translation>
    </message>
    <message>
        <source>Make room or choose another disk.</source>
        <extracomment>sentences</extracomment>
        <translation>Schaffen Sie Platz, oder wählen Sie einen anderen Datenträger.</translation>
    </message>
    <message>
        <source>the file system does not support files of {nbytes} bytes</source>
        <extracomment>sentences</extracomment>
        <translation>das Dateisystem unterstützt keine Dateien mit {nbytes} Bytes</translation>
    </message>
    <message>
        <source>Choose another disk (FAT32 is limited to 4 GB).</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie einen anderen Datenträger (FAT32 ist auf 4 GB begrenzt).</translation>
    </message>
    <message>
        <source>the disk is full ({nbytes} bytes are needed)</source>
        <extracomment>sentences</extracomment>
        <translation>der Datenträger ist voll ({nbytes} Bytes werden gebraucht)</translation>
    </message>
    <message>
        <source>{counted} missing on the disk ({nbytes} are needed, {free} are free)</source>
        <extracomment>sentences</extracomment>
        <translation>auf dem Datenträger fehlen {counted} ({nbytes} werden gebraucht, {free} sind frei)</translation>
    </message>
    <message>
        <source>the disk is full or your quota is used up ({nbytes} bytes are needed)</source>
        <extracomment>sentences</extracomment>
        <translation>der Datenträger ist voll oder Ihr Anteil daran aufgebraucht ({nbytes} Bytes werden gebraucht)</translation>
    </message>
    <message>
        <source>Choose a folder that you may write to.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie einen Ordner, in den Sie schreiben dürfen.</translation>
    </message>
    <message>
        <source>&apos;{folder}&apos; does not accept new files: choose another folder.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{folder}&apos; nimmt keine neuen Dateien auf: Wählen Sie einen anderen Ordner.</translation>
    </message>
    <message>
        <source>Check the disk or the network drive.</source>
        <extracomment>sentences</extracomment>
        <translation>Prüfen Sie den Datenträger oder das Netzlaufwerk.</translation>
    </message>
    <message>
        <source>a folder</source>
        <extracomment>sentences</extracomment>
        <translation>ein Ordner</translation>
    </message>
    <message>
        <source>a pipe</source>
        <extracomment>sentences</extracomment>
        <translation>eine Pipe</translation>
    </message>
    <message>
        <source>a socket</source>
        <extracomment>sentences</extracomment>
        <translation>ein Socket</translation>
    </message>
    <message>
        <source>a device</source>
        <extracomment>sentences</extracomment>
        <translation>ein Gerät</translation>
    </message>
    <message>
        <source>something else</source>
        <extracomment>sentences</extracomment>
        <translation>etwas anderes</translation>
    </message>
    <message>
        <source>Ask for permission to read it, or copy it to a folder of your own.</source>
        <extracomment>sentences</extracomment>
        <translation>Beantragen Sie das Leserecht, oder kopieren Sie die Datei in einen eigenen Ordner.</translation>
    </message>
    <message>
        <source>Check the name and the folder.</source>
        <extracomment>sentences</extracomment>
        <translation>Prüfen Sie den Namen und den Ordner.</translation>
    </message>
    <message>
        <source>was written by another program</source>
        <extracomment>sentences</extracomment>
        <translation>wurde von einem anderen Programm geschrieben</translation>
    </message>
    <message>
        <source>was changed or removed</source>
        <extracomment>sentences</extracomment>
        <translation>wurde geändert oder entfernt</translation>
    </message>
    <message>
        <source>Check the connection to the store, then export again.</source>
        <extracomment>sentences</extracomment>
        <translation>Prüfen Sie die Verbindung zum Speicher, und exportieren Sie dann erneut.</translation>
    </message>
    <message>
        <source>Choose a place that you may write to, or check your credentials.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie einen Ort, an den Sie schreiben dürfen, oder prüfen Sie Ihre Zugangsdaten.</translation>
    </message>
    <message>
        <source>Check the name of the bucket.</source>
        <extracomment>sentences</extracomment>
        <translation>Prüfen Sie den Namen des Buckets.</translation>
    </message>
    <message>
        <source>Unpack it first, then open what is inside.</source>
        <extracomment>sentences</extracomment>
        <translation>Entpacken Sie die Datei zuerst, und öffnen Sie dann den Inhalt.</translation>
    </message>
    <message>
        <source>Download it again, from the link to the file itself.</source>
        <extracomment>sentences</extracomment>
        <translation>Laden Sie die Datei über den Link zur Datei selbst erneut herunter.</translation>
    </message>
    <message>
        <source>Open the model that it was made from, prune it, and convert that again.</source>
        <extracomment>sentences</extracomment>
        <translation>Öffnen Sie das Modell, aus dem es entstanden ist, prunen Sie dieses, und wandeln Sie es erneut um.</translation>
    </message>
    <message>
        <source>Save its tensors in Python: safetensors.numpy.save_file({tensors}, &apos;model.safetensors&apos;), then open that file.</source>
        <extracomment>sentences</extracomment>
        <translation>Speichern Sie die Tensoren in Python: safetensors.numpy.save_file({tensors}, &apos;model.safetensors&apos;), und öffnen Sie dann diese Datei.</translation>
    </message>
    <message>
        <source>is a pointer of git-lfs, not the weights themselves</source>
        <extracomment>sentences</extracomment>
        <translation>ist ein Zeiger von git-lfs, nicht die Gewichte selbst</translation>
    </message>
    <message>
        <source>Run `git lfs pull` in its folder, then open it again.</source>
        <extracomment>sentences</extracomment>
        <translation>Führen Sie im Ordner `git lfs pull` aus, und öffnen Sie die Datei erneut.</translation>
    </message>
    <message>
        <source>is compressed with gzip</source>
        <extracomment>sentences</extracomment>
        <translation>ist mit gzip komprimiert</translation>
    </message>
    <message>
        <source>is a 7-Zip archive</source>
        <extracomment>sentences</extracomment>
        <translation>ist ein 7-Zip-Archiv</translation>
    </message>
    <message>
        <source>is a RAR archive</source>
        <extracomment>sentences</extracomment>
        <translation>ist ein RAR-Archiv</translation>
    </message>
    <message>
        <source>is compressed with zstd</source>
        <extracomment>sentences</extracomment>
        <translation>ist mit zstd komprimiert</translation>
    </message>
    <message>
        <source>is compressed with xz</source>
        <extracomment>sentences</extracomment>
        <translation>ist mit xz komprimiert</translation>
    </message>
    <message>
        <source>is compressed with bzip2</source>
        <extracomment>sentences</extracomment>
        <translation>ist mit bzip2 komprimiert</translation>
    </message>
    <message>
        <source>is a tar archive, as written by torch before version 0.1.10 or used to pack downloads</source>
        <extracomment>sentences</extracomment>
        <translation>ist ein tar-Archiv, wie torch vor Version 0.1.10 sie schrieb oder Downloads sie enthalten</translation>
    </message>
    <message>
        <source>Unpack it if it holds a checkpoint; else load it with an old torch and save it again.</source>
        <extracomment>sentences</extracomment>
        <translation>Entpacken Sie es, wenn es einen Checkpoint enthält; sonst laden Sie es mit einem alten torch und speichern es erneut.</translation>
    </message>
    <message>
        <source>is an HDF5 file, as Keras writes them</source>
        <extracomment>sentences</extracomment>
        <translation>ist eine HDF5-Datei, wie Keras sie schreibt</translation>
    </message>
    <message>
        <source>is a TensorFlow Lite model</source>
        <extracomment>sentences</extracomment>
        <translation>ist ein Modell von TensorFlow Lite</translation>
    </message>
    <message>
        <source>is an Arrow file: a table of data, not a model</source>
        <extracomment>sentences</extracomment>
        <translation>ist eine Arrow-Datei: eine Datentabelle, kein Modell</translation>
    </message>
    <message>
        <source>is a Parquet file: a table of data, not a model</source>
        <extracomment>sentences</extracomment>
        <translation>ist eine Parquet-Datei: eine Datentabelle, kein Modell</translation>
    </message>
    <message>
        <source>is a PDF document</source>
        <extracomment>sentences</extracomment>
        <translation>ist ein PDF-Dokument</translation>
    </message>
    <message>
        <source>is a picture</source>
        <extracomment>sentences</extracomment>
        <translation>ist ein Bild</translation>
    </message>
    <message>
        <source>is an SQLite database</source>
        <extracomment>sentences</extracomment>
        <translation>ist eine SQLite-Datenbank</translation>
    </message>
    <message>
        <source>is a script, which Pruneapp does not run</source>
        <extracomment>sentences</extracomment>
        <translation>ist ein Skript, das Pruneapp nicht ausführt</translation>
    </message>
    <message>
        <source>is a Flax checkpoint</source>
        <extracomment>sentences</extracomment>
        <translation>ist ein Checkpoint von Flax</translation>
    </message>
    <message>
        <source>is a PaddlePaddle checkpoint</source>
        <extracomment>sentences</extracomment>
        <translation>ist ein Checkpoint von PaddlePaddle</translation>
    </message>
    <message>
        <source>is a Core ML model</source>
        <extracomment>sentences</extracomment>
        <translation>ist ein Core-ML-Modell</translation>
    </message>
    <message>
        <source>is a TensorRT engine</source>
        <extracomment>sentences</extracomment>
        <translation>ist eine TensorRT-Engine</translation>
    </message>
    <message>
        <source>Open the model that it was built from.</source>
        <extracomment>sentences</extracomment>
        <translation>Öffnen Sie das Modell, aus dem sie erzeugt wurde.</translation>
    </message>
    <message>
        <source>is a TensorFlow graph</source>
        <extracomment>sentences</extracomment>
        <translation>ist ein TensorFlow-Graph</translation>
    </message>
    <message>
        <source>is a GGML model</source>
        <extracomment>sentences</extracomment>
        <translation>ist ein GGML-Modell</translation>
    </message>
    <message>
        <source>is a web page, not a checkpoint</source>
        <extracomment>sentences</extracomment>
        <translation>ist eine Webseite, kein Checkpoint</translation>
    </message>
    <message>
        <source>has other data in front of a zip archive</source>
        <extracomment>sentences</extracomment>
        <translation>hat andere Daten vor einem Zip-Archiv</translation>
    </message>
    <message>
        <source>Get the file again.</source>
        <extracomment>sentences</extracomment>
        <translation>Beschaffen Sie die Datei erneut.</translation>
    </message>
    <message>
        <source>a checkpoint of DeepSpeed</source>
        <extracomment>sentences</extracomment>
        <translation>ein Checkpoint von DeepSpeed</translation>
    </message>
    <message>
        <source>a checkpoint of Megatron, cut into ranks</source>
        <extracomment>sentences</extracomment>
        <translation>ein Checkpoint von Megatron, in Ranks zerlegt</translation>
    </message>
    <message>
        <source>Convert it to Hugging Face&apos;s layout with the tools of Megatron.</source>
        <extracomment>sentences</extracomment>
        <translation>Wandeln Sie ihn mit den Werkzeugen von Megatron in das Layout von Hugging Face um.</translation>
    </message>
    <message>
        <source>a checkpoint of Meta&apos;s, cut into ranks</source>
        <extracomment>sentences</extracomment>
        <translation>ein Checkpoint von Meta, in Ranks zerlegt</translation>
    </message>
    <message>
        <source>Convert it with convert_llama_weights_to_hf.py of transformers.</source>
        <extracomment>sentences</extracomment>
        <translation>Wandeln Sie ihn mit convert_llama_weights_to_hf.py von transformers um.</translation>
    </message>
    <message>
        <source>a TensorFlow model</source>
        <extracomment>sentences</extracomment>
        <translation>ein TensorFlow-Modell</translation>
    </message>
    <message>
        <source>Save its weights as safetensors with TensorFlow, then open that.</source>
        <extracomment>sentences</extracomment>
        <translation>Speichern Sie seine Gewichte mit TensorFlow als safetensors, und öffnen Sie das.</translation>
    </message>
    <message>
        <source>{len} tensors are</source>
        <extracomment>sentences</extracomment>
        <translation>{len} Tensoren sind</translation>
    </message>
    <message>
        <source>One tensor is</source>
        <extracomment>sentences</extracomment>
        <translation>Ein Tensor ist</translation>
    </message>
    <message>
        <source>them: opened unchanged</source>
        <extracomment>sentences</extracomment>
        <translation>ihnen: geöffnet, wie sie sind</translation>
    </message>
    <message>
        <source>it: opened unchanged</source>
        <extracomment>sentences</extracomment>
        <translation>ihm: geöffnet, wie er ist</translation>
    </message>
    <message>
        <source>{some} named like the original of a pruned tensor, but no mask of zeros and ones of the same shape lies beside {opened}, not as pruned.</source>
        <extracomment>sentences</extracomment>
        <translation>{some} wie das Original eines geprunten Tensors benannt, aber keine Maske aus Nullen und Einsen derselben Form liegt bei {opened}, nicht als geprunt.</translation>
    </message>
    <message>
        <source>{len} tensors NAME lie</source>
        <extracomment>sentences</extracomment>
        <translation>{len} Tensoren NAME liegen</translation>
    </message>
    <message>
        <source>One tensor NAME lies</source>
        <extracomment>sentences</extracomment>
        <translation>Ein Tensor NAME liegt</translation>
    </message>
    <message>
        <source>{some} beside NAME_orig and NAME_mask, which stand for the same tensor, pruned: all are opened unchanged, none as pruned. Open a file without the ones that are out of date.</source>
        <extracomment>sentences</extracomment>
        <translation>{some} neben NAME_orig und NAME_mask, die für denselben Tensor stehen, geprunt: Alle werden geöffnet, wie sie sind, keiner als geprunt. Öffnen Sie eine Datei ohne die veralteten.</translation>
    </message>
    <message>
        <source>several of its elements share the same memory</source>
        <extracomment>sentences</extracomment>
        <translation>mehrere seiner Elemente teilen sich denselben Speicher</translation>
    </message>
    <message>
        <source>it shares memory with &apos;{other}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>er teilt sich Speicher mit &apos;{other}&apos;</translation>
    </message>
    <message>
        <source>running statistics are measured, not learned</source>
        <extracomment>sentences</extracomment>
        <translation>laufende Statistiken werden gemessen, nicht gelernt</translation>
    </message>
    <message>
        <source>it counts batches</source>
        <extracomment>sentences</extracomment>
        <translation>er zählt Batches</translation>
    </message>
    <message>
        <source>these frequencies are computed, not learned</source>
        <extracomment>sentences</extracomment>
        <translation>diese Frequenzen werden berechnet, nicht gelernt</translation>
    </message>
    <message>
        <source>it numbers positions</source>
        <extracomment>sentences</extracomment>
        <translation>er nummeriert Positionen</translation>
    </message>
    <message>
        <source>anchor boxes are chosen, not learned</source>
        <extracomment>sentences</extracomment>
        <translation>Ankerboxen werden gewählt, nicht gelernt</translation>
    </message>
    <message>
        <source>computes the weight of the layer from it</source>
        <extracomment>sentences</extracomment>
        <translation>berechnet daraus das Gewicht der Schicht</translation>
    </message>
    <message>
        <source>it is empty</source>
        <extracomment>sentences</extracomment>
        <translation>er ist leer</translation>
    </message>
    <message>
        <source>a single number is not pruned</source>
        <extracomment>sentences</extracomment>
        <translation>eine einzelne Zahl wird nicht geprunt</translation>
    </message>
    <message>
        <source>weight normalization {RECOMPUTED}</source>
        <extracomment>sentences</extracomment>
        <translation>die Gewichtsnormalisierung {RECOMPUTED}</translation>
    </message>
    <message>
        <source>spectral normalization {RECOMPUTED}</source>
        <extracomment>sentences</extracomment>
        <translation>die Spektralnormalisierung {RECOMPUTED}</translation>
    </message>
    <message>
        <source>a parametrization {RECOMPUTED}</source>
        <extracomment>sentences</extracomment>
        <translation>eine Parametrisierung {RECOMPUTED}</translation>
    </message>
    <message>
        <source>{what} the end of its zip archive</source>
        <extracomment>sentences</extracomment>
        <translation>{what} dem Ende des Zip-Archivs</translation>
    </message>
    <message>
        <source>its zip directory is missing, so the file is cut short</source>
        <extracomment>sentences</extracomment>
        <translation>das Zip-Verzeichnis fehlt, die Datei ist also abgeschnitten</translation>
    </message>
    <message>
        <source>its zip archive has more than one directory</source>
        <extracomment>sentences</extracomment>
        <translation>das Zip-Archiv hat mehr als ein Verzeichnis</translation>
    </message>
    <message>
        <source>its zip directory is not where the end of the archive says it is</source>
        <extracomment>sentences</extracomment>
        <translation>das Zip-Verzeichnis ist nicht dort, wo es nach dem Ende des Archivs sein soll</translation>
    </message>
    <message>
        <source>its zip archive contradicts itself about its size</source>
        <extracomment>sentences</extracomment>
        <translation>das Zip-Archiv widerspricht sich bei seiner Größe</translation>
    </message>
    <message>
        <source>is one part of a zip archive in several parts</source>
        <extracomment>sentences</extracomment>
        <translation>ist ein Teil eines mehrteiligen Zip-Archivs</translation>
    </message>
    <message>
        <source>is a zip archive of {count} members with a directory of {size} bytes (at most {MAX_MEMBERS} and {MAX_DIRECTORY} are read)</source>
        <extracomment>sentences</extracomment>
        <translation>ist ein Zip-Archiv aus {count} Dateien mit einem Verzeichnis von {size} Bytes (höchstens {MAX_MEMBERS} und {MAX_DIRECTORY} werden gelesen)</translation>
    </message>
    <message>
        <source>its zip directory is longer than its members</source>
        <extracomment>sentences</extracomment>
        <translation>das Zip-Verzeichnis ist länger als sein Inhalt</translation>
    </message>
    <message>
        <source>its zip archive has overlapping members (&apos;{name}&apos;)</source>
        <extracomment>sentences</extracomment>
        <translation>im Zip-Archiv überlappen sich Dateien (&apos;{name}&apos;)</translation>
    </message>
    <message>
        <source>a member of its zip archive overlaps the directory</source>
        <extracomment>sentences</extracomment>
        <translation>eine Datei des Zip-Archivs überlappt das Verzeichnis</translation>
    </message>
    <message>
        <source>there is other data in front of its zip archive</source>
        <extracomment>sentences</extracomment>
        <translation>vor dem Zip-Archiv stehen andere Daten</translation>
    </message>
    <message>
        <source>is a Keras model, which Pruneapp does not read</source>
        <extracomment>sentences</extracomment>
        <translation>ist ein Keras-Modell, das Pruneapp nicht liest</translation>
    </message>
    <message>
        <source>its zip directory ends in the middle</source>
        <extracomment>sentences</extracomment>
        <translation>das Zip-Verzeichnis endet mittendrin</translation>
    </message>
    <message>
        <source>its zip directory contains something that is not an entry</source>
        <extracomment>sentences</extracomment>
        <translation>das Zip-Verzeichnis enthält etwas, das kein Eintrag ist</translation>
    </message>
    <message>
        <source>the name of a member of its zip archive is not UTF-8</source>
        <extracomment>sentences</extracomment>
        <translation>der Name einer Datei im Zip-Archiv ist kein UTF-8</translation>
    </message>
    <message>
        <source>is an encrypted zip archive</source>
        <extracomment>sentences</extracomment>
        <translation>ist ein verschlüsseltes Zip-Archiv</translation>
    </message>
    <message>
        <source>Decrypt it first.</source>
        <extracomment>sentences</extracomment>
        <translation>Entschlüsseln Sie es zuerst.</translation>
    </message>
    <message>
        <source>holds &apos;{name}&apos;, compressed by method {method} of zip (only 0, stored, and 8, deflated, are read)</source>
        <extracomment>sentences</extracomment>
        <translation>enthält &apos;{name}&apos;, komprimiert mit Methode {method} von Zip (gelesen werden nur 0, gespeichert, und 8, deflated)</translation>
    </message>
    <message>
        <source>the zip archive contradicts itself about the size of &apos;{name}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>das Zip-Archiv widerspricht sich bei der Größe von &apos;{name}&apos;</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; lies beyond the end of its zip archive</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; liegt hinter dem Ende des Zip-Archivs</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is not where the zip directory says it is</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; ist nicht dort, wo das Zip-Verzeichnis es angibt</translation>
    </message>
    <message>
        <source>the zip archive contradicts itself about &apos;{name}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>das Zip-Archiv widerspricht sich bei &apos;{name}&apos;</translation>
    </message>
    <message>
        <source>It contains code ({names}), which was not run.</source>
        <extracomment>sentences</extracomment>
        <translation>Sie enthält Code ({names}), der nicht ausgeführt wurde.</translation>
    </message>
    <message>
        <source>{counted} of this file cannot be read: {first_names}. A torch file that keeps its container keeps {them}; other exports leave {them2} out only if you say so.</source>
        <extracomment>sentences</extracomment>
        <translation>Nicht lesbar in dieser Datei: {counted} ({first_names}). Eine torch-Datei, die ihren Container behält, behält auch das; andere Exporte lassen es nur auf Ihren Wunsch weg.</translation>
    </message>
    <message>
        <source>This file is a TorchScript program; its code was not run. Its tensors are shown by the names of its attributes.</source>
        <extracomment>sentences</extracomment>
        <translation>Diese Datei ist ein TorchScript-Programm; sein Code wurde nicht ausgeführt. Die Tensoren sind nach ihren Attributen benannt.</translation>
    </message>
    <message>
        <source>This file contains code ({first_names}); it was not run.</source>
        <extracomment>sentences</extracomment>
        <translation>Diese Datei enthält Code ({first_names}); er wurde nicht ausgeführt.</translation>
    </message>
    <message>
        <source>it is quantized: whole numbers with a scale, which are not pruned</source>
        <extracomment>sentences</extracomment>
        <translation>er ist quantisiert: ganze Zahlen mit einer Skala, die nicht geprunt werden</translation>
    </message>
    <message>
        <source>Pruneapp does not support the number format torch.{name}</source>
        <extracomment>sentences</extracomment>
        <translation>Pruneapp unterstützt das Zahlenformat torch.{name} nicht</translation>
    </message>
    <message>
        <source>it holds a second pickle, &apos;{others}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>sie enthält einen zweiten Pickle, &apos;{others}&apos;</translation>
    </message>
    <message>
        <source>is a zip archive without the data.pkl that torch.save writes</source>
        <extracomment>sentences</extracomment>
        <translation>ist ein Zip-Archiv ohne die data.pkl, die torch.save schreibt</translation>
    </message>
    <message>
        <source>If a checkpoint is inside, unpack it first.</source>
        <extracomment>sentences</extracomment>
        <translation>Wenn ein Checkpoint darin ist, entpacken Sie ihn zuerst.</translation>
    </message>
    <message>
        <source>holds &apos;{name}&apos; of {size} bytes (stored in {stored}), which is more than Pruneapp reads</source>
        <extracomment>sentences</extracomment>
        <translation>enthält &apos;{name}&apos; mit {size} Bytes (gespeichert in {stored}), mehr als Pruneapp liest</translation>
    </message>
    <message>
        <source>the bytes of &apos;{name}&apos; are not those that were saved</source>
        <extracomment>sentences</extracomment>
        <translation>die Bytes von &apos;{name}&apos; sind nicht die gespeicherten</translation>
    </message>
    <message>
        <source>storage &apos;{key}&apos; is missing</source>
        <extracomment>sentences</extracomment>
        <translation>Storage &apos;{key}&apos; fehlt</translation>
    </message>
    <message>
        <source>storage &apos;{key}&apos; should have {nbytes} bytes and has {size}</source>
        <extracomment>sentences</extracomment>
        <translation>Storage &apos;{key}&apos; sollte {nbytes} Bytes haben und hat {size}</translation>
    </message>
    <message>
        <source>Load it in Python and save it again: torch.save(torch.load(FILE), &apos;model.pt&apos;).</source>
        <extracomment>sentences</extracomment>
        <translation>Laden Sie ihn in Python, und speichern Sie ihn erneut: torch.save(torch.load(FILE), &apos;model.pt&apos;).</translation>
    </message>
    <message>
        <source>was saved on a big-endian machine, whose numbers Pruneapp does not read</source>
        <extracomment>sentences</extracomment>
        <translation>wurde auf einer Big-Endian-Maschine gespeichert, deren Zahlen Pruneapp nicht liest</translation>
    </message>
    <message>
        <source>Load it with torch and save it again on a usual machine.</source>
        <extracomment>sentences</extracomment>
        <translation>Laden Sie ihn mit torch, und speichern Sie ihn auf einer üblichen Maschine erneut.</translation>
    </message>
    <message>
        <source>Patterns are case-sensitive and match whole names; &apos;*&apos; matches every tensor.</source>
        <extracomment>sentences</extracomment>
        <translation>Muster unterscheiden Groß- und Kleinschreibung und gelten für ganze Namen; &apos;*&apos; trifft auf jeden Tensor zu.</translation>
    </message>
    <message>
        <source>, and {others} more like it</source>
        <extracomment>sentences</extracomment>
        <translation>, und {others} weitere dieser Art</translation>
    </message>
    <message>
        <source>The model has no {LABELS}.</source>
        <extracomment>sentences</extracomment>
        <translation>Das Modell hat keine {LABELS}.</translation>
    </message>
    <message>
        <source>no weight is selected</source>
        <extracomment>sentences</extracomment>
        <translation>es ist kein Gewicht ausgewählt</translation>
    </message>
    <message>
        <source>all of it is already pruned</source>
        <extracomment>sentences</extracomment>
        <translation>alles davon ist schon geprunt</translation>
    </message>
    <message>
        <source>all that is kept of it is protected already</source>
        <extracomment>sentences</extracomment>
        <translation>alles Behaltene davon ist schon geschützt</translation>
    </message>
    <message>
        <source>all of it is pruned, and only kept weights can be protected</source>
        <extracomment>sentences</extracomment>
        <translation>alles davon ist geprunt, und nur behaltene Gewichte lassen sich schützen</translation>
    </message>
    <message>
        <source>nothing of it is protected</source>
        <extracomment>sentences</extracomment>
        <translation>nichts davon ist geschützt</translation>
    </message>
    <message>
        <source>its zeros were made permanent, which only undo reverts</source>
        <extracomment>sentences</extracomment>
        <translation>die Nullen wurden endgültig gemacht, was sich nur rückgängig machen lässt</translation>
    </message>
    <message>
        <source>nothing of it is pruned</source>
        <extracomment>sentences</extracomment>
        <translation>nichts davon ist geprunt</translation>
    </message>
    <message>
        <source>A pruned channel still outputs its bias: the same constant for every input.</source>
        <extracomment>sentences</extracomment>
        <translation>Ein geprunter Kanal gibt weiterhin seinen Bias aus: für jede Eingabe dieselbe Konstante.</translation>
    </message>
    <message>
        <source>A pruned filter still outputs a constant if its norm layer has a bias (beta). With weight and bias of the norm at 0, its output is exactly 0.</source>
        <extracomment>sentences</extracomment>
        <translation>Ein geprunter Filter gibt weiterhin eine Konstante aus, wenn seine Norm-Schicht einen Bias (beta) hat. Sind Gewicht und Bias der Norm 0, ist die Ausgabe genau 0.</translation>
    </message>
    <message>
        <source>No other tensor is pruned with these.</source>
        <extracomment>sentences</extracomment>
        <translation>Kein anderer Tensor wird mitgeprunt.</translation>
    </message>
    <message>
        <source>, as in &apos;{other}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>, wie in &apos;{other}&apos;</translation>
    </message>
    <message>
        <source>Dim {dim} of &apos;{name}&apos; is that of the {units}{like}. Only a shrunk export cuts {units2} out of all tensors.</source>
        <extracomment>sentences</extracomment>
        <translation>Dim. {dim} von &apos;{name}&apos; ist die von: {units}{like}. Nur ein verkleinerter Export entfernt das aus allen Tensoren ({units2}).</translation>
    </message>
    <message>
        <source>: its {kinds} are not neurons, heads or channels of a group</source>
        <extracomment>sentences</extracomment>
        <translation>: seine {kinds} sind keine Neuronen, Heads oder Kanäle einer Gruppe</translation>
    </message>
    <message>
        <source>No other tensor is known to depend on dim {dim} of &apos;{name}&apos;{value}.</source>
        <extracomment>sentences</extracomment>
        <translation>Es ist kein anderer Tensor bekannt, der von Dim. {dim} von &apos;{name}&apos; abhängt{value}.</translation>
    </message>
    <message>
        <source>all that is pruned here is pruned there</source>
        <extracomment>sentences</extracomment>
        <translation>alles hier Geprunte ist auch dort geprunt</translation>
    </message>
    <message>
        <source>all that is pruned there is pruned here</source>
        <extracomment>sentences</extracomment>
        <translation>alles dort Geprunte ist auch hier geprunt</translation>
    </message>
    <message>
        <source>nothing that is pruned here is pruned there</source>
        <extracomment>sentences</extracomment>
        <translation>nichts hier Gepruntes ist dort geprunt</translation>
    </message>
    <message>
        <source>{shown} and {value} more</source>
        <extracomment>sentences</extracomment>
        <translation>{shown} und {value} weitere</translation>
    </message>
    <message>
        <source>No {things} are allowed here.</source>
        <extracomment>sentences</extracomment>
        <translation>Hier sind keine {things} erlaubt.</translation>
    </message>
    <message>
        <source>Did you mean {join}?</source>
        <extracomment>sentences</extracomment>
        <translation>Meinten Sie {join}?</translation>
    </message>
    <message>
        <source>{question}Allowed {things}: {join}.</source>
        <extracomment>sentences</extracomment>
        <translation>{question}Erlaubte {things}: {join}.</translation>
    </message>
    <message>
        <source>continue the scan ({measured} of {wanted} evaluations are done)</source>
        <extracomment>sentences</extracomment>
        <translation>den Scan fortsetzen ({measured} von {wanted} Auswertungen sind fertig)</translation>
    </message>
    <message>
        <source>scan larger amounts</source>
        <extracomment>sentences</extracomment>
        <translation>größere Umfänge scannen</translation>
    </message>
    <message>
        <source>collecting Gram matrices, run {number}</source>
        <extracomment>sentences</extracomment>
        <translation>Gram-Matrizen werden gesammelt, Durchlauf {number}</translation>
    </message>
    <message>
        <source>inputs of {group}</source>
        <extracomment>sentences</extracomment>
        <translation>Eingaben von {group}</translation>
    </message>
    <message>
        <source>Gram matrices</source>
        <extracomment>sentences</extracomment>
        <translation>Gram-Matrizen</translation>
    </message>
    <message>
        <source>collecting {what}, run {runs} of {len}</source>
        <extracomment>sentences</extracomment>
        <translation>{what} werden gesammelt, Durchlauf {runs} von {len}</translation>
    </message>
    <message>
        <source>counting multiply-adds</source>
        <extracomment>sentences</extracomment>
        <translation>Multiply-Adds werden gezählt</translation>
    </message>
    <message>
        <source>collecting statistics</source>
        <extracomment>sentences</extracomment>
        <translation>Statistik wird gesammelt</translation>
    </message>
    <message>
        <source>was ended</source>
        <extracomment>sentences</extracomment>
        <translation>wurde beendet</translation>
    </message>
    <message>
        <source>crashed with a segmentation fault</source>
        <extracomment>sentences</extracomment>
        <translation>ist mit einem Speicherzugriffsfehler abgestürzt</translation>
    </message>
    <message>
        <source>Some compiled code that it uses is defective; the log shows where it crashed.</source>
        <extracomment>sentences</extracomment>
        <translation>Kompilierter Code, den es benutzt, ist fehlerhaft; das Protokoll zeigt, wo es abgestürzt ist.</translation>
    </message>
    <message>
        <source>was killed by the system, most likely because the memory was full</source>
        <extracomment>sentences</extracomment>
        <translation>wurde vom System beendet, höchstwahrscheinlich, weil der Speicher voll war</translation>
    </message>
    <message>
        <source>Use fewer samples, smaller batches, or a larger machine.</source>
        <extracomment>sentences</extracomment>
        <translation>Nehmen Sie weniger Beispiele, kleinere Batches oder einen größeren Rechner.</translation>
    </message>
    <message>
        <source>was ended by the signal {name}</source>
        <extracomment>sentences</extracomment>
        <translation>wurde durch das Signal {name} beendet</translation>
    </message>
    <message>
        <source>The log shows where it ended.</source>
        <extracomment>sentences</extracomment>
        <translation>Das Protokoll zeigt, wo es endete.</translation>
    </message>
    <message>
        <source>ended because the script closed the pipe through which it answers</source>
        <extracomment>sentences</extracomment>
        <translation>endete, weil das Skript die Pipe geschlossen hat, über die es antwortet</translation>
    </message>
    <message>
        <source>Close only those files that the script opened.</source>
        <extracomment>sentences</extracomment>
        <translation>Schließen Sie nur Dateien, die das Skript geöffnet hat.</translation>
    </message>
    <message>
        <source>ended by itself with exit status {status}</source>
        <extracomment>sentences</extracomment>
        <translation>endete von selbst mit dem Exit-Status {status}</translation>
    </message>
    <message>
        <source>A script must not end the process.</source>
        <extracomment>sentences</extracomment>
        <translation>Ein Skript darf den Prozess nicht beenden.</translation>
    </message>
    <message>
        <source>The pruned model may be broken, or the evaluation divides by zero.</source>
        <extracomment>sentences</extracomment>
        <translation>Das geprunte Modell ist vielleicht unbrauchbar, oder die Auswertung teilt durch null.</translation>
    </message>
    <message>
        <source>for the unpruned model</source>
        <extracomment>sentences</extracomment>
        <translation>für das ungeprunte Modell</translation>
    </message>
    <message>
        <source>Correct the evaluation: it may divide by zero, or have no samples.</source>
        <extracomment>sentences</extracomment>
        <translation>Korrigieren Sie die Auswertung: Sie teilt vielleicht durch null oder hat keine Beispiele.</translation>
    </message>
    <message>
        <source>paired 95 % interval over {n} samples</source>
        <extracomment>sentences</extracomment>
        <translation>gepaartes 95-%-Intervall über {n} Beispiele</translation>
    </message>
    <message>
        <source>95 % interval of counts over {counts} samples</source>
        <extracomment>sentences</extracomment>
        <translation>95-%-Intervall der Anzahlen über {counts} Beispiele</translation>
    </message>
    <message>
        <source>largest spread of three runs of the unpruned model</source>
        <extracomment>sentences</extracomment>
        <translation>größte Streuung dreier Läufe des ungeprunten Modells</translation>
    </message>
    <message>
        <source>repeatable; the uncertainty of the data is not known</source>
        <extracomment>sentences</extracomment>
        <translation>wiederholbar; die Unsicherheit der Daten ist nicht bekannt</translation>
    </message>
    <message>
        <source>as chosen</source>
        <extracomment>sentences</extracomment>
        <translation>wie gewählt</translation>
    </message>
    <message>
        <source>in &apos;{value}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>in &apos;{value}&apos;</translation>
    </message>
    <message>
        <source>made by uv according to the header of the script</source>
        <extracomment>sentences</extracomment>
        <translation>von uv nach dem Kopf des Skripts erstellt</translation>
    </message>
    <message>
        <source>The script lists what it needs in a header (PEP 723), but uv, which would install it, was not found.</source>
        <extracomment>sentences</extracomment>
        <translation>Das Skript zählt in einem Kopf (PEP 723) auf, was es braucht, aber uv, das es installieren würde, wurde nicht gefunden.</translation>
    </message>
    <message>
        <source>in the active {words} environment &apos;{prefix}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>in der aktiven {words}-Umgebung &apos;{prefix}&apos;</translation>
    </message>
    <message>
        <source>the one that runs Pruneapp</source>
        <extracomment>sentences</extracomment>
        <translation>der, der Pruneapp ausführt</translation>
    </message>
    <message>
        <source>The model was not called in the process of the script, so it is not known whether the metrics belong to it.</source>
        <extracomment>sentences</extracomment>
        <translation>Das Modell wurde im Prozess des Skripts nicht aufgerufen, daher ist nicht bekannt, ob die Metriken zu ihm gehören.</translation>
    </message>
    <message>
        <source>reading weights</source>
        <extracomment>sentences</extracomment>
        <translation>Gewichte werden gelesen</translation>
    </message>
    <message>
        <source>loading the model</source>
        <extracomment>sentences</extracomment>
        <translation>Modell wird geladen</translation>
    </message>
    <message>
        <source>handing over the weights</source>
        <extracomment>sentences</extracomment>
        <translation>Gewichte werden übergeben</translation>
    </message>
    <message>
        <source>running {name}</source>
        <extracomment>sentences</extracomment>
        <translation>{name} läuft</translation>
    </message>
    <message>
        <source>The command &apos;{name}&apos; {how}</source>
        <extracomment>sentences</extracomment>
        <translation>Der Befehl &apos;{name}&apos; {how}</translation>
    </message>
    <message>
        <source>starting Python</source>
        <extracomment>sentences</extracomment>
        <translation>Python wird gestartet</translation>
    </message>
    <message>
        <source>reading the script</source>
        <extracomment>sentences</extracomment>
        <translation>Skript wird gelesen</translation>
    </message>
    <message>
        <source>{label}: does not answer</source>
        <extracomment>sentences</extracomment>
        <translation>{label}: antwortet nicht</translation>
    </message>
    <message>
        <source>, or export as {name}, which keeps what was opened{unless}</source>
        <extracomment>sentences</extracomment>
        <translation>, oder exportieren Sie als {name}, was das Geöffnete behält{unless}</translation>
    </message>
    <message>
        <source>Kept unchanged: {no_tensors}.</source>
        <extracomment>sentences</extracomment>
        <translation>Unverändert behalten: {no_tensors}.</translation>
    </message>
    <message>
        <source>Kept unchanged: {outside}.</source>
        <extracomment>sentences</extracomment>
        <translation>Unverändert behalten: {outside}.</translation>
    </message>
    <message>
        <source>not contiguous</source>
        <extracomment>sentences</extracomment>
        <translation>nicht zusammenhängend</translation>
    </message>
    <message>
        <source>Written as plain, contiguous tensors: {sentence}.</source>
        <extracomment>sentences</extracomment>
        <translation>Als einfache, zusammenhängende Tensoren geschrieben: {sentence}.</translation>
    </message>
    <message>
        <source>Only the values are in the export, not what the file says about them: {sentence}.</source>
        <extracomment>sentences</extracomment>
        <translation>Der Export enthält nur die Werte, nicht, was die Datei über sie sagt: {sentence}.</translation>
    </message>
    <message>
        <source>The same holds for {others} of such kinds.</source>
        <extracomment>sentences</extracomment>
        <translation>Ebenso {others} dieser Art.</translation>
    </message>
    <message>
        <source>Left out: {no_tensors}.</source>
        <extracomment>sentences</extracomment>
        <translation>Weggelassen: {no_tensors}.</translation>
    </message>
    <message>
        <source>Left out: {outside}.</source>
        <extracomment>sentences</extracomment>
        <translation>Weggelassen: {outside}.</translation>
    </message>
    <message>
        <source>Left out: the TorchScript program of the file.</source>
        <extracomment>sentences</extracomment>
        <translation>Weggelassen: das TorchScript-Programm der Datei.</translation>
    </message>
    <message>
        <source>Left out: the graph of the program, its constants and its example inputs.</source>
        <extracomment>sentences</extracomment>
        <translation>Weggelassen: der Graph des Programms, seine Konstanten und Beispieleingaben.</translation>
    </message>
    <message>
        <source>Left out: the graph of the ONNX model, with all but its tensors.</source>
        <extracomment>sentences</extracomment>
        <translation>Weggelassen: der Graph des ONNX-Modells mit allem außer den Tensoren.</translation>
    </message>
    <message>
        <source>which is not a tensor</source>
        <extracomment>sentences</extracomment>
        <translation>kein Tensor</translation>
    </message>
    <message>
        <source>which are not tensors</source>
        <extracomment>sentences</extracomment>
        <translation>keine Tensoren</translation>
    </message>
    <message>
        <source>state dict &apos;{show}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>State-Dict &apos;{show}&apos;</translation>
    </message>
    <message>
        <source>state dict</source>
        <extracomment>sentences</extracomment>
        <translation>State-Dict</translation>
    </message>
    <message>
        <source>Not copied from &apos;{name}&apos;: {first_names}. Configuration, tokenizer, and what {MODULES} refers to are copied; code never is.</source>
        <extracomment>sentences</extracomment>
        <translation>Nicht aus &apos;{name}&apos; kopiert: {first_names}. Konfiguration, Tokenizer und worauf {MODULES} verweist werden kopiert; Code nie.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; of the opened model was copied unchanged, because it cannot be read ({what}); if it names a type of the weights, that is the old one.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; des geöffneten Modells wurde unverändert kopiert, denn sie ist nicht lesbar ({what}); nennt sie einen Typ der Gewichte, ist es der alte.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos;: dtype changed from {dtype} to {dtype2}, so that transformers loads the weights as they were written.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos;: dtype von {dtype} in {dtype2} geändert, damit transformers die Gewichte so lädt, wie sie geschrieben wurden.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is not changed. It says that the weights are {old}, and transformers will load them as that, unless you replace that with {dtype}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; wird nicht geändert. Dort steht für die Gewichte {old}, und transformers lädt sie so, wenn Sie nicht stattdessen {dtype} eintragen.</translation>
    </message>
    <message>
        <source>&apos;{CONFIG}&apos; says that the weights are {old}, and from_pretrained would convert them. Load them with dtype=&apos;{dtype}&apos;, or write {dtype2} into the copy of &apos;{CONFIG2}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{CONFIG}&apos; nennt für die Gewichte {old}, und from_pretrained würde sie umwandeln. Laden Sie sie mit dtype=&apos;{dtype}&apos;, oder tragen Sie {dtype2} in die Kopie von &apos;{CONFIG2}&apos; ein.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; holds &apos;{label}&apos;; such files are usually named {usual}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; enthält „{label}“; solche Dateien heißen gewöhnlich {usual}.</translation>
    </message>
    <message>
        <source>from_pretrained looks for &apos;{WEIGHTS}&apos; beside &apos;{CONFIG}&apos;: open the folder &apos;{parent}&apos; instead of the file, and export that, to have both.</source>
        <extracomment>sentences</extracomment>
        <translation>from_pretrained sucht &apos;{WEIGHTS}&apos; neben &apos;{CONFIG}&apos;: Öffnen Sie den Ordner &apos;{parent}&apos; statt der Datei und exportieren Sie ihn, um beide zu haben.</translation>
    </message>
    <message>
        <source>from_pretrained looks for &apos;{WEIGHTS}&apos;, with &apos;{CONFIG}&apos; and the files of the tokenizer beside it; one file alone does not load there. Name a folder, such as &apos;{without}&apos;, to have them written, too.</source>
        <extracomment>sentences</extracomment>
        <translation>from_pretrained sucht &apos;{WEIGHTS}&apos; mit &apos;{CONFIG}&apos; und den Dateien des Tokenizers daneben; eine Datei allein lädt es nicht. Geben Sie einen Ordner an, etwa &apos;{without}&apos;, damit sie auch geschrieben werden.</translation>
    </message>
    <message>
        <source>from_pretrained also needs &apos;{CONFIG}&apos; and the files of the tokenizer, which are in &apos;{home}&apos;. Put them beside the unpacked file, and name that file &apos;{WEIGHTS}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>Für from_pretrained gehören &apos;{CONFIG}&apos; und die Dateien des Tokenizers dazu: Sie liegen in &apos;{home}&apos;. Legen Sie sie neben die entpackte Datei, und nennen Sie diese &apos;{WEIGHTS}&apos;.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; exists already and is not replaced.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist schon da und wird nicht ersetzt.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is a link; &apos;{resolved}&apos; was written.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist ein Link; geschrieben wurde &apos;{resolved}&apos;.</translation>
    </message>
    <message>
        <source>it names no file</source>
        <extracomment>sentences</extracomment>
        <translation>er nennt keine Datei</translation>
    </message>
    <message>
        <source>it holds a control character</source>
        <extracomment>sentences</extracomment>
        <translation>er enthält ein Steuerzeichen</translation>
    </message>
    <message>
        <source>it holds one of &lt; &gt; : &quot; | ? * \, which Windows does not allow</source>
        <extracomment>sentences</extracomment>
        <translation>er enthält eines von &lt; &gt; : &quot; | ? * \, was Windows nicht erlaubt</translation>
    </message>
    <message>
        <source>&apos;{device}&apos; is a device on Windows</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{device}&apos; ist unter Windows ein Gerät</translation>
    </message>
    <message>
        <source>it ends in a dot or a space, which Windows drops</source>
        <extracomment>sentences</extracomment>
        <translation>er endet mit einem Punkt oder Leerzeichen, das Windows weglässt</translation>
    </message>
    <message>
        <source>differ from those of the opened model; they are not replaced.</source>
        <extracomment>sentences</extracomment>
        <translation>unterscheiden sich von denen des geöffneten Modells; sie werden nicht ersetzt.</translation>
    </message>
    <message>
        <source>differs from that of the opened model; it is not replaced.</source>
        <extracomment>sentences</extracomment>
        <translation>unterscheidet sich von der des geöffneten Modells; sie wird nicht ersetzt.</translation>
    </message>
    <message>
        <source>{first_names} {verb} in &apos;{name}&apos; already and {left}</source>
        <extracomment>sentences</extracomment>
        <translation>{first_names}, in &apos;{name}&apos; schon vorhanden, {left}</translation>
    </message>
    <message>
        <source>Copied from &apos;{home}&apos;: {first_names}.</source>
        <extracomment>sentences</extracomment>
        <translation>Aus &apos;{home}&apos; kopiert: {first_names}.</translation>
    </message>
    <message>
        <source>The original is kept as {names}.</source>
        <extracomment>sentences</extracomment>
        <translation>Das Original ist als {names} aufbewahrt.</translation>
    </message>
    <message>
        <source>{len} files of the original are kept beside the new ones, as {names}.</source>
        <extracomment>sentences</extracomment>
        <translation>{len} Dateien des Originals sind neben den neuen aufbewahrt, als {names}.</translation>
    </message>
    <message>
        <source>and {value} more</source>
        <extracomment>sentences</extracomment>
        <translation>und {value} weitere</translation>
    </message>
    <message>
        <source>Written as plain whole numbers: &apos;{names}&apos;{more}. The scales and zero points of quantized tensors are not in this file.</source>
        <extracomment>sentences</extracomment>
        <translation>Als einfache ganze Zahlen geschrieben: &apos;{names}&apos;{more}. Die Skalen und Nullpunkte quantisierter Tensoren sind nicht in dieser Datei.</translation>
    </message>
    <message>
        <source>not two-dimensional, such as convolutions and biases</source>
        <extracomment>sentences</extracomment>
        <translation>nicht zweidimensional, wie Faltungen und Biases</translation>
    </message>
    <message>
        <source>embeddings, which torch cannot look up in CSR</source>
        <extracomment>sentences</extracomment>
        <translation>Embeddings, die torch in CSR nicht nachschlagen kann</translation>
    </message>
    <message>
        <source>{label}, which torch cannot turn from CSR to dense</source>
        <extracomment>sentences</extracomment>
        <translation>{label}, was torch nicht von CSR in dicht umwandeln kann</translation>
    </message>
    <message>
        <source>too large for indices of 32 bits</source>
        <extracomment>sentences</extracomment>
        <translation>zu groß für Indizes mit 32 Bit</translation>
    </message>
    <message>
        <source>no smaller as CSR</source>
        <extracomment>sentences</extracomment>
        <translation>als CSR nicht kleiner</translation>
    </message>
    <message>
        <source>Nothing is pruned, so every tensor is written dense.</source>
        <extracomment>sentences</extracomment>
        <translation>Es ist nichts geprunt, daher wird jeder Tensor dicht geschrieben.</translation>
    </message>
    <message>
        <source>Not one of the {pruned} pruned tensors becomes CSR, so the file is as large as a dense one ({reasons}).</source>
        <extracomment>sentences</extracomment>
        <translation>Von den {pruned} geprunten Tensoren wird keiner CSR, daher ist die Datei so groß wie eine dichte ({reasons}).</translation>
    </message>
    <message>
        <source>The others stay dense ({reasons}).</source>
        <extracomment>sentences</extracomment>
        <translation>Die anderen bleiben dicht ({reasons}).</translation>
    </message>
    <message>
        <source>Of {counted} {sparse} {are} smaller as CSR: {after} bytes instead of {before}.{rest}</source>
        <extracomment>sentences</extracomment>
        <translation>Von {counted} sind {sparse} als CSR kleiner: {after} statt {before} Bytes.{rest}</translation>
    </message>
    <message>
        <source>The repaired values of {counted} are not in the file.</source>
        <extracomment>sentences</extracomment>
        <translation>Die reparierten Werte von {counted} sind nicht in der Datei.</translation>
    </message>
    <message>
        <source>Nothing is pruned, so there is no mask in the file.</source>
        <extracomment>sentences</extracomment>
        <translation>Es ist nichts geprunt, daher ist keine Maske in der Datei.</translation>
    </message>
    <message>
        <source>safetensors has no type {label}, which &apos;{name}&apos; has.</source>
        <extracomment>sentences</extracomment>
        <translation>safetensors kennt den Typ {label} nicht, den &apos;{name}&apos; hat.</translation>
    </message>
    <message>
        <source>safetensors reserves the name &apos;{METADATA}&apos;, which a tensor has.</source>
        <extracomment>sentences</extracomment>
        <translation>safetensors reserviert den Namen &apos;{METADATA}&apos;, den ein Tensor hat.</translation>
    </message>
    <message>
        <source>A plain state dict was written, because {reason}.</source>
        <extracomment>sentences</extracomment>
        <translation>Es wurde ein einfaches State-Dict geschrieben. Grund: {reason}.</translation>
    </message>
    <message>
        <source>it was split into several files</source>
        <extracomment>sentences</extracomment>
        <translation>es wurde auf mehrere Dateien verteilt</translation>
    </message>
    <message>
        <source>several files were put together</source>
        <extracomment>sentences</extracomment>
        <translation>mehrere Dateien wurden zusammengefügt</translation>
    </message>
    <message>
        <source>pairs of NAME_orig and NAME_mask became NAME</source>
        <extracomment>sentences</extracomment>
        <translation>aus Paaren von NAME_orig und NAME_mask wurde NAME</translation>
    </message>
    <message>
        <source>its numbers became {label}</source>
        <extracomment>sentences</extracomment>
        <translation>die Zahlen wurden zu {label}</translation>
    </message>
    <message>
        <source>the source is no torch file</source>
        <extracomment>sentences</extracomment>
        <translation>die Quelle ist keine torch-Datei</translation>
    </message>
    <message>
        <source>Every number was {dtype} or narrower: nothing was rounded.</source>
        <extracomment>sentences</extracomment>
        <translation>Jede Zahl war {dtype} oder schmaler: Es wurde nichts gerundet.</translation>
    </message>
    <message>
        <source>Rounded to {dtype}.</source>
        <extracomment>sentences</extracomment>
        <translation>Auf {dtype} gerundet.</translation>
    </message>
    <message>
        <source>The largest rounding error is {worst}, in &apos;{where}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>Der größte Rundungsfehler ist {worst}, in &apos;{where}&apos;.</translation>
    </message>
    <message>
        <source>{most} {were} too large and became infinite, in &apos;{name}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>In &apos;{name}&apos;: {most} {were} zu groß und damit unendlich.</translation>
    </message>
    <message>
        <source>So did {rest} in {others}.</source>
        <extracomment>sentences</extracomment>
        <translation>Ebenso {rest} ({others}).</translation>
    </message>
    <message>
        <source>{vanished} {were} too small and became 0.</source>
        <extracomment>sentences</extracomment>
        <translation>{vanished} {were} zu klein und damit 0.</translation>
    </message>
    <message>
        <source>&apos;{names}&apos; alone needs more than {limit}: its file is larger.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{names}&apos; allein braucht mehr als {limit}: Die Datei ist größer.</translation>
    </message>
    <message>
        <source>&apos;{names}&apos; and {value} more need more than {limit}, each alone: their files are larger.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{names}&apos; und {value} weitere brauchen je mehr als {limit}: Ihre Dateien sind größer.</translation>
    </message>
    <message>
        <source>No {label} is cut: {error}</source>
        <extracomment>sentences</extracomment>
        <translation>Nicht entfernt werden {label}: {error}</translation>
    </message>
    <message>
        <source>The configuration does not say what is needed: {error}.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Konfiguration sagt nicht, was nötig ist: {error}.</translation>
    </message>
    <message>
        <source>The configuration must contain {needs}, but does not.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Konfiguration muss {needs} enthalten und tut es nicht.</translation>
    </message>
    <message>
        <source>{CONFIG} says {depths} = {count}, and &apos;{stack}&apos; has {len}.</source>
        <extracomment>sentences</extracomment>
        <translation>Laut {CONFIG} ist {depths} = {count}, und &apos;{stack}&apos; hat {len}.</translation>
    </message>
    <message>
        <source>The layers beyond that number would not fit a model with fewer.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Schichten darüber hinaus passen nicht in ein Modell mit weniger.</translation>
    </message>
    <message>
        <source>The model computes with the index of each layer; removing layers requires {layers_need}.</source>
        <extracomment>sentences</extracomment>
        <translation>Das Modell rechnet mit der Nummer jeder Schicht; Schichten zu entfernen erfordert {layers_need}.</translation>
    </message>
    <message>
        <source>Images refer to tokens of the vocabulary by their id, so it stays whole here.</source>
        <extracomment>sentences</extracomment>
        <translation>Bilder verweisen über IDs auf Tokens des Vokabulars, daher bleibt es hier ganz.</translation>
    </message>
    <message>
        <source>&apos;{value}&apos; refers to the model&apos;s own code (auto_map), so its class is not one of transformers and nothing is known about it.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{value}&apos; verweist auf eigenen Code des Modells (auto_map), daher gehört seine Klasse nicht zu transformers, und es ist nichts über sie bekannt.</translation>
    </message>
    <message>
        <source>names no model type</source>
        <extracomment>sentences</extracomment>
        <translation>ohne Angabe eines Modelltyps</translation>
    </message>
    <message>
        <source>is of type &apos;{model_type}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>vom Typ &apos;{model_type}&apos;</translation>
    </message>
    <message>
        <source>The model {named}, whose groups are not known. An ONNX file of it contains its own graph, and can be cut by that.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Gruppen des Modells ({named}) sind nicht bekannt. Eine ONNX-Datei davon enthält ihren Graphen und lässt sich anhand dessen verkleinern.</translation>
    </message>
    <message>
        <source>No channels of &apos;{path}&apos; can be removed on their own: see its graph.</source>
        <extracomment>sentences</extracomment>
        <translation>In &apos;{path}&apos; können keine Kanäle allein wegfallen: siehe den Graphen.</translation>
    </message>
    <message>
        <source>&apos;{value}&apos; names no model type, and the tensors belong to no known block. An ONNX file of the model contains its own graph, and can be cut by that.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{value}&apos; nennt keinen Modelltyp, und die Tensoren gehören zu keinem bekannten Block. Eine ONNX-Datei des Modells enthält ihren Graphen und lässt sich anhand dessen verkleinern.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is too large for a configuration.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist zu groß für eine Konfiguration.</translation>
    </message>
    <message>
        <source>There is no {CONFIG} in &apos;{folder}&apos;, so what its tensors share is not known. Open the folder of the model, or an ONNX file of it.</source>
        <extracomment>sentences</extracomment>
        <translation>In &apos;{folder}&apos; ist keine {CONFIG}, daher ist nicht bekannt, was die Tensoren gemeinsam haben. Öffnen Sie den Ordner des Modells oder eine ONNX-Datei davon.</translation>
    </message>
    <message>
        <source>Use the full bundle of Pruneapp, or install Pruneapp with pip.</source>
        <extracomment>sentences</extracomment>
        <translation>Verwenden Sie das volle Paket von Pruneapp, oder installieren Sie Pruneapp mit pip.</translation>
    </message>
    <message>
        <source>Run: pip install &apos;{value}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>Führen Sie aus: pip install &apos;{value}&apos;</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is not a regular file, so it cannot be read as a {kind}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist keine gewöhnliche Datei und lässt sich nicht lesen ({kind}).</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is too large for a {kind}: it has {st_size} bytes.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist dafür zu groß ({kind}): {st_size} Bytes.</translation>
    </message>
    <message>
        <source>Check your permissions.</source>
        <extracomment>sentences</extracomment>
        <translation>Prüfen Sie Ihre Rechte.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is not a valid file name.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist kein gültiger Dateiname.</translation>
    </message>
    <message>
        <source>character {pos}</source>
        <extracomment>sentences</extracomment>
        <translation>Zeichen {pos}</translation>
    </message>
    <message>
        <source>line {lineno}</source>
        <extracomment>sentences</extracomment>
        <translation>Zeile {lineno}</translation>
    </message>
    <message>
        <source>, column {colno}</source>
        <extracomment>sentences</extracomment>
        <translation>, Spalte {colno}</translation>
    </message>
    <message>
        <source>unknown key &apos;{match}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>unbekannter Schlüssel &apos;{match}&apos;</translation>
    </message>
    <message>
        <source>the key &apos;{match}&apos; is missing</source>
        <extracomment>sentences</extracomment>
        <translation>der Schlüssel &apos;{match}&apos; fehlt</translation>
    </message>
    <message>
        <source>Add &apos;{match}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>Fügen Sie &apos;{match}&apos; hinzu.</translation>
    </message>
    <message>
        <source>{shown} is not an allowed value</source>
        <extracomment>sentences</extracomment>
        <translation>{shown} ist kein erlaubter Wert</translation>
    </message>
    <message>
        <source>expected {types}{rule}, got {value}</source>
        <extracomment>sentences</extracomment>
        <translation>erwartet wurde {types}{rule}, gefunden {value}</translation>
    </message>
    <message>
        <source>&apos;{key}&apos; appears twice in it</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{key}&apos; kommt darin zweimal vor</translation>
    </message>
    <message>
        <source>it holds {text}, which is not JSON</source>
        <extracomment>sentences</extracomment>
        <translation>sie enthält {text}, was kein JSON ist</translation>
    </message>
    <message>
        <source>the number {text} in it is too large</source>
        <extracomment>sentences</extracomment>
        <translation>die Zahl {text} darin ist zu groß</translation>
    </message>
    <message>
        <source>of &apos;{where}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>von &apos;{where}&apos;</translation>
    </message>
    <message>
        <source>{percent} is {count}</source>
        <extracomment>sentences</extracomment>
        <translation>{percent} sind {count}</translation>
    </message>
    <message>
        <source>got {count}</source>
        <extracomment>sentences</extracomment>
        <translation>angegeben: {count}</translation>
    </message>
    <message>
        <source>only {free} can be pruned</source>
        <extracomment>sentences</extracomment>
        <translation>nur {free} lassen sich prunen</translation>
    </message>
    <message>
        <source>none can be pruned</source>
        <extracomment>sentences</extracomment>
        <translation>keines lässt sich prunen</translation>
    </message>
    <message>
        <source>Unprotect weights.</source>
        <extracomment>sentences</extracomment>
        <translation>Heben Sie den Schutz von Gewichten auf.</translation>
    </message>
    <message>
        <source>at most {percent}</source>
        <extracomment>sentences</extracomment>
        <translation>höchstens {percent}</translation>
    </message>
    <message>
        <source>a count up to {free}</source>
        <extracomment>sentences</extracomment>
        <translation>eine Anzahl bis {free}</translation>
    </message>
    <message>
        <source>that tensor</source>
        <extracomment>sentences</extracomment>
        <translation>diesen Tensor</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is an importance matrix of llama.cpp, not a model.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist eine Importance-Matrix von llama.cpp, kein Modell.</translation>
    </message>
    <message>
        <source>Convert it: pruneapp statistics MODEL --from FILE -o statistics.safetensors</source>
        <extracomment>sentences</extracomment>
        <translation>Konvertieren Sie sie: pruneapp statistics MODEL --from FILE -o statistics.safetensors</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is a GGUF file without tensors, such as one with a vocabulary only.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist eine GGUF-Datei ohne Tensoren, etwa nur mit einem Vokabular.</translation>
    </message>
    <message>
        <source>Open the file that holds the weights.</source>
        <extracomment>sentences</extracomment>
        <translation>Öffnen Sie die Datei, die die Gewichte enthält.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is a GGUF file that Pruneapp does not read: {what}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist eine GGUF-Datei, die Pruneapp nicht liest: {what}.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is not a valid {kind}: {what}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist keine gültige Datei ({kind}): {what}.</translation>
    </message>
    <message>
        <source>it says that it has {n_tensors} tensors and {n_keys} keys</source>
        <extracomment>sentences</extracomment>
        <translation>sie gibt {n_tensors} Tensoren und {n_keys} Schlüssel an</translation>
    </message>
    <message>
        <source>its alignment is {text}</source>
        <extracomment>sentences</extracomment>
        <translation>ihre Ausrichtung ist {text}</translation>
    </message>
    <message>
        <source>&apos;{show}&apos; has {n_dims} dimensions</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos; hat {n_dims} Dimensionen</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is cut short: it is not a whole {kind}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist abgeschnitten: Die Datei ({kind}) ist nicht vollständig.</translation>
    </message>
    <message>
        <source>it has the key &apos;{show}&apos; twice</source>
        <extracomment>sentences</extracomment>
        <translation>sie enthält den Schlüssel &apos;{show}&apos; zweimal</translation>
    </message>
    <message>
        <source>it has &apos;{name}&apos; twice</source>
        <extracomment>sentences</extracomment>
        <translation>sie hat &apos;{name}&apos; zweimal</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is not at a multiple of {alignment} bytes</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; beginnt nicht bei einem Vielfachen von {alignment} Bytes</translation>
    </message>
    <message>
        <source>a row of &apos;{name}&apos; has {value} weights, which are not whole blocks of {block}</source>
        <extracomment>sentences</extracomment>
        <translation>eine Zeile von &apos;{name}&apos; hat {value} Gewichte, die keine ganzen Blöcke von {block} sind</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; overlaps &apos;{before}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; überlappt &apos;{before}&apos;</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is cut short: {missing} missing of &apos;{name}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist abgeschnitten: Von &apos;{name}&apos; fehlen {missing}.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is damaged: {what}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist beschädigt: {what}.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; holds no array of numbers ({more}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; enthält kein Array von Zahlen ({more}).</translation>
    </message>
    <message>
        <source>Save arrays of plain numbers in Python, as numpy.savez(&apos;weights.npz&apos;, **arrays), then open that file.</source>
        <extracomment>sentences</extracomment>
        <translation>Speichern Sie Arrays aus einfachen Zahlen in Python, etwa mit numpy.savez(&apos;weights.npz&apos;, **arrays), und öffnen Sie diese Datei.</translation>
    </message>
    <message>
        <source>{n} array</source>
        <extracomment>sentences</extracomment>
        <translation>{n} Array</translation>
    </message>
    <message>
        <source>{n} arrays</source>
        <extracomment>sentences</extracomment>
        <translation>{n} Arrays</translation>
    </message>
    <message>
        <source>&apos;{show}&apos; does not begin like an array of numpy</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos; beginnt nicht wie ein Array von numpy</translation>
    </message>
    <message>
        <source>&apos;{show}&apos; has the unknown version {head} of its header</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos; hat die unbekannte Kopfversion {head}</translation>
    </message>
    <message>
        <source>the header of &apos;{show}&apos; would have {length} bytes</source>
        <extracomment>sentences</extracomment>
        <translation>der Kopf von &apos;{show}&apos; hätte {length} Bytes</translation>
    </message>
    <message>
        <source>the header of &apos;{show}&apos; is not that of an array</source>
        <extracomment>sentences</extracomment>
        <translation>der Kopf von &apos;{show}&apos; ist nicht der eines Arrays</translation>
    </message>
    <message>
        <source>&apos;{show}&apos; has a shape that no array can have</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos; hat eine Form, die kein Array haben kann</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is cut short: {missing} missing of &apos;{show}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist abgeschnitten: Von &apos;{show}&apos; fehlen {missing}.</translation>
    </message>
    <message>
        <source>{what} the elements of &apos;{show}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>{what} den Elementen von &apos;{show}&apos;</translation>
    </message>
    <message>
        <source>it has two members called &apos;{show}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>sie hat zwei Einträge namens &apos;{show}&apos;</translation>
    </message>
    <message>
        <source>Download or copy the whole folder. If the index belongs to other files, remove the index, or open a shard by itself.</source>
        <extracomment>sentences</extracomment>
        <translation>Laden oder kopieren Sie den ganzen Ordner. Gehört der Index zu anderen Dateien, so entfernen Sie ihn, oder öffnen Sie einen einzelnen Shard.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is a part of a distributed checkpoint.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist Teil eines verteilten Checkpoints.</translation>
    </message>
    <message>
        <source>Open its folder, &apos;{folder}&apos;, which needs the file &apos;{METADATA_FILE}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>Öffnen Sie den Ordner &apos;{folder}&apos;, der die Datei &apos;{METADATA_FILE}&apos; enthalten muss.</translation>
    </message>
    <message>
        <source>its pickle refers to a storage</source>
        <extracomment>sentences</extracomment>
        <translation>sein Pickle verweist auf einen Storage</translation>
    </message>
    <message>
        <source>the chunks of tensor &apos;{show}&apos; have {total} elements of {prod}</source>
        <extracomment>sentences</extracomment>
        <translation>die Stücke von Tensor &apos;{show}&apos; haben {total} von {prod} Elementen</translation>
    </message>
    <message>
        <source>a zip archive in it refers to bytes behind its end</source>
        <extracomment>sentences</extracomment>
        <translation>ein Zip-Archiv darin verweist auf Bytes hinter seinem Ende</translation>
    </message>
    <message>
        <source>the part of tensor &apos;{show}&apos; has no data.pkl</source>
        <extracomment>sentences</extracomment>
        <translation>der Teil von Tensor &apos;{show}&apos; hat keine data.pkl</translation>
    </message>
    <message>
        <source>the part of tensor &apos;{show}&apos; is no dense tensor</source>
        <extracomment>sentences</extracomment>
        <translation>der Teil von Tensor &apos;{show}&apos; ist kein dichter Tensor</translation>
    </message>
    <message>
        <source>a part of tensor &apos;{show}&apos; should be {name} of shape {list} and is {name2} of shape {list2}</source>
        <extracomment>sentences</extracomment>
        <translation>ein Teil von Tensor &apos;{show}&apos; sollte {name} der Form {list} sein und ist {name2} der Form {list2}</translation>
    </message>
    <message>
        <source>the storage of a part of tensor &apos;{show}&apos; is missing</source>
        <extracomment>sentences</extracomment>
        <translation>der Storage eines Teils von Tensor &apos;{show}&apos; fehlt</translation>
    </message>
    <message>
        <source>has {size} bytes; at most {MAX_PICKLE} are read</source>
        <extracomment>sentences</extracomment>
        <translation>hat {size} Bytes; höchstens {MAX_PICKLE} werden gelesen</translation>
    </message>
    <message>
        <source>is not the metadata of a distributed checkpoint of torch</source>
        <extracomment>sentences</extracomment>
        <translation>ist nicht die Metadaten-Datei eines verteilten Checkpoints von torch</translation>
    </message>
    <message>
        <source>it does not say where a tensor is stored</source>
        <extracomment>sentences</extracomment>
        <translation>sie gibt nicht an, wo ein Tensor gespeichert ist</translation>
    </message>
    <message>
        <source>describes chunks that were transformed when they were written (compressed)</source>
        <extracomment>sentences</extracomment>
        <translation>beschreibt Stücke, die beim Schreiben umgeformt (komprimiert) wurden</translation>
    </message>
    <message>
        <source>Save it again without extensions, or convert it with torch: python -m torch.distributed.checkpoint.format_utils dcp_to_torch FOLDER model.pt</source>
        <extracomment>sentences</extracomment>
        <translation>Speichern Sie ihn ohne Erweiterungen neu, oder konvertieren Sie ihn mit torch: python -m torch.distributed.checkpoint.format_utils dcp_to_torch FOLDER model.pt</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is cut short: it has {size} bytes and should have at least {value}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist abgeschnitten: Die Datei hat {size} Bytes und sollte mindestens {value} haben.</translation>
    </message>
    <message>
        <source>it describes no tensors, or not where they are stored</source>
        <extracomment>sentences</extracomment>
        <translation>sie beschreibt keine Tensoren oder nicht, wo sie gespeichert sind</translation>
    </message>
    <message>
        <source>it does not say which tensor is stored at a place</source>
        <extracomment>sentences</extracomment>
        <translation>sie gibt nicht an, welcher Tensor an einer Stelle gespeichert ist</translation>
    </message>
    <message>
        <source>the shape of tensor &apos;{show}&apos; is not well-formed</source>
        <extracomment>sentences</extracomment>
        <translation>die Form von Tensor &apos;{show}&apos; ist nicht wohlgeformt</translation>
    </message>
    <message>
        <source>tensor &apos;{show}&apos; is larger than any memory</source>
        <extracomment>sentences</extracomment>
        <translation>Tensor &apos;{show}&apos; ist größer als jeder Speicher</translation>
    </message>
    <message>
        <source>the chunks of tensor &apos;{show}&apos; are not well-formed</source>
        <extracomment>sentences</extracomment>
        <translation>die Stücke von Tensor &apos;{show}&apos; sind nicht wohlgeformt</translation>
    </message>
    <message>
        <source>chunks of tensor &apos;{show}&apos; overlap</source>
        <extracomment>sentences</extracomment>
        <translation>Stücke von Tensor &apos;{show}&apos; überlappen sich</translation>
    </message>
    <message>
        <source>&apos;{show}&apos; is not the name of a file in its folder</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos; ist nicht der Name einer Datei in seinem Ordner</translation>
    </message>
    <message>
        <source>the name of a tensor is no text, or it is not described</source>
        <extracomment>sentences</extracomment>
        <translation>der Name eines Tensors ist kein Text, oder er ist nicht beschrieben</translation>
    </message>
    <message>
        <source>a chunk of tensor &apos;{show}&apos; is not inside it</source>
        <extracomment>sentences</extracomment>
        <translation>ein Stück von Tensor &apos;{show}&apos; liegt nicht darin</translation>
    </message>
    <message>
        <source>it does not say where a chunk of tensor &apos;{show}&apos; is stored</source>
        <extracomment>sentences</extracomment>
        <translation>sie gibt nicht an, wo ein Stück von Tensor &apos;{show}&apos; gespeichert ist</translation>
    </message>
    <message>
        <source>a chunk of tensor &apos;{show}&apos; has too few bytes</source>
        <extracomment>sentences</extracomment>
        <translation>ein Stück von Tensor &apos;{show}&apos; hat zu wenige Bytes</translation>
    </message>
    <message>
        <source>The pipeline &apos;{pipeline}&apos; has no component &apos;{key}&apos; with weights.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Pipeline &apos;{pipeline}&apos; hat keine Komponente &apos;{key}&apos; mit Gewichten.</translation>
    </message>
    <message>
        <source>Choose one of: {first_names}.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie eines von: {first_names}.</translation>
    </message>
    <message>
        <source>The cache &apos;{root}&apos; contains no snapshot.</source>
        <extracomment>sentences</extracomment>
        <translation>Der Cache &apos;{root}&apos; enthält keinen Snapshot.</translation>
    </message>
    <message>
        <source>Download the model again.</source>
        <extracomment>sentences</extracomment>
        <translation>Laden Sie das Modell neu herunter.</translation>
    </message>
    <message>
        <source>The folder &apos;{path}&apos; is a cache of Hugging Face with {len} models.</source>
        <extracomment>sentences</extracomment>
        <translation>Der Ordner &apos;{path}&apos; ist ein Cache von Hugging Face mit {len} Modellen.</translation>
    </message>
    <message>
        <source>Open one of them: {first_names}.</source>
        <extracomment>sentences</extracomment>
        <translation>Öffnen Sie eines davon: {first_names}.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is a part of a checkpoint of DeepSpeed.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist Teil eines Checkpoints von DeepSpeed.</translation>
    </message>
    <message>
        <source>a storage in its pickle does not begin with torch&apos;s magic number</source>
        <extracomment>sentences</extracomment>
        <translation>ein Storage in seinem Pickle beginnt nicht mit der magischen Zahl von torch</translation>
    </message>
    <message>
        <source>a byte string in its pickle holds something that is no storage</source>
        <extracomment>sentences</extracomment>
        <translation>eine Bytefolge in seinem Pickle enthält etwas, das kein Storage ist</translation>
    </message>
    <message>
        <source>a storage in its pickle is cut short</source>
        <extracomment>sentences</extracomment>
        <translation>ein Storage in seinem Pickle ist abgeschnitten</translation>
    </message>
    <message>
        <source>a storage in its pickle has another size than it says</source>
        <extracomment>sentences</extracomment>
        <translation>ein Storage in seinem Pickle hat eine andere Größe als angegeben</translation>
    </message>
    <message>
        <source>is a pickle of Python that torch.save did not write, without arrays of numbers{code}</source>
        <extracomment>sentences</extracomment>
        <translation>ist ein Pickle von Python, das torch.save nicht geschrieben hat, ohne Arrays von Zahlen{code}</translation>
    </message>
    <message>
        <source>Save the weights with torch.save or safetensors, where it was made.</source>
        <extracomment>sentences</extracomment>
        <translation>Speichern Sie die Gewichte dort, wo es entstand, mit torch.save oder safetensors.</translation>
    </message>
    <message>
        <source>is a pickle with more than {MAX_PICKLE} bytes of text</source>
        <extracomment>sentences</extracomment>
        <translation>ist ein Pickle mit mehr als {MAX_PICKLE} Bytes Text</translation>
    </message>
    <message>
        <source>Load it with pickle in Python and save it again with protocol=4.</source>
        <extracomment>sentences</extracomment>
        <translation>Laden Sie es in Python mit pickle, und speichern Sie es mit protocol=4 neu.</translation>
    </message>
    <message>
        <source>a text in its pickle has a negative length</source>
        <extracomment>sentences</extracomment>
        <translation>ein Text in seinem Pickle hat eine negative Länge</translation>
    </message>
    <message>
        <source>is a pickle of tensors of protocol 2 or older, in which their numbers are text</source>
        <extracomment>sentences</extracomment>
        <translation>ist ein Pickle von Tensoren nach Protokoll 2 oder älter, in dem ihre Zahlen Text sind</translation>
    </message>
    <message>
        <source>Load it with pickle in Python and save it again with torch.save.</source>
        <extracomment>sentences</extracomment>
        <translation>Laden Sie es in Python mit pickle, und speichern Sie es mit torch.save neu.</translation>
    </message>
    <message>
        <source>was written by joblib, whose arrays are not in the pickle</source>
        <extracomment>sentences</extracomment>
        <translation>wurde von joblib geschrieben, dessen Arrays nicht im Pickle sind</translation>
    </message>
    <message>
        <source>Load it with joblib in Python, and save its arrays with numpy.savez.</source>
        <extracomment>sentences</extracomment>
        <translation>Laden Sie sie in Python mit joblib, und speichern Sie ihre Arrays mit numpy.savez.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; holds no tensors of a model.{run}</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; enthält keine Tensoren eines Modells.{run}</translation>
    </message>
    <message>
        <source>the state of a tensor in its pickle is not well-formed</source>
        <extracomment>sentences</extracomment>
        <translation>der Zustand eines Tensors in seinem Pickle ist nicht wohlgeformt</translation>
    </message>
    <message>
        <source>a storage of its constants has the name of another</source>
        <extracomment>sentences</extracomment>
        <translation>ein Storage seiner Konstanten hat den Namen eines anderen</translation>
    </message>
    <message>
        <source>is a TorchScript program of torch 1.0 to 1.3, which Pruneapp does not read</source>
        <extracomment>sentences</extracomment>
        <translation>ist ein TorchScript-Programm von torch 1.0 bis 1.3, das Pruneapp nicht liest</translation>
    </message>
    <message>
        <source>Save it again in Python: torch.jit.load(FILE).save(&apos;model.pt&apos;).</source>
        <extracomment>sentences</extracomment>
        <translation>Speichern Sie es in Python neu: torch.jit.load(FILE).save(&apos;model.pt&apos;).</translation>
    </message>
    <message>
        <source>storage &apos;{key}&apos; has two sizes</source>
        <extracomment>sentences</extracomment>
        <translation>Storage &apos;{key}&apos; hat zwei Größen</translation>
    </message>
    <message>
        <source>The repair belongs to another checkpoint: &apos;{name}&apos; has {how}.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Reparatur gehört zu einem anderen Checkpoint: &apos;{name}&apos; hat {how}.</translation>
    </message>
    <message>
        <source>Choose the checkpoint that was repaired, or remove the entry and repair this checkpoint.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie den reparierten Checkpoint, oder entfernen Sie den Eintrag und reparieren Sie diesen Checkpoint.</translation>
    </message>
    <message>
        <source>A sequential repair runs two states of a model side by side, which is not possible with a session of onnxruntime.</source>
        <extracomment>sentences</extracomment>
        <translation>Eine Reparatur nacheinander führt zwei Zustände eines Modells nebeneinander aus, was mit einer Sitzung von onnxruntime nicht möglich ist.</translation>
    </message>
    <message>
        <source>The model that load returned does not hold the weights of &apos;{name}&apos;: {what}.</source>
        <extracomment>sentences</extracomment>
        <translation>Das Modell, das load zurückgab, enthält nicht die Gewichte von &apos;{name}&apos;: {what}.</translation>
    </message>
    <message>
        <source>The inputs of the model have no open size &apos;{value}&apos; (open: {known}).</source>
        <extracomment>sentences</extracomment>
        <translation>Die Eingaben des Modells haben keine offene Größe &apos;{value}&apos; (offen: {known}).</translation>
    </message>
    <message>
        <source>Give sizes as NAME=SIZE, such as batch=1.</source>
        <extracomment>sentences</extracomment>
        <translation>Geben Sie Größen als NAME=SIZE an, etwa batch=1.</translation>
    </message>
    <message>
        <source>The size &apos;{name}&apos; must be a whole number of at least 1 (got &apos;{number}&apos;).</source>
        <extracomment>sentences</extracomment>
        <translation>Die Größe &apos;{name}&apos; muss eine ganze Zahl von mindestens 1 sein (angegeben: &apos;{number}&apos;).</translation>
    </message>
    <message>
        <source>A GGUF model of several files is written as several files.</source>
        <extracomment>sentences</extracomment>
        <translation>Ein GGUF-Modell aus mehreren Dateien wird in mehrere Dateien geschrieben.</translation>
    </message>
    <message>
        <source>Name a folder, or merge the files first with llama-gguf-split --merge.</source>
        <extracomment>sentences</extracomment>
        <translation>Nennen Sie einen Ordner, oder fügen Sie die Dateien vorher mit llama-gguf-split --merge zusammen.</translation>
    </message>
    <message>
        <source>An ONNX model has at most {MOST_BYTES} bytes, and this one would have {nbytes}.</source>
        <extracomment>sentences</extracomment>
        <translation>Ein ONNX-Modell hat höchstens {MOST_BYTES} Bytes, und dieses hätte {nbytes}.</translation>
    </message>
    <message>
        <source>Save the original with external data, and open that.</source>
        <extracomment>sentences</extracomment>
        <translation>Speichern Sie das Original mit externen Daten, und öffnen Sie dieses.</translation>
    </message>
    <message>
        <source>&apos;{show}&apos; of &apos;{model}&apos; is in &apos;{show2}&apos; and cannot be copied: {unreadable}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos; von &apos;{model}&apos; ist in &apos;{show2}&apos; und kann nicht kopiert werden: {unreadable}.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; shares its numbers with another array in the pickle.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; teilt seine Zahlen mit einem anderen Array im Pickle.</translation>
    </message>
    <message>
        <source>Prune at least {needed}, or choose a smaller multiple.</source>
        <extracomment>sentences</extracomment>
        <translation>Prunen Sie mindestens {needed}, oder wählen Sie ein kleineres Vielfaches.</translation>
    </message>
    <message>
        <source>Choose a smaller multiple.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie ein kleineres Vielfaches.</translation>
    </message>
    <message>
        <source>The step ranks weights by statistics of activations of the checkpoint.</source>
        <extracomment>sentences</extracomment>
        <translation>Der Schritt ordnet Gewichte nach der Aktivierungsstatistik des Checkpoints.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is not the file that its kept history was made with.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; ist nicht die Datei, zu der ihr behaltener Verlauf gehört.</translation>
    </message>
    <message>
        <source>Go on without the history.</source>
        <extracomment>sentences</extracomment>
        <translation>Fahren Sie ohne den Verlauf fort.</translation>
    </message>
    <message>
        <source>{n} more group</source>
        <extracomment>sentences</extracomment>
        <translation>{n} weitere Gruppe</translation>
    </message>
    <message>
        <source>{n} more groups</source>
        <extracomment>sentences</extracomment>
        <translation>{n} weitere Gruppen</translation>
    </message>
    <message>
        <source>There is no &apos;{name}&apos; in &apos;{parent}&apos;, so it is not known which units it kept.</source>
        <extracomment>sentences</extracomment>
        <translation>In &apos;{parent}&apos; gibt es kein &apos;{name}&apos;, daher ist nicht bekannt, welche Einheiten geblieben sind.</translation>
    </message>
    <message>
        <source>Name the folder or the file that `pruneapp shrink` wrote.</source>
        <extracomment>sentences</extracomment>
        <translation>Nennen Sie den Ordner oder die Datei, die `pruneapp shrink` geschrieben hat.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; already exists, and a shrunk model is never written over something else.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; gibt es schon, und ein verkleinertes Modell überschreibt nie etwas anderes.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is the name of a file, and a shrunk model in a store is a folder.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist der Name einer Datei, und ein verkleinertes Modell in einem Objektspeicher ist ein Ordner.</translation>
    </message>
    <message>
        <source>Name a folder, such as &apos;{stem}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>Nennen Sie einen Ordner, etwa &apos;{stem}&apos;.</translation>
    </message>
    <message>
        <source>&apos;{target}&apos; already exists, and the model needs a file of this name.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{target}&apos; gibt es schon, und das Modell braucht eine Datei dieses Namens.</translation>
    </message>
    <message>
        <source>Choose another name for the model.</source>
        <extracomment>sentences</extracomment>
        <translation>Wählen Sie einen anderen Namen für das Modell.</translation>
    </message>
    <message>
        <source>A cut {kind} contains its graph, which &apos;{name}&apos; cannot, by its name.</source>
        <extracomment>sentences</extracomment>
        <translation>Ein verkleinertes Modell ({kind}) enthält seinen Graphen, was &apos;{name}&apos; dem Namen nach nicht kann.</translation>
    </message>
    <message>
        <source>Name it &apos;{stem}{suffix}&apos;, or name a folder.</source>
        <extracomment>sentences</extracomment>
        <translation>Nennen Sie es &apos;{stem}{suffix}&apos;, oder nennen Sie einen Ordner.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is the name of a file, but a cut changes &apos;{CONFIG}&apos; as well as the weights, so that both are written into a folder.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; ist der Name einer Datei, aber das Verkleinern ändert &apos;{CONFIG}&apos; ebenso wie die Gewichte, daher wird beides in einen Ordner geschrieben.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is the name of a program of torch.export, and the model has no graph.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; ist der Name eines Programms von torch.export, und das Modell hat keinen Graphen.</translation>
    </message>
    <message>
        <source>Name it &apos;{stem}.safetensors&apos; or &apos;{stem2}.pt&apos;, or name a folder.</source>
        <extracomment>sentences</extracomment>
        <translation>Nennen Sie es &apos;{stem}.safetensors&apos; oder &apos;{stem2}.pt&apos;, oder nennen Sie einen Ordner.</translation>
    </message>
    <message>
        <source>Cutting {share} of the units and rounding what stays up to a multiple of {multiple_words} cuts nothing of {counted}.</source>
        <extracomment>sentences</extracomment>
        <translation>Werden {share} der Einheiten entfernt und der Rest auf ein Vielfaches von {multiple_words} aufgerundet, so wird von {counted} nichts entfernt.</translation>
    </message>
    <message>
        <source>The statistics &apos;{name}&apos; belong to another checkpoint than &apos;{name2}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Statistik &apos;{name}&apos; gehört zu einem anderen Checkpoint als &apos;{name2}&apos;.</translation>
    </message>
    <message>
        <source>Collect statistics of this checkpoint, or use these with --force-statistics on the command line.</source>
        <extracomment>sentences</extracomment>
        <translation>Erheben Sie eine Statistik dieses Checkpoints, oder verwenden Sie diese mit --force-statistics auf der Befehlszeile.</translation>
    </message>
    <message>
        <source>Run the same inputs in the same order each time; &apos;seed&apos; is the same for each state. Outputs whose shape depends on the weights need an evaluation script with evaluate.</source>
        <extracomment>sentences</extracomment>
        <translation>Führen Sie jedes Mal dieselben Eingaben in derselben Reihenfolge aus; &apos;seed&apos; ist für jeden Zustand gleich. Ausgaben, deren Form von den Gewichten abhängt, brauchen ein Auswertungsskript mit evaluate.</translation>
    </message>
    <message>
        <source>{what} computed by torch, which &apos;{executable}&apos; does not have.</source>
        <extracomment>sentences</extracomment>
        <translation>{what} von torch berechnet, das &apos;{executable}&apos; nicht hat.</translation>
    </message>
    <message>
        <source>Install torch there or choose a Python that has it; for metrics alone, define evaluate.</source>
        <extracomment>sentences</extracomment>
        <translation>Installieren Sie dort torch, oder wählen Sie ein Python, das es hat; für Metriken allein definieren Sie evaluate.</translation>
    </message>
    <message>
        <source>Return the model, or an InferenceSession of an ONNX model, from load(path).</source>
        <extracomment>sentences</extracomment>
        <translation>Geben Sie aus load(path) das Modell zurück, oder eine InferenceSession eines ONNX-Modells.</translation>
    </message>
    <message>
        <source>The session that load returned was made from &apos;{path_of}&apos;, not from the path that load was given (&apos;{path}&apos;).</source>
        <extracomment>sentences</extracomment>
        <translation>Die Sitzung, die load zurückgab, wurde aus &apos;{path_of}&apos; erstellt, nicht aus dem übergebenen Pfad (&apos;{path}&apos;).</translation>
    </message>
    <message>
        <source>Let load(path) make the session from path.</source>
        <extracomment>sentences</extracomment>
        <translation>Lassen Sie load(path) die Sitzung aus path erstellen.</translation>
    </message>
    <message>
        <source>Two states of an ONNX model cannot be run side by side.</source>
        <extracomment>sentences</extracomment>
        <translation>Zwei Zustände eines ONNX-Modells können nicht nebeneinander ausgeführt werden.</translation>
    </message>
    <message>
        <source>{name}() does not run the session, so multiply-adds cannot be counted.</source>
        <extracomment>sentences</extracomment>
        <translation>{name}() führt die Sitzung nicht aus, daher können Multiply-Adds nicht gezählt werden.</translation>
    </message>
    <message>
        <source>Call session.run in it, or define calibrate(session) that does.</source>
        <extracomment>sentences</extracomment>
        <translation>Rufen Sie darin session.run auf, oder definieren Sie ein calibrate(session), das dies tut.</translation>
    </message>
    <message>
        <source>No input of a Conv, Gemm or MatMul with a weight was recorded.</source>
        <extracomment>sentences</extracomment>
        <translation>Es wurde keine Eingabe eines Conv, Gemm oder MatMul mit einem Gewicht aufgezeichnet.</translation>
    </message>
    <message>
        <source>Call session.run(…) of the session that load returned, in the same thread.</source>
        <extracomment>sentences</extracomment>
        <translation>Rufen Sie session.run(…) der Sitzung, die load zurückgab, im selben Thread auf.</translation>
    </message>
    <message>
        <source>The model leaves the size &apos;{name}&apos; open.</source>
        <extracomment>sentences</extracomment>
        <translation>Das Modell lässt die Größe &apos;{name}&apos; offen.</translation>
    </message>
    <message>
        <source>Give it: --size {name}=1.</source>
        <extracomment>sentences</extracomment>
        <translation>Geben Sie sie an: --size {name}=1.</translation>
    </message>
    <message>
        <source>The input &apos;{name}&apos; is a {type}.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Eingabe &apos;{name}&apos; hat den Typ {type}.</translation>
    </message>
    <message>
        <source>&apos;{executable}&apos; cannot import onnxruntime, which runs ONNX models ({error}).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{executable}&apos; kann onnxruntime, das ONNX-Modelle ausführt, nicht importieren ({error}).</translation>
    </message>
    <message>
        <source>Install it there (pip install onnxruntime), or choose a Python that has it.</source>
        <extracomment>sentences</extracomment>
        <translation>Installieren Sie es dort (pip install onnxruntime), oder wählen Sie ein Python, das es hat.</translation>
    </message>
    <message>
        <source>onnxruntime cannot run the model on seeded inputs of these shapes: {shapes} ({splitlines}).</source>
        <extracomment>sentences</extracomment>
        <translation>onnxruntime kann das Modell auf zufälligen Eingaben dieser Formen nicht ausführen: {shapes} ({splitlines}).</translation>
    </message>
    <message>
        <source>Give other sizes (--size NAME=SIZE on the command line), or write an evaluation script.</source>
        <extracomment>sentences</extracomment>
        <translation>Geben Sie andere Größen an (--size NAME=SIZE auf der Befehlszeile), oder schreiben Sie ein Auswertungsskript.</translation>
    </message>
    <message>
        <source>{list} listed in &apos;{name}&apos; but {verb} in no shard. All tensors that the shards contain were opened. If the model needs more, download the whole folder again.</source>
        <extracomment>sentences</extracomment>
        <translation>{list} in &apos;{name}&apos; aufgeführt, aber in keinem Shard enthalten. Alle Tensoren der Shards wurden geöffnet. Braucht das Modell mehr, so laden Sie den ganzen Ordner neu herunter.</translation>
    </message>
    <message>
        <source>{list} in another shard than &apos;{name}&apos; lists. Nothing is missing; exports contain a correct index.</source>
        <extracomment>sentences</extracomment>
        <translation>{list} in einem anderen Shard, als &apos;{name}&apos; angibt. Es fehlt nichts; Exporte enthalten einen richtigen Index.</translation>
    </message>
    <message>
        <source>The index says that the tensors have {total_size} bytes; they have {total}. Exports contain the correct number.</source>
        <extracomment>sentences</extracomment>
        <translation>Der Index gibt {total_size} Bytes für die Tensoren an; es sind {total}. Exporte enthalten die richtige Zahl.</translation>
    </message>
    <message>
        <source>a distributed checkpoint of torch without its file &apos;{METADATA_FILE}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>ein verteilter Checkpoint von torch ohne die Datei &apos;{METADATA_FILE}&apos;</translation>
    </message>
    <message>
        <source>Copy the whole folder; hidden files are often left out.</source>
        <extracomment>sentences</extracomment>
        <translation>Kopieren Sie den ganzen Ordner; versteckte Dateien werden oft ausgelassen.</translation>
    </message>
    <message>
        <source>a checkpoint of Megatron</source>
        <extracomment>sentences</extracomment>
        <translation>ein Checkpoint von Megatron</translation>
    </message>
    <message>
        <source>Open &apos;{whole}&apos;, which has all weights.</source>
        <extracomment>sentences</extracomment>
        <translation>Öffnen Sie &apos;{whole}&apos; mit allen Gewichten.</translation>
    </message>
    <message>
        <source>its layer is quantized ({quantizer})</source>
        <extracomment>sentences</extracomment>
        <translation>seine Schicht ist quantisiert ({quantizer})</translation>
    </message>
    <message>
        <source>its layer is quantized</source>
        <extracomment>sentences</extracomment>
        <translation>seine Schicht ist quantisiert</translation>
    </message>
    <message>
        <source>it is a numpy array without bytes</source>
        <extracomment>sentences</extracomment>
        <translation>es ist ein numpy-Array ohne Bytes</translation>
    </message>
    <message>
        <source>To prune a float of a quantized layer nevertheless, give its exact name.</source>
        <extracomment>sentences</extracomment>
        <translation>Um eine Gleitkommazahl einer quantisierten Schicht trotzdem zu prunen, geben Sie ihren genauen Namen an.</translation>
    </message>
    <message>
        <source>other data</source>
        <extracomment>sentences</extracomment>
        <translation>anderen Daten</translation>
    </message>
    <message>
        <source>The tensors keep the names and the order of rows of llama.cpp: transformers loads them only after a conversion.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Tensoren behalten die Namen und die Zeilenfolge von llama.cpp: transformers lädt sie erst nach einer Konvertierung.</translation>
    </message>
    <message>
        <source>Left out: objects and code of the file ({quoted_names}).</source>
        <extracomment>sentences</extracomment>
        <translation>Weggelassen: Objekte und Code der Datei ({quoted_names}).</translation>
    </message>
    <message>
        <source>Left out: the metadata of the file ({quoted_names}).</source>
        <extracomment>sentences</extracomment>
        <translation>Weggelassen: die Metadaten der Datei ({quoted_names}).</translation>
    </message>
    <message>
        <source>{quoted_names}, which {are} not in the {where}</source>
        <extracomment>sentences</extracomment>
        <translation>{quoted_names}, nicht im {where}</translation>
    </message>
    <message>
        <source>The numbers are in &apos;{data_file}&apos; beside the file: a model of more than {MOST_BYTES} bytes cannot be one file.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Zahlen sind in &apos;{data_file}&apos; neben der Datei: Ein Modell von mehr als {MOST_BYTES} Bytes kann keine einzelne Datei sein.</translation>
    </message>
    <message>
        <source>that was chosen</source>
        <extracomment>sentences</extracomment>
        <translation>das wurde gewählt</translation>
    </message>
    <message>
        <source>it stores tied weights twice</source>
        <extracomment>sentences</extracomment>
        <translation>sie speichert gebundene Gewichte zweimal</translation>
    </message>
    <message>
        <source>loading the file would run code ({names})</source>
        <extracomment>sentences</extracomment>
        <translation>das Laden der Datei würde Code ausführen ({names})</translation>
    </message>
    <message>
        <source>Unprotect weights, or uncheck {tensors}.</source>
        <extracomment>sentences</extracomment>
        <translation>Heben Sie den Schutz von Gewichten auf, oder kreuzen Sie {tensors} nicht mehr an.</translation>
    </message>
    <message>
        <source>the amount</source>
        <extracomment>sentences</extracomment>
        <translation>der Umfang</translation>
    </message>
    <message>
        <source>the amount, with what is pruned already,</source>
        <extracomment>sentences</extracomment>
        <translation>der Umfang, mit dem, was schon geprunt ist,</translation>
    </message>
    <message>
        <source>{percent} of all</source>
        <extracomment>sentences</extracomment>
        <translation>{percent} von allem</translation>
    </message>
    <message>
        <source>the total</source>
        <extracomment>sentences</extracomment>
        <translation>die Gesamtmenge</translation>
    </message>
    <message>
        <source>in each of {count} tensors</source>
        <extracomment>sentences</extracomment>
        <translation>in jedem von {count} Tensoren</translation>
    </message>
    <message>
        <source>of &apos;{names}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>von &apos;{names}&apos;</translation>
    </message>
    <message>
        <source>n:m, such as 2:4: n weights kept of every m, with n from 1 to m - 1 and m up to {MOST}</source>
        <extracomment>sentences</extracomment>
        <translation>n:m, etwa 2:4: von je m Gewichten bleiben n, mit n von 1 bis m - 1 und m bis {MOST}</translation>
    </message>
    <message>
        <source>rows x columns, each from 1 to {MOST}, such as 4x4</source>
        <extracomment>sentences</extracomment>
        <translation>Zeilen x Spalten, je von 1 bis {MOST}, etwa 4x4</translation>
    </message>
    <message>
        <source>a share from 0.0 to 1.0, or from 0% to 100%</source>
        <extracomment>sentences</extracomment>
        <translation>ein Anteil von 0,0 bis 1,0 oder von 0% bis 100%</translation>
    </message>
    <message>
        <source>from {value} to 2^63 - 1</source>
        <extracomment>sentences</extracomment>
        <translation>von {value} bis 2^63 - 1</translation>
    </message>
    <message>
        <source>from {low} to {high}</source>
        <extracomment>sentences</extracomment>
        <translation>von {low} bis {high}</translation>
    </message>
    <message>
        <source>{low} or more</source>
        <extracomment>sentences</extracomment>
        <translation>{low} oder mehr</translation>
    </message>
    <message>
        <source>{high} or less</source>
        <extracomment>sentences</extracomment>
        <translation>{high} oder weniger</translation>
    </message>
    <message>
        <source>any number</source>
        <extracomment>sentences</extracomment>
        <translation>beliebig</translation>
    </message>
    <message>
        <source>a number, {bounds}</source>
        <extracomment>sentences</extracomment>
        <translation>eine Zahl, {bounds}</translation>
    </message>
    <message>
        <source>a whole number, {bounds}</source>
        <extracomment>sentences</extracomment>
        <translation>eine ganze Zahl, {bounds}</translation>
    </message>
    <message>
        <source>a number, inf, -inf, &apos;fro&apos; or &apos;nuc&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>eine Zahl, inf, -inf, &apos;fro&apos; oder &apos;nuc&apos;</translation>
    </message>
    <message>
        <source>a whole number of 0 or more (a count), or a fraction from 0.0 to 1.0</source>
        <extracomment>sentences</extracomment>
        <translation>eine ganze Zahl ab 0 (eine Anzahl) oder ein Anteil von 0,0 bis 1,0</translation>
    </message>
    <message>
        <source>a size with its unit, such as 5 GB, 500 MB or 4 GiB, or &apos;{nothing}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>eine Größe mit Einheit, etwa 5 GB, 500 MB oder 4 GiB; oder &apos;{nothing}&apos;</translation>
    </message>
    <message>
        <source>yes or no</source>
        <extracomment>sentences</extracomment>
        <translation>yes oder no</translation>
    </message>
    <message>
        <source>&apos;{SHA256}&apos; and the SHA-256 of a file in 64 hexadecimal digits</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{SHA256}&apos; und der SHA-256 einer Datei in 64 Hexadezimalziffern</translation>
    </message>
    <message>
        <source>&apos;{where}&apos; has no entries, so it leaves the checkpoint unchanged.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos; hat keine Einträge und lässt den Checkpoint, wie er ist.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; brings masks for {counted}, which the recipe does not take: it begins with nothing pruned. Put {{&quot;name&quot;: &quot;file_masks&quot;}} first to go on from them.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; bringt Masken für {counted} mit, die das Rezept nicht übernimmt: Es beginnt ungeprunt. Stellen Sie {{&quot;name&quot;: &quot;file_masks&quot;}} an den Anfang, um von ihnen auszugehen.</translation>
    </message>
    <message>
        <source>they are {shape}, and the layer has {columns} inputs</source>
        <extracomment>sentences</extracomment>
        <translation>sie hat die Form {shape}, und die Schicht hat {columns} Eingaben</translation>
    </message>
    <message>
        <source>there are {size} sums, and {columns} inputs</source>
        <extracomment>sentences</extracomment>
        <translation>es gibt {size} Summen und {columns} Eingaben</translation>
    </message>
    <message>
        <source>they are not finite, or less than 0 on the diagonal</source>
        <extracomment>sentences</extracomment>
        <translation>ihre Werte sind nicht endlich oder auf der Diagonalen kleiner als 0</translation>
    </message>
    <message>
        <source>they are not finite</source>
        <extracomment>sentences</extracomment>
        <translation>ihre Werte sind nicht endlich</translation>
    </message>
    <message>
        <source>along dim {dim}</source>
        <extracomment>sentences</extracomment>
        <translation>entlang Dim. {dim}</translation>
    </message>
    <message>
        <source>{n} step</source>
        <extracomment>sentences</extracomment>
        <translation>{n} Schritt</translation>
    </message>
    <message>
        <source>{n} steps</source>
        <extracomment>sentences</extracomment>
        <translation>{n} Schritte</translation>
    </message>
    <message>
        <source>Nothing is pruned, so there is nothing to recover.</source>
        <extracomment>sentences</extracomment>
        <translation>Nichts ist beschnitten, also gibt es nichts, das sich erholen könnte.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; does not define train(model).</source>
        <extracomment>sentences</extracomment>
        <translation>„{name}“ definiert train(model) nicht.</translation>
    </message>
    <message>
        <source>Define train(model), and let it train the model for an epoch.</source>
        <extracomment>sentences</extracomment>
        <translation>Definieren Sie train(model), und lassen Sie es das Modell eine Epoche lang trainieren.</translation>
    </message>
    <message>
        <source>&apos;lr&apos; must be more than 0 and at most 1 (got {lr}).</source>
        <extracomment>sentences</extracomment>
        <translation>„lr“ muss größer als 0 und höchstens 1 sein (angegeben: {lr}).</translation>
    </message>
    <message>
        <source>&apos;samples&apos; must be at least 2 (got {samples}).</source>
        <extracomment>sentences</extracomment>
        <translation>„samples“ muss mindestens 2 sein (angegeben: {samples}).</translation>
    </message>
    <message>
        <source>An ONNX model is run by onnxruntime, which cannot train it.</source>
        <extracomment>sentences</extracomment>
        <translation>Ein ONNX-Modell wird von onnxruntime ausgeführt, das es nicht trainieren kann.</translation>
    </message>
    <message>
        <source>Recover the PyTorch model that it was exported from.</source>
        <extracomment>sentences</extracomment>
        <translation>Trainieren Sie das PyTorch-Modell, aus dem es exportiert wurde.</translation>
    </message>
    <message>
        <source>The model holds weights in a different form than the file, so the new values could not be stored.</source>
        <extracomment>sentences</extracomment>
        <translation>Das Modell hält Gewichte in anderer Form als die Datei, daher könnten die neuen Werte nicht gespeichert werden.</translation>
    </message>
    <message>
        <source>Let load(path) keep the names and shapes of the file.</source>
        <extracomment>sentences</extracomment>
        <translation>Lassen Sie load(path) die Namen und Formen der Datei beibehalten.</translation>
    </message>
    <message>
        <source>The model has no weights that could be trained.</source>
        <extracomment>sentences</extracomment>
        <translation>Das Modell hat keine Gewichte, die trainiert werden könnten.</translation>
    </message>
    <message>
        <source>The folder for the checkpoints of the training, &apos;{folder}&apos;, cannot be used: {words_of}.</source>
        <extracomment>sentences</extracomment>
        <translation>Der Ordner für die Zwischenstände des Trainings, „{folder}“, kann nicht verwendet werden: {words_of}.</translation>
    </message>
    <message>
        <source>Make it writable.</source>
        <extracomment>sentences</extracomment>
        <translation>Machen Sie ihn beschreibbar.</translation>
    </message>
    <message>
        <source>The folder for complete rounds, &apos;{folder}&apos;, cannot be used: {words_of}.</source>
        <extracomment>sentences</extracomment>
        <translation>Der Ordner für vollständige Runden, &apos;{folder}&apos;, kann nicht verwendet werden: {words_of}.</translation>
    </message>
    <message>
        <source>{n} held-out sample</source>
        <extracomment>sentences</extracomment>
        <translation>{n} zurückgehaltene Probe</translation>
    </message>
    <message>
        <source>{n} held-out samples</source>
        <extracomment>sentences</extracomment>
        <translation>{n} zurückgehaltene Proben</translation>
    </message>
    <message>
        <source>Training changed {counted} of &apos;{name}&apos; that are pruned, so its result is not used.</source>
        <extracomment>sentences</extracomment>
        <translation>Das Training hat {counted} von „{name}“ geändert, die beschnitten sind, daher wird sein Ergebnis nicht verwendet.</translation>
    </message>
    <message>
        <source>Train the parameters of the model that was given, with an optimizer of torch.</source>
        <extracomment>sentences</extracomment>
        <translation>Trainieren Sie die Parameter des übergebenen Modells mit einem Optimierer von torch.</translation>
    </message>
    <message>
        <source>Export as {instead}.</source>
        <extracomment>sentences</extracomment>
        <translation>Exportieren Sie als {instead}.</translation>
    </message>
    <message>
        <source>&apos;{path}&apos; is damaged: other bytes follow its compressed content.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{path}&apos; ist beschädigt: Auf den komprimierten Inhalt folgen weitere Bytes.</translation>
    </message>
    <message>
        <source>It comes from several files.</source>
        <extracomment>sentences</extracomment>
        <translation>Es stammt aus mehreren Dateien.</translation>
    </message>
    <message>
        <source>The history changed after {number} of {len} steps; the remaining steps were not applied.</source>
        <extracomment>sentences</extracomment>
        <translation>Der Verlauf hat sich nach {number} von {len} Schritten geändert; die übrigen Schritte wurden nicht angewendet.</translation>
    </message>
    <message>
        <source>Older states of the history cannot be moved to disk and stay in memory: {why_not}.</source>
        <extracomment>sentences</extracomment>
        <translation>Ältere Zustände des Verlaufs können nicht auf die Festplatte ausgelagert werden und bleiben im Speicher: {why_not}.</translation>
    </message>
    <message>
        <source>The tolerance must be a number of at least 0, or a percentage (got &apos;{stop}&apos;).</source>
        <extracomment>sentences</extracomment>
        <translation>Die Toleranz muss eine Zahl von mindestens 0 oder ein Prozentsatz sein (angegeben: &apos;{stop}&apos;).</translation>
    </message>
    <message>
        <source>0.01 is in the unit of the metric, 1% is relative to the unpruned model.</source>
        <extracomment>sentences</extracomment>
        <translation>0.01 ist in der Einheit der Metrik, 1% ist relativ zum ungeprunten Modell.</translation>
    </message>
    <message>
        <source>Rounds are being computed; changes made now would be lost.</source>
        <extracomment>sentences</extracomment>
        <translation>Runden werden berechnet; Änderungen gingen jetzt verloren.</translation>
    </message>
    <message>
        <source>Wait for them to finish, or press Esc: complete rounds are kept.</source>
        <extracomment>sentences</extracomment>
        <translation>Warten Sie, bis sie fertig sind, oder drücken Sie Esc: Vollständige Runden bleiben erhalten.</translation>
    </message>
    <message>
        <source>A step of a schedule cannot have a &apos;target_sparsity&apos;: &apos;final&apos; is the target.</source>
        <extracomment>sentences</extracomment>
        <translation>Ein Schritt eines Plans kann keine &apos;target_sparsity&apos; haben: Das Ziel ist &apos;final&apos;.</translation>
    </message>
    <message>
        <source>Remove &apos;target_sparsity&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>Entfernen Sie &apos;target_sparsity&apos;.</translation>
    </message>
    <message>
        <source>The schedule recovers the model or measures it after each round, by a script.</source>
        <extracomment>sentences</extracomment>
        <translation>Der Zeitplan trainiert oder misst das Modell nach jeder Runde mit einem Skript.</translation>
    </message>
    <message>
        <source>Use `pruneapp run RECIPE FILE --script SCRIPT -o OUT`, or Iterative pruning in the window.</source>
        <extracomment>sentences</extracomment>
        <translation>Verwenden Sie `pruneapp run RECIPE FILE --script SCRIPT -o OUT`, oder Iteratives Pruning im Fenster.</translation>
    </message>
    <message>
        <source>&apos;stop&apos; must be a number such as 0.01, or a percentage such as 1% (got &apos;{stop}&apos;).</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;stop&apos; muss eine Zahl wie 0.01 oder ein Prozentsatz wie 1% sein (angegeben: &apos;{stop}&apos;).</translation>
    </message>
    <message>
        <source>&apos;{where}&apos; was saved by a newer Pruneapp: it has version {version}, and this one reads up to version {newest_known}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos; wurde von einem neueren Pruneapp gespeichert: Die Version ist {version}, dieses liest bis Version {newest_known}.</translation>
    </message>
    <message>
        <source>The model was called without a tensor in its arguments, so recovery cannot repeat the call.</source>
        <extracomment>sentences</extracomment>
        <translation>Das Modell wurde ohne Tensor in seinen Argumenten aufgerufen, daher kann der Aufruf nicht wiederholt werden.</translation>
    </message>
    <message>
        <source>The model was called with an object of type {name}, so recovery cannot repeat the call.</source>
        <extracomment>sentences</extracomment>
        <translation>Das Modell wurde mit einem Objekt vom Typ {name} aufgerufen, daher kann der Aufruf nicht wiederholt werden.</translation>
    </message>
    <message>
        <source>Two models that load returned share their weights.</source>
        <extracomment>sentences</extracomment>
        <translation>Zwei Modelle, die load zurückgab, teilen sich ihre Gewichte.</translation>
    </message>
    <message>
        <source>Create a new model in each call of load(path).</source>
        <extracomment>sentences</extracomment>
        <translation>Erzeugen Sie in jedem Aufruf von load(path) ein neues Modell.</translation>
    </message>
    <message>
        <source>calibrate() did not call the model.</source>
        <extracomment>sentences</extracomment>
        <translation>calibrate() hat das Modell nicht aufgerufen.</translation>
    </message>
    <message>
        <source>Call the model that load returned in calibrate(model), in the same thread.</source>
        <extracomment>sentences</extracomment>
        <translation>Rufen Sie in calibrate(model) das Modell auf, das load zurückgab, im selben Thread.</translation>
    </message>
    <message>
        <source>train() yielded an object of type {name}.</source>
        <extracomment>sentences</extracomment>
        <translation>train() hat ein Objekt vom Typ {name} geliefert.</translation>
    </message>
    <message>
        <source>Yield a loss, (loss, learning rate), or a dict of numbers.</source>
        <extracomment>sentences</extracomment>
        <translation>Liefern Sie mit yield einen Verlust, (Verlust, Lernrate) oder ein Dict von Zahlen.</translation>
    </message>
    <message>
        <source>The model has no parameter that could be trained.</source>
        <extracomment>sentences</extracomment>
        <translation>Das Modell hat keinen Parameter, der trainiert werden könnte.</translation>
    </message>
    <message>
        <source>The model returned no tensor of floats, so there is nothing to reproduce.</source>
        <extracomment>sentences</extracomment>
        <translation>Das Modell gab keinen Tensor von Gleitkommazahlen zurück, also gibt es nichts nachzubilden.</translation>
    </message>
    <message>
        <source>Let calibrate(model) call the model so that it returns its outputs.</source>
        <extracomment>sentences</extracomment>
        <translation>Lassen Sie calibrate(model) das Modell so aufrufen, dass es seine Ausgaben zurückgibt.</translation>
    </message>
    <message>
        <source>The outputs of the unpruned model are not all finite.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Ausgaben des unbeschnittenen Modells sind nicht alle endlich.</translation>
    </message>
    <message>
        <source>{pattern} does not hold in {where} ({groups}): {why}</source>
        <extracomment>sentences</extracomment>
        <translation>{pattern} gilt nicht in {where} ({groups}): {why}</translation>
    </message>
    <message>
        <source>the {n_blocked} tensors that allow none</source>
        <extracomment>sentences</extracomment>
        <translation>die {n_blocked} Tensoren, die nichts zulassen</translation>
    </message>
    <message>
        <source>{describe}, or {nothing}</source>
        <extracomment>sentences</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 layer has a larger error</source>
        <extracomment>sentences</extracomment>
        <translation>1 Schicht hat</translation>
    </message>
    <message>
        <source>{len} layers have larger errors</source>
        <extracomment>sentences</extracomment>
        <translation>{len} Schichten haben</translation>
    </message>
    <message>
        <source>{value} after the repair than before: {first_names}.</source>
        <extracomment>sentences</extracomment>
        <translation>{value} nach der Reparatur einen größeren Fehler als vorher: {first_names}.</translation>
    </message>
    <message>
        <source>There was nothing to repair: the pruned weights are 0 in the unpruned model as well. If the file was pruned before, repair it against the original.</source>
        <extracomment>sentences</extracomment>
        <translation>Es gab nichts zu reparieren: Die geprunten Gewichte sind auch im ungeprunten Modell 0. Wurde die Datei schon früher geprunt, reparieren Sie sie anhand des Originals.</translation>
    </message>
    <message>
        <source>random tokens</source>
        <extracomment>sentences</extracomment>
        <translation>zufällige Tokens</translation>
    </message>
    <message>
        <source>The inputs were random token ids, which are unlike any real input: the repaired model may be worse on yours.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Eingaben waren zufällige Token-IDs, die keiner echten Eingabe gleichen: Das reparierte Modell kann bei Ihren schlechter sein.</translation>
    </message>
    <message>
        <source>random inputs</source>
        <extracomment>sentences</extracomment>
        <translation>zufällige Eingaben</translation>
    </message>
    <message>
        <source>The inputs were random numbers, which are unlike any real input: the repaired model may be worse on yours.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Eingaben waren Zufallszahlen, anders als echte Eingaben: Das reparierte Modell kann auf Ihren schlechter sein.</translation>
    </message>
    <message>
        <source>once more</source>
        <extracomment>sentences</extracomment>
        <translation>noch einmal</translation>
    </message>
    <message>
        <source>up to {layers} times more</source>
        <extracomment>sentences</extracomment>
        <translation>noch bis zu {layers}-mal</translation>
    </message>
    <message>
        <source>The inputs are run once through the unpruned model, then {often} through it and the pruned model: once for each layer, or for layers with the same input.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Eingaben laufen einmal durch das ungeprunte Modell, dann {often} durch dieses und das geprunte: einmal je Schicht oder für Schichten mit derselben Eingabe.</translation>
    </message>
    <message>
        <source>All {counted} have nearly the same high sparsity ({join}). A repair did not make up for such a mask in a small convolutional network; global pruning and LAMP leave more in its first layers.</source>
        <extracomment>sentences</extracomment>
        <translation>Nahezu dieselbe hohe Sparsity ({join}) haben alle: {counted}. In einem kleinen Faltungsnetz hat eine Reparatur eine solche Maske nicht ausgeglichen; globales Pruning und LAMP lassen in den ersten Schichten mehr übrig.</translation>
    </message>
    <message>
        <source>it has {size} elements, and the one that it changes {size2}</source>
        <extracomment>sentences</extracomment>
        <translation>sie hat {size} Elemente, und die, die sie ändert, {size2}</translation>
    </message>
    <message>
        <source>its pieces are not those of {size} elements</source>
        <extracomment>sentences</extracomment>
        <translation>ihre Stücke sind nicht die von {size} Elementen</translation>
    </message>
    <message>
        <source>its bytes cannot be decompressed</source>
        <extracomment>sentences</extracomment>
        <translation>ihre Bytes lassen sich nicht dekomprimieren</translation>
    </message>
    <message>
        <source>{value} of its {nbytes} bytes are missing</source>
        <extracomment>sentences</extracomment>
        <translation>{value} ihrer {nbytes} Bytes fehlen</translation>
    </message>
    <message>
        <source>{size} elements lie outside of those that it was packed with</source>
        <extracomment>sentences</extracomment>
        <translation>{size} Elemente liegen außerhalb derer, mit denen sie gepackt wurde</translation>
    </message>
    <message>
        <source>it is not one frame of small masks</source>
        <extracomment>sentences</extracomment>
        <translation>sie ist nicht ein Frame kleiner Masken</translation>
    </message>
    <message>
        <source>it has {size} bytes for {size2} elements</source>
        <extracomment>sentences</extracomment>
        <translation>sie hat {size} Bytes für {size2} Elemente</translation>
    </message>
    <message>
        <source>it has bits past its {size} elements</source>
        <extracomment>sentences</extracomment>
        <translation>sie hat Bits hinter ihren {size} Elementen</translation>
    </message>
    <message>
        <source>After a crash, the last steps would have to be computed again: their masks cannot be written to &apos;{place}&apos; ({words_of}).</source>
        <extracomment>sentences</extracomment>
        <translation>Nach einem Absturz müssten die letzten Schritte neu berechnet werden: Ihre Masken lassen sich nicht nach &apos;{place}&apos; schreiben ({words_of}).</translation>
    </message>
    <message>
        <source>Your work is not being kept for recovery after a crash: &apos;{place}&apos; cannot be written ({words_of}).</source>
        <extracomment>sentences</extracomment>
        <translation>Ihre Arbeit wird nicht für den Fall eines Absturzes aufbewahrt: &apos;{place}&apos; lässt sich nicht schreiben ({words_of}).</translation>
    </message>
    <message>
        <source>It has {counted}; it had {len}.</source>
        <extracomment>sentences</extracomment>
        <translation>Sie hat {counted}; vorher {len}.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has {size} bytes; it had {size2}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; hat {size} Bytes; vorher {size2}.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has the same size as before, but different content.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; ist so groß wie vorher, enthält aber andere Bytes.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is not there.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; fehlt.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has the shape {list}; it had {list2}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; hat die Form {list}; vorher {list2}.</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is of type {name2}; it was {dtype}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; hat den Typ {name2}; vorher {dtype}.</translation>
    </message>
    <message>
        <source>{n} more differ.</source>
        <extracomment>sentences</extracomment>
        <translation>{n} weitere weichen ab.</translation>
    </message>
    <message>
        <source>1 more differs.</source>
        <extracomment>sentences</extracomment>
        <translation>1 weiterer weicht ab.</translation>
    </message>
    <message>
        <source>cannot be computed again</source>
        <extracomment>sentences</extracomment>
        <translation>lassen sich nicht neu berechnen</translation>
    </message>
    <message>
        <source>&apos;{label}&apos; is</source>
        <extracomment>sentences</extracomment>
        <translation>„{label}“</translation>
    </message>
    <message>
        <source>The last {len} steps are</source>
        <extracomment>sentences</extracomment>
        <translation>Die letzten {len} Schritte</translation>
    </message>
    <message>
        <source>{what} missing: the masks were not on the disk yet, and {why}. The unsaved work is kept, and offered again at the next start.</source>
        <extracomment>sentences</extracomment>
        <translation>Es fehlt: {what}. Die Masken waren noch nicht auf der Festplatte. Grund: {why}. Die ungespeicherte Arbeit ist aufbewahrt und wird beim nächsten Start wieder angeboten.</translation>
    </message>
    <message>
        <source>Masks of {name} applied</source>
        <extracomment>sentences
----------
steps</extracomment>
        <translation>Masken von {name} angewendet</translation>
    </message>
    <message>
        <source>Protection of {name} applied</source>
        <extracomment>sentences
----------
steps</extracomment>
        <translation>Schutz von {name} angewendet</translation>
    </message>
    <message>
        <source>would have been computed from other weights</source>
        <extracomment>sentences</extracomment>
        <translation>wären aus anderen Gewichten berechnet worden</translation>
    </message>
    <message>
        <source>The repair in {name} was computed from other weights, so it was left out.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Reparatur in {name} wurde aus anderen Gewichten berechnet und daher weggelassen.</translation>
    </message>
    <message>
        <source>{sentence} Repair this checkpoint instead.</source>
        <extracomment>sentences</extracomment>
        <translation>{sentence} Reparieren Sie stattdessen diesen Checkpoint.</translation>
    </message>
    <message>
        <source>Its tensors have the same names and shapes.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Tensoren haben dieselben Namen und Formen.</translation>
    </message>
    <message>
        <source>it has {len} pieces for {size} elements</source>
        <extracomment>sentences</extracomment>
        <translation>sie hat {len} Stücke für {size} Elemente</translation>
    </message>
    <message>
        <source>its pieces do not fit</source>
        <extracomment>sentences</extracomment>
        <translation>ihre Stücke passen nicht</translation>
    </message>
    <message>
        <source>checking shapes</source>
        <extracomment>sentences</extracomment>
        <translation>Formen werden geprüft</translation>
    </message>
    <message>
        <source>checking outputs</source>
        <extracomment>sentences</extracomment>
        <translation>Ausgaben werden geprüft</translation>
    </message>
    <message>
        <source>{architecture} of transformers {transformers}</source>
        <extracomment>sentences</extracomment>
        <translation>{architecture} von transformers {transformers}</translation>
    </message>
    <message>
        <source>{by} takes these shapes.</source>
        <extracomment>sentences</extracomment>
        <translation>{by} nimmt diese Formen an.</translation>
    </message>
    <message>
        <source>(first {first_layers} layers)</source>
        <extracomment>sentences</extracomment>
        <translation>(erste {first_layers} Schichten)</translation>
    </message>
    <message>
        <source>all outputs are equal</source>
        <extracomment>sentences</extracomment>
        <translation>alle Ausgaben sind gleich</translation>
    </message>
    <message>
        <source>outputs up to {largest_output} differ by at most {largest_difference}</source>
        <extracomment>sentences</extracomment>
        <translation>Ausgaben bis {largest_output} unterscheiden sich um höchstens {largest_difference}</translation>
    </message>
    <message>
        <source>{by}{part} computes the same with the units cut out as with them set to zero: {apart}.</source>
        <extracomment>sentences</extracomment>
        <translation>{by}{part} berechnet mit entfernten Einheiten dasselbe wie mit auf null gesetzten: {apart}.</translation>
    </message>
    <message>
        <source>next tokens</source>
        <extracomment>sentences</extracomment>
        <translation>nächste Tokens</translation>
    </message>
    <message>
        <source>{said} Against the unpruned model, on seeded random inputs, {changed_predictions} of the {what} are different, and outputs differ by up to {largest_change} of the largest.</source>
        <extracomment>sentences</extracomment>
        <translation>{said} Gegenüber dem ungeprunten Modell, bei zufälligen Eingaben mit Seed, ändern sich {changed_predictions} ({what}), und Ausgaben unterscheiden sich um bis zu {largest_change} der größten.</translation>
    </message>
    <message>
        <source>{LABELS} in float64</source>
        <extracomment>sentences</extracomment>
        <translation>{LABELS} in float64</translation>
    </message>
    <message>
        <source>{answer} of transformers {answer2}</source>
        <extracomment>sentences</extracomment>
        <translation>{answer} von transformers {answer2}</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is {shape} instead of {shape2}</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; ist {shape} statt {shape2}</translation>
    </message>
    <message>
        <source>{counted} missing ({first_names})</source>
        <extracomment>sentences</extracomment>
        <translation>{counted} zu wenig ({first_names})</translation>
    </message>
    <message>
        <source>{counted} too many ({first_names})</source>
        <extracomment>sentences</extracomment>
        <translation>{counted} zu viel ({first_names})</translation>
    </message>
    <message>
        <source>{counted} of another shape ({shown})</source>
        <extracomment>sentences</extracomment>
        <translation>{counted} mit anderer Form ({shown})</translation>
    </message>
    <message>
        <source>Do not use it: the cut is not what the zeros say.</source>
        <extracomment>sentences</extracomment>
        <translation>Verwenden Sie ihn nicht: Entfernt wurde etwas anderes, als die Nullen sagen.</translation>
    </message>
    <message>
        <source>Most outputs agree (their median differs by {median}): a rounding may have led a router to another expert, which another seed would not.</source>
        <extracomment>sentences</extracomment>
        <translation>Die meisten Ausgaben stimmen überein (im Median weichen sie um {median} ab): Eine Rundung kann einen Router zu einem anderen Experten geführt haben, was mit einem anderen Seed nicht geschähe.</translation>
    </message>
    <message>
        <source>{largest}, where {most} is allowed</source>
        <extracomment>sentences</extracomment>
        <translation>{largest} (erlaubt: {most})</translation>
    </message>
    <message>
        <source>{median} in the median, where {most_in_median} is allowed</source>
        <extracomment>sentences</extracomment>
        <translation>{median} im Median (erlaubt: {most_in_median})</translation>
    </message>
    <message>
        <source>a single number</source>
        <extracomment>sentences</extracomment>
        <translation>eine einzelne Zahl</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; was taken out of config.json: it names the old stages.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; wurde aus config.json entfernt: Es nennt die alten Stufen.</translation>
    </message>
    <message>
        <source>Which layers are of which kind is said by &apos;{instead}&apos;: versions of transformers before 5 go by &apos;{name}&apos;, and compute something else.</source>
        <extracomment>sentences</extracomment>
        <translation>Welche Schichten von welcher Art sind, sagt &apos;{instead}&apos;: transformers vor Version 5 richtet sich nach &apos;{name}&apos; und berechnet etwas anderes.</translation>
    </message>
    <message>
        <source>ONNX Runtime, and whatever runs the original</source>
        <extracomment>sentences</extracomment>
        <translation>ONNX Runtime und alles, was das Original ausführt</translation>
    </message>
    <message>
        <source>torch, by torch.export.load, and whatever takes the original</source>
        <extracomment>sentences</extracomment>
        <translation>torch mit torch.export.load und alles, was das Original annimmt</translation>
    </message>
    <message>
        <source>shrunk {label}</source>
        <extracomment>sentences</extracomment>
        <translation>verkleinert, {label}</translation>
    </message>
    <message>
        <source>{label} per key/value head</source>
        <extracomment>sentences</extracomment>
        <translation>{label} je Key/Value-Head</translation>
    </message>
    <message>
        <source>transformers 5, by its class for &apos;{written}&apos; as it is (from_pretrained)</source>
        <extracomment>sentences</extracomment>
        <translation>transformers 5 mit seiner unveränderten Klasse für &apos;{written}&apos; (from_pretrained)</translation>
    </message>
    <message>
        <source>other programs if they read the size of a head (&apos;head_dim&apos;) from config.json</source>
        <extracomment>sentences</extracomment>
        <translation>andere Programme, wenn sie die Größe eines Heads (&apos;head_dim&apos;) aus config.json lesen</translation>
    </message>
    <message>
        <source>{counted} of &apos;{place}&apos; emit a constant that no bias can absorb, and stay.</source>
        <extracomment>sentences</extracomment>
        <translation>{counted} von &apos;{place}&apos; geben eine Konstante aus, die kein Bias aufnimmt, und bleiben.</translation>
    </message>
    <message>
        <source>&apos;{place}&apos; keeps {counted}, {zeros} of them zeros: another layer needs as many.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{place}&apos; behält {counted}, davon {zeros} Nullen: Eine andere Schicht braucht ebenso viele.</translation>
    </message>
    <message>
        <source>{counted} of &apos;{stem}&apos; have weights of 0 and stay: a bias or a norm turns them into constants. Prune them with everything that depends on them.</source>
        <extracomment>sentences</extracomment>
        <translation>{counted} von &apos;{stem}&apos; haben Gewichte 0 und bleiben: Ein Bias oder eine Norm macht Konstanten daraus. Prunen Sie sie mit allem, was davon abhängt.</translation>
    </message>
    <message>
        <source>config.json says {timm} = {value}: timm reads it.</source>
        <extracomment>sentences</extracomment>
        <translation>In config.json steht {timm} = {value}: timm liest es.</translation>
    </message>
    <message>
        <source>All blocks have the widths of {name}={value}: a model built with that argument loads the state dict. {LOADER} loads it into any.</source>
        <extracomment>sentences</extracomment>
        <translation>Alle Blöcke sind so breit, wie {name}={value} sie macht: Ein mit diesem Argument erstelltes Modell lädt das State-Dict. {LOADER} lädt es in jedes.</translation>
    </message>
    <message>
        <source>{LOADER}, which lies beside the weights, gives a model the new widths and loads them.</source>
        <extracomment>sentences</extracomment>
        <translation>{LOADER} neben den Gewichten gibt einem Modell die neuen Breiten und lädt sie.</translation>
    </message>
    <message>
        <source>vLLM has kernels for some numbers of experts only.</source>
        <extracomment>sentences</extracomment>
        <translation>vLLM hat Kernel nur für manche Anzahlen von Experten.</translation>
    </message>
    <message>
        <source>Written as &apos;{wanted}&apos;, which computes the same.</source>
        <extracomment>sentences</extracomment>
        <translation>Als &apos;{wanted}&apos; geschrieben, was dasselbe berechnet.</translation>
    </message>
    <message>
        <source>&apos;{min}&apos; was written and should not have been</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{min}&apos; wurde geschrieben, hätte es aber nicht werden dürfen</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; was written with the shape {shape}</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; hat nach dem Schreiben die Form {shape}</translation>
    </message>
    <message>
        <source>a unit of &apos;{place}&apos; went that is not dead</source>
        <extracomment>sentences</extracomment>
        <translation>eine Einheit von &apos;{place}&apos; wurde entfernt, die nicht tot ist</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; does not come back as it was</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; kommt nicht unverändert zurück</translation>
    </message>
    <message>
        <source>type &apos;{model_type}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>vom Typ &apos;{model_type}&apos;</translation>
    </message>
    <message>
        <source>this kind</source>
        <extracomment>sentences</extracomment>
        <translation>dieser Art</translation>
    </message>
    <message>
        <source>A model of {kind} has no such units.</source>
        <extracomment>sentences</extracomment>
        <translation>Ein Modell {kind} hat keine solchen Einheiten.</translation>
    </message>
    <message>
        <source>it is not a valid file name</source>
        <extracomment>sentences</extracomment>
        <translation>das ist kein gültiger Dateiname</translation>
    </message>
    <message>
        <source>, only &apos;{others}&apos;, which cannot be cut</source>
        <extracomment>sentences</extracomment>
        <translation>, nur &apos;{others}&apos;, was sich nicht kürzen lässt</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is left out: it holds the vocabulary in a form that cannot be cut; {TOKENIZER} has all that is needed.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; wird weggelassen: Darin steht das Vokabular in einer Form, die sich nicht kürzen lässt; {TOKENIZER} enthält alles Nötige.</translation>
    </message>
    <message>
        <source>exact for this text</source>
        <extracomment>sentences</extracomment>
        <translation>exakt für diesen Text</translation>
    </message>
    <message>
        <source>the scores of a file</source>
        <extracomment>sentences</extracomment>
        <translation>den Werten einer Datei</translation>
    </message>
    <message>
        <source>it has no &apos;{name}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; fehlt darin</translation>
    </message>
    <message>
        <source>{columns} inputs</source>
        <extracomment>sentences</extracomment>
        <translation>{columns} Eingaben</translation>
    </message>
    <message>
        <source>{parts} x {columns} inputs</source>
        <extracomment>sentences</extracomment>
        <translation>{parts} x {columns} Eingaben</translation>
    </message>
    <message>
        <source>methods</source>
        <extracomment>sentences</extracomment>
        <translation>Methoden</translation>
    </message>
    <message>
        <source>formats</source>
        <extracomment>sentences</extracomment>
        <translation>Formate</translation>
    </message>
    <message>
        <source>parameters</source>
        <extracomment>sentences</extracomment>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>kinds</source>
        <extracomment>sentences</extracomment>
        <translation>Arten</translation>
    </message>
    <message>
        <source>values</source>
        <extracomment>sentences</extracomment>
        <translation>Werte</translation>
    </message>
    <message>
        <source>metrics</source>
        <extracomment>sentences</extracomment>
        <translation>Metriken</translation>
    </message>
    <message>
        <source>weights</source>
        <extracomment>sentences
----------
steps</extracomment>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>channels</source>
        <extracomment>sentences</extracomment>
        <translation>Kanäle</translation>
    </message>
    <message>
        <source>tensor</source>
        <extracomment>sentences</extracomment>
        <translation>Tensor</translation>
    </message>
    <message>
        <source>tensors</source>
        <extracomment>sentences</extracomment>
        <translation>Tensoren</translation>
    </message>
    <message>
        <source>weight</source>
        <extracomment>sentences</extracomment>
        <translation>Gewicht</translation>
    </message>
    <message>
        <source>channel</source>
        <extracomment>sentences</extracomment>
        <translation>Kanal</translation>
    </message>
    <message>
        <source>amount</source>
        <extracomment>sentences</extracomment>
        <translation>Umfang</translation>
    </message>
    <message>
        <source>total</source>
        <extracomment>sentences</extracomment>
        <translation>Gesamtmenge</translation>
    </message>
    <message>
        <source>local</source>
        <extracomment>sentences</extracomment>
        <translation>lokal</translation>
    </message>
    <message>
        <source>global</source>
        <extracomment>sentences
----------
steps</extracomment>
        <translation>global</translation>
    </message>
    <message>
        <source>is</source>
        <extracomment>sentences</extracomment>
        <translation>wird</translation>
    </message>
    <message>
        <source>are</source>
        <extracomment>sentences</extracomment>
        <translation>werden</translation>
    </message>
    <message>
        <source>was</source>
        <extracomment>sentences</extracomment>
        <translation>wurde</translation>
    </message>
    <message>
        <source>were</source>
        <extracomment>sentences</extracomment>
        <translation>wurden</translation>
    </message>
    <message>
        <source>it</source>
        <extracomment>sentences</extracomment>
        <translation>es</translation>
    </message>
    <message>
        <source>them</source>
        <extracomment>sentences</extracomment>
        <translation>sie</translation>
    </message>
    <message>
        <source>they</source>
        <extracomment>sentences</extracomment>
        <translation>sie</translation>
    </message>
    <message>
        <source>this</source>
        <extracomment>sentences</extracomment>
        <translation>dies</translation>
    </message>
    <message>
        <source>bias</source>
        <extracomment>sentences</extracomment>
        <translation>Bias</translation>
    </message>
    <message>
        <source>norm</source>
        <extracomment>sentences</extracomment>
        <translation>Norm</translation>
    </message>
    <message>
        <source>rows</source>
        <extracomment>sentences</extracomment>
        <translation>Zeilen</translation>
    </message>
    <message>
        <source>columns</source>
        <extracomment>sentences</extracomment>
        <translation>Spalten</translation>
    </message>
    <message>
        <source>units</source>
        <extracomment>sentences</extracomment>
        <translation>Einheiten</translation>
    </message>
    <message>
        <source>blocks</source>
        <extracomment>sentences</extracomment>
        <translation>Blöcke</translation>
    </message>
    <message>
        <source>neurons</source>
        <extracomment>sentences</extracomment>
        <translation>Neuronen</translation>
    </message>
    <message>
        <source>one of {words}</source>
        <extracomment>sentences</extracomment>
        <translation>eines von {words}</translation>
    </message>
    <message>
        <source>any of {words}, with commas between them</source>
        <extracomment>sentences</extracomment>
        <translation>beliebige von {words}, durch Kommas getrennt</translation>
    </message>
    <message>
        <source>all of it is protected</source>
        <extracomment>sentences</extracomment>
        <translation>alles davon ist geschützt</translation>
    </message>
    <message>
        <source>all of it is pruned or protected</source>
        <extracomment>sentences</extracomment>
        <translation>alles davon ist geprunt oder geschützt</translation>
    </message>
    <message>
        <source>weight of &apos;{name}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>Gewicht von &apos;{name}&apos;</translation>
    </message>
    <message>
        <source>weights of &apos;{name}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>Gewichte von &apos;{name}&apos;</translation>
    </message>
    <message>
        <source>channel of &apos;{name}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>Kanal von &apos;{name}&apos;</translation>
    </message>
    <message>
        <source>channels of &apos;{name}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>Kanäle von &apos;{name}&apos;</translation>
    </message>
    <message>
        <source>block of &apos;{name}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>Block von &apos;{name}&apos;</translation>
    </message>
    <message>
        <source>blocks of &apos;{name}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>Blöcke von &apos;{name}&apos;</translation>
    </message>
    <message>
        <source>other tensors</source>
        <extracomment>sentences</extracomment>
        <translation>andere Tensoren</translation>
    </message>
    <message>
        <source>value was</source>
        <extracomment>sentences</extracomment>
        <translation>Wert war</translation>
    </message>
    <message>
        <source>values were</source>
        <extracomment>sentences</extracomment>
        <translation>Werte waren</translation>
    </message>
    <message>
        <source>One mask holds values other than 0 and 1: these tensors are opened as not pruned.</source>
        <extracomment>sentences</extracomment>
        <translation>Eine Maske enthält andere Werte als 0 und 1: Dieser Tensor wird als nicht geprunt geöffnet.</translation>
    </message>
    <message>
        <source>The masks of {n} tensors hold values other than 0 and 1: these tensors are opened as not pruned.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Masken von {n} Tensoren enthalten andere Werte als 0 und 1: Diese Tensoren werden als nicht geprunt geöffnet.</translation>
    </message>
    <message>
        <source>has the weights of the opened folder, and an export replaces the model of a folder as a whole.</source>
        <extracomment>sentences</extracomment>
        <translation>enthält die Gewichte des geöffneten Ordners, und ein Export ersetzt das Modell eines Ordners als Ganzes.</translation>
    </message>
    <message>
        <source>No tensor matches &apos;{pattern}&apos;.</source>
        <extracomment>sentences</extracomment>
        <translation>Kein Tensor passt zu &apos;{pattern}&apos;.</translation>
    </message>
    <message>
        <source>{name} or {name2}</source>
        <extracomment>sentences</extracomment>
        <translation>{name} oder {name2}</translation>
    </message>
    <message>
        <source>shrunk</source>
        <extracomment>sentences</extracomment>
        <translation>verkleinert</translation>
    </message>
    <message>
        <source>{label} {n} → {n2}</source>
        <extracomment>sentences</extracomment>
        <translation>{label} {n} → {n2}</translation>
    </message>
    <message>
        <source>sparse COO</source>
        <extracomment>sentences</extracomment>
        <translation>Sparse-COO</translation>
    </message>
    <message>
        <source>sparse CSR</source>
        <extracomment>sentences</extracomment>
        <translation>Sparse-CSR</translation>
    </message>
    <message>
        <source>sparse CSC</source>
        <extracomment>sentences</extracomment>
        <translation>Sparse-CSC</translation>
    </message>
    <message>
        <source>sparse BSR</source>
        <extracomment>sentences</extracomment>
        <translation>Sparse-BSR</translation>
    </message>
    <message>
        <source>sparse BSC</source>
        <extracomment>sentences</extracomment>
        <translation>Sparse-BSC</translation>
    </message>
    <message>
        <source>{percent} to {percent2}</source>
        <extracomment>sentences</extracomment>
        <translation>{percent} bis {percent2}</translation>
    </message>
    <message>
        <source>{missing}, {n} tensor too many ({first_names})</source>
        <extracomment>sentences</extracomment>
        <translation>{missing}, {n} Tensor zu viel ({first_names})</translation>
    </message>
    <message>
        <source>{missing}, {n} tensors too many ({first_names})</source>
        <extracomment>sentences</extracomment>
        <translation>{missing}, {n} Tensoren zu viel ({first_names})</translation>
    </message>
    <message>
        <source>{others}, {n} tensor of another shape ({shown})</source>
        <extracomment>sentences</extracomment>
        <translation>{others}, {n} Tensor mit anderer Form ({shown})</translation>
    </message>
    <message>
        <source>{others}, {n} tensors of another shape ({shown})</source>
        <extracomment>sentences</extracomment>
        <translation>{others}, {n} Tensoren mit anderer Form ({shown})</translation>
    </message>
    <message>
        <source>to {n}</source>
        <extracomment>sentences</extracomment>
        <translation>bis {n}</translation>
    </message>
    <message>
        <source>data file</source>
        <extracomment>sentences</extracomment>
        <translation>Datendatei</translation>
    </message>
    <message>
        <source>shard</source>
        <extracomment>sentences</extracomment>
        <translation>Shard</translation>
    </message>
    <message>
        <source>an ONNX model</source>
        <extracomment>sentences</extracomment>
        <translation>ein ONNX-Modell</translation>
    </message>
    <message>
        <source>The headers</source>
        <extracomment>sentences</extracomment>
        <translation>Die Header</translation>
    </message>
    <message>
        <source>The operators</source>
        <extracomment>sentences</extracomment>
        <translation>Die Operatoren</translation>
    </message>
    <message>
        <source>an index</source>
        <extracomment>sentences</extracomment>
        <translation>ein Index</translation>
    </message>
    <message>
        <source>points outside it</source>
        <extracomment>sentences</extracomment>
        <translation>zeigt über ihn hinaus</translation>
    </message>
    <message>
        <source>Unpack it with `pruneapp expand {packed} -o {out}`, or with any program for zstd (7-Zip, `zstd -d`), then open what comes out.</source>
        <extracomment>sentences</extracomment>
        <translation>Entpacken Sie sie mit `pruneapp expand {packed} -o {out}` oder einem beliebigen Programm für zstd (7-Zip, `zstd -d`), und öffnen Sie dann das Ergebnis.</translation>
    </message>
    <message>
        <source>Each {height}×{width} block is one kernel</source>
        <extracomment>sentences</extracomment>
        <translation>Jeder Block von {height}×{width} ist ein Kernel</translation>
    </message>
    <message>
        <source>Each {height}×{width} block is one {axes}</source>
        <extracomment>sentences</extracomment>
        <translation>Jeder Block von {height}×{width} ist eins von: {axes}</translation>
    </message>
    <message>
        <source>{axis} × {axis2}</source>
        <extracomment>sentences</extracomment>
        <translation>{axis} × {axis2}</translation>
    </message>
    <message>
        <source>The export is complete, but a file beside it could not be written: {error}</source>
        <extracomment>sentences</extracomment>
        <translation>Der Export ist vollständig, aber eine Datei daneben ließ sich nicht schreiben: {error}</translation>
    </message>
    <message>
        <source>Run {path} to check whether the model still works.</source>
        <extracomment>sentences</extracomment>
        <translation>Führen Sie {path} aus, um zu prüfen, ob das Modell noch funktioniert.</translation>
    </message>
    <message>
        <source>Run {path} to check whether the model still works, after filling in the function that builds the model.</source>
        <extracomment>sentences</extracomment>
        <translation>Ergänzen Sie die Funktion, die das Modell baut, und führen Sie dann {path} aus, um zu prüfen, ob das Modell noch funktioniert.</translation>
    </message>
    <message>
        <source>The report is {path}.</source>
        <extracomment>sentences</extracomment>
        <translation>Der Bericht ist {path}.</translation>
    </message>
    <message>
        <source>is one of several files of the opened model, and one file cannot replace them all.</source>
        <extracomment>sentences</extracomment>
        <translation>ist eine von mehreren Dateien des geöffneten Modells, und eine Datei kann nicht alle ersetzen.</translation>
    </message>
    <message>
        <source>&apos;{where}&apos;, at {words}: {what}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos;, bei {words}: {what}.</translation>
    </message>
    <message>
        <source>&apos;{where}&apos;: {what}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{where}&apos;: {what}.</translation>
    </message>
    <message>
        <source>keys</source>
        <extracomment>sentences</extracomment>
        <translation>Schlüssel</translation>
    </message>
    <message>
        <source>an id</source>
        <extracomment>sentences</extracomment>
        <translation>eine ID</translation>
    </message>
    <message>
        <source>{types} of at least {n}</source>
        <extracomment>sentences</extracomment>
        <translation>{types} ab {n}</translation>
    </message>
    <message>
        <source>{types} of at most {n}</source>
        <extracomment>sentences</extracomment>
        <translation>{types} bis {n}</translation>
    </message>
    <message>
        <source>{types} with {n} item</source>
        <extracomment>sentences</extracomment>
        <translation>{types} mit {n} Element</translation>
    </message>
    <message>
        <source>{types} with {n} items</source>
        <extracomment>sentences</extracomment>
        <translation>{types} mit {n} Elementen</translation>
    </message>
    <message>
        <source>{types} with at least {n} item</source>
        <extracomment>sentences</extracomment>
        <translation>{types} mit mindestens {n} Element</translation>
    </message>
    <message>
        <source>invalid enum value &apos;{value}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>ungültiger Aufzählungswert &apos;{value}&apos;</translation>
    </message>
    <message>
        <source>{types} with at least {n} items</source>
        <extracomment>sentences</extracomment>
        <translation>{types} mit mindestens {n} Elementen</translation>
    </message>
    <message>
        <source>{types} with at most {n} items</source>
        <extracomment>sentences</extracomment>
        <translation>{types} mit höchstens {n} Elementen</translation>
    </message>
    <message>
        <source>unit of &apos;{name}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>Einheit von &apos;{name}&apos;</translation>
    </message>
    <message>
        <source>units of &apos;{name}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>Einheiten von &apos;{name}&apos;</translation>
    </message>
    <message>
        <source>{format}, {n} shard</source>
        <extracomment>sentences</extracomment>
        <translation>{format}, {n} Shard</translation>
    </message>
    <message>
        <source>{format}, {n} shards</source>
        <extracomment>sentences</extracomment>
        <translation>{format}, {n} Shards</translation>
    </message>
    <message>
        <source>compact file of Pruneapp</source>
        <extracomment>sentences</extracomment>
        <translation>kompakte Datei von Pruneapp</translation>
    </message>
    <message>
        <source>PyTorch before 1.6</source>
        <extracomment>sentences</extracomment>
        <translation>PyTorch vor 1.6</translation>
    </message>
    <message>
        <source>the unpruned model</source>
        <extracomment>sentences</extracomment>
        <translation>dem ungeprunten Modell</translation>
    </message>
    <message>
        <source>unpruned model</source>
        <extracomment>sentences</extracomment>
        <translation>ungepruntes Modell</translation>
    </message>
    <message>
        <source>folder with zeros</source>
        <extracomment>sentences</extracomment>
        <translation>Ordner mit Nullen</translation>
    </message>
    <message>
        <source>{name} ({note})</source>
        <extracomment>sentences</extracomment>
        <translation>{name} ({note})</translation>
    </message>
    <message>
        <source>{name} ({note}), {rest}</source>
        <extracomment>sentences</extracomment>
        <translation>{name} ({note}), {rest}</translation>
    </message>
    <message>
        <source>{name}: {why}</source>
        <extracomment>sentences</extracomment>
        <translation>{name}: {why}</translation>
    </message>
    <message>
        <source>{name}: {why}; {rest}</source>
        <extracomment>sentences</extracomment>
        <translation>{name}: {why}; {rest}</translation>
    </message>
    <message>
        <source>{value} for the unpruned model</source>
        <extracomment>sentences</extracomment>
        <translation>{value} (beim ungeprunten Modell)</translation>
    </message>
    <message>
        <source>{size} are free</source>
        <extracomment>sentences</extracomment>
        <translation>es sind nur {size} frei</translation>
    </message>
    <message>
        <source>the system says: {error}</source>
        <extracomment>sentences</extracomment>
        <translation>das System meldet „{error}“</translation>
    </message>
    <message>
        <source>A compressed torch file</source>
        <extracomment>sentences</extracomment>
        <translation>eine komprimierte torch-Datei</translation>
    </message>
    <message>
        <source>A torch file with sparse tensors</source>
        <extracomment>sentences</extracomment>
        <translation>eine torch-Datei mit dünnbesetzten Tensoren</translation>
    </message>
    <message>
        <source>transformers would map it into memory, which is not possible</source>
        <extracomment>sentences</extracomment>
        <translation>transformers würde sie in den Speicher abbilden, was nicht möglich ist</translation>
    </message>
    <message>
        <source>transformers, which opens such files, does not load them</source>
        <extracomment>sentences</extracomment>
        <translation>transformers, das solche Dateien öffnet, lädt sie nicht</translation>
    </message>
    <message>
        <source>{label} {rate} GB/s</source>
        <extracomment>sentences</extracomment>
        <translation>{label} ({rate} GB/s)</translation>
    </message>
    <message>
        <source>{label} {rate} GB/s, slow: {words}</source>
        <extracomment>sentences</extracomment>
        <translation>{label} ({rate} GB/s, langsam: {words})</translation>
    </message>
    <message>
        <source>Cutting</source>
        <extracomment>sentences</extracomment>
        <translation>Wird geprunt</translation>
    </message>
    <message>
        <source>Comparing</source>
        <extracomment>sentences</extracomment>
        <translation>Wird verglichen</translation>
    </message>
    <message>
        <source>Checking</source>
        <extracomment>sentences</extracomment>
        <translation>Wird geprüft</translation>
    </message>
    <message>
        <source>Measuring</source>
        <extracomment>sentences</extracomment>
        <translation>Wird gemessen</translation>
    </message>
    <message>
        <source>Checksums</source>
        <extracomment>sentences</extracomment>
        <translation>Prüfsummen</translation>
    </message>
    <message>
        <source>a Gram matrix</source>
        <extracomment>sentences</extracomment>
        <translation>eine Gram-Matrix</translation>
    </message>
    <message>
        <source>GPTQ or AWQ</source>
        <extracomment>sentences</extracomment>
        <translation>GPTQ oder AWQ</translation>
    </message>
    <message>
        <source>it is a mask</source>
        <extracomment>sentences</extracomment>
        <translation>es ist eine Maske</translation>
    </message>
    <message>
        <source>{name}: &apos;{type}&apos; is in another family already</source>
        <extracomment>sentences</extracomment>
        <translation>{name}: &apos;{type}&apos; gehört schon zu einer anderen Familie</translation>
    </message>
    <message>
        <source>the scratch file of the history is closed</source>
        <extracomment>sentences</extracomment>
        <translation>die Arbeitsdatei des Verlaufs ist geschlossen</translation>
    </message>
    <message>
        <source>the scratch file of the history is cut short</source>
        <extracomment>sentences</extracomment>
        <translation>die Arbeitsdatei des Verlaufs ist abgeschnitten</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has the length &apos;{text}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; hat die Länge &apos;{text}&apos;</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; has the offset &apos;{text}&apos;</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{name}&apos; hat den Offset &apos;{text}&apos;</translation>
    </message>
    <message>
        <source>{type} computes the size of a head as {words}, so heads cannot go.</source>
        <extracomment>sentences</extracomment>
        <translation>{type} berechnet die Größe eines Heads als {words}, daher lassen sich keine Heads entfernen.</translation>
    </message>
    <message>
        <source>{type} has one group of keys and values, and computes the size of a head as {words}.</source>
        <extracomment>sentences</extracomment>
        <translation>{type} hat nur eine Gruppe von Keys und Values und berechnet die Größe eines Heads als {words}.</translation>
    </message>
    <message>
        <source>{type} has norms over all heads together: a cut changes their mean.</source>
        <extracomment>sentences</extracomment>
        <translation>{type} hat Norms über alle Heads zusammen: Ein Schnitt ändert ihren Mittelwert.</translation>
    </message>
    <message>
        <source>{type} pairs its heads: a model with fewer loads and is wrong.</source>
        <extracomment>sentences</extracomment>
        <translation>{type} verwendet seine Heads paarweise: Ein Modell mit weniger Heads lässt sich laden, rechnet aber falsch.</translation>
    </message>
    <message>
        <source>{type} computes with the number of each layer: a model with fewer loads and is wrong.</source>
        <extracomment>sentences</extracomment>
        <translation>{type} rechnet mit der Nummer jeder Schicht: Ein Modell mit weniger Schichten lässt sich laden, rechnet aber falsch.</translation>
    </message>
    <message>
        <source>{type} has one layer, which it runs several times.</source>
        <extracomment>sentences</extracomment>
        <translation>{type} hat nur eine Schicht, die mehrmals ausgeführt wird.</translation>
    </message>
    <message>
        <source>{type} has stages of several widths, not layers that are all alike.</source>
        <extracomment>sentences</extracomment>
        <translation>{type} hat Stufen verschiedener Breite, keine durchweg gleichen Schichten.</translation>
    </message>
    <message>
        <source>The width of {type}&apos;s feed-forward layers is written in its code as {words}.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Breite der Feed-Forward-Schichten von {type} steht in dessen Code als {words}.</translation>
    </message>
    <message>
        <source>The width of {type}&apos;s feed-forward layers is written in its code as {words}: {name} is not read.</source>
        <extracomment>sentences</extracomment>
        <translation>Die Breite der Feed-Forward-Schichten von {type} steht in dessen Code als {words}: {name} wird nicht gelesen.</translation>
    </message>
    <message>
        <source>no such file or directory</source>
        <extracomment>sentences</extracomment>
        <translation>Datei oder Ordner nicht vorhanden</translation>
    </message>
    <message>
        <source>permission denied</source>
        <extracomment>sentences</extracomment>
        <translation>keine Berechtigung</translation>
    </message>
    <message>
        <source>operation not permitted</source>
        <extracomment>sentences</extracomment>
        <translation>Vorgang nicht erlaubt</translation>
    </message>
    <message>
        <source>no space left on device</source>
        <extracomment>sentences</extracomment>
        <translation>kein Speicherplatz mehr auf dem Datenträger</translation>
    </message>
    <message>
        <source>input/output error</source>
        <extracomment>sentences</extracomment>
        <translation>Ein-/Ausgabefehler</translation>
    </message>
    <message>
        <source>read-only file system</source>
        <extracomment>sentences</extracomment>
        <translation>das Dateisystem ist schreibgeschützt</translation>
    </message>
    <message>
        <source>is a directory</source>
        <extracomment>sentences</extracomment>
        <translation>ist ein Ordner</translation>
    </message>
    <message>
        <source>not a directory</source>
        <extracomment>sentences</extracomment>
        <translation>kein Ordner</translation>
    </message>
    <message>
        <source>file name too long</source>
        <extracomment>sentences</extracomment>
        <translation>der Dateiname ist zu lang</translation>
    </message>
    <message>
        <source>device or resource busy</source>
        <extracomment>sentences</extracomment>
        <translation>Gerät oder Ressource belegt</translation>
    </message>
    <message>
        <source>disk quota exceeded</source>
        <extracomment>sentences</extracomment>
        <translation>Speicherkontingent überschritten</translation>
    </message>
    <message>
        <source>file too large</source>
        <extracomment>sentences</extracomment>
        <translation>die Datei ist zu groß</translation>
    </message>
    <message>
        <source>too many open files</source>
        <extracomment>sentences</extracomment>
        <translation>zu viele offene Dateien</translation>
    </message>
    <message>
        <source>connection timed out</source>
        <extracomment>sentences</extracomment>
        <translation>Zeitüberschreitung der Verbindung</translation>
    </message>
    <message>
        <source>too many levels of symbolic links</source>
        <extracomment>sentences</extracomment>
        <translation>zu viele Ebenen symbolischer Links</translation>
    </message>
    <message>
        <source>cannot allocate memory</source>
        <extracomment>sentences</extracomment>
        <translation>es lässt sich kein Speicher belegen</translation>
    </message>
    <message>
        <source>directory not empty</source>
        <extracomment>sentences</extracomment>
        <translation>der Ordner ist nicht leer</translation>
    </message>
    <message>
        <source>file exists</source>
        <extracomment>sentences</extracomment>
        <translation>die Datei ist schon da</translation>
    </message>
    <message>
        <source>stale file handle</source>
        <extracomment>sentences</extracomment>
        <translation>veraltetes Dateihandle</translation>
    </message>
    <message>
        <source>invalid argument</source>
        <extracomment>sentences</extracomment>
        <translation>ungültiges Argument</translation>
    </message>
    <message>
        <source>connection refused</source>
        <extracomment>sentences</extracomment>
        <translation>Verbindung abgelehnt</translation>
    </message>
    <message>
        <source>resource temporarily unavailable</source>
        <extracomment>sentences</extracomment>
        <translation>Ressource vorübergehend nicht verfügbar</translation>
    </message>
    <message>
        <source>internal server error</source>
        <extracomment>sentences</extracomment>
        <translation>interner Serverfehler</translation>
    </message>
    <message>
        <source>access denied</source>
        <extracomment>sentences</extracomment>
        <translation>Zugriff verweigert</translation>
    </message>
    <message>
        <source>the specified bucket does not exist</source>
        <extracomment>sentences</extracomment>
        <translation>der angegebene Bucket existiert nicht</translation>
    </message>
    <message>
        <source>expecting value</source>
        <extracomment>sentences</extracomment>
        <translation>ein Wert fehlt</translation>
    </message>
    <message>
        <source>extra data</source>
        <extracomment>sentences</extracomment>
        <translation>überzählige Daten</translation>
    </message>
    <message>
        <source>expecting property name enclosed in double quotes</source>
        <extracomment>sentences</extracomment>
        <translation>ein Name in Anführungszeichen fehlt</translation>
    </message>
    <message>
        <source>expecting &apos;,&apos; delimiter</source>
        <extracomment>sentences</extracomment>
        <translation>das Trennzeichen &apos;,&apos; fehlt</translation>
    </message>
    <message>
        <source>expecting &apos;:&apos; delimiter</source>
        <extracomment>sentences</extracomment>
        <translation>das Trennzeichen &apos;:&apos; fehlt</translation>
    </message>
    <message>
        <source>unterminated string starting</source>
        <extracomment>sentences</extracomment>
        <translation>nicht beendeter Text, der beginnt</translation>
    </message>
    <message>
        <source>invalid control character</source>
        <extracomment>sentences</extracomment>
        <translation>ungültiges Steuerzeichen</translation>
    </message>
    <message>
        <source>invalid \uxxxx escape</source>
        <extracomment>sentences</extracomment>
        <translation>ungültige Escape-Folge \uxxxx</translation>
    </message>
    <message>
        <source>Opened</source>
        <extracomment>steps</extracomment>
        <translation>Geöffnet</translation>
    </message>
    <message>
        <source>{step}, {step2}</source>
        <extracomment>steps</extracomment>
        <translation>{step}, {step2}</translation>
    </message>
    <message>
        <source>{step}; {step2}</source>
        <extracomment>steps</extracomment>
        <translation>{step}; {step2}</translation>
    </message>
    <message>
        <source>{label}: {value}</source>
        <extracomment>steps</extracomment>
        <translation>{label}: {value}</translation>
    </message>
    <message>
        <source>{step} on {place}</source>
        <extracomment>steps</extracomment>
        <translation>{step} auf {place}</translation>
    </message>
    <message>
        <source>on {place}</source>
        <extracomment>steps</extracomment>
        <translation>auf {place}</translation>
    </message>
    <message>
        <source>{n} tensors of {part}</source>
        <extracomment>steps</extracomment>
        <translation>{n} Tensoren von {part}</translation>
    </message>
    <message>
        <source>{name} and {n} more</source>
        <extracomment>steps</extracomment>
        <translation>{name} und {n} weitere</translation>
    </message>
    <message>
        <source>and {n} more</source>
        <extracomment>steps</extracomment>
        <translation>und {n} weitere</translation>
    </message>
    <message>
        <source>{step} on {n} tensors by {n2} rules</source>
        <extracomment>steps</extracomment>
        <translation>{step} auf {n} Tensoren nach {n2} Regeln</translation>
    </message>
    <message>
        <source>{step} on {n} tensor by {n2} rules</source>
        <extracomment>steps</extracomment>
        <translation>{step} auf {n} Tensor nach {n2} Regeln</translation>
    </message>
    <message>
        <source>on {n} tensors</source>
        <extracomment>steps</extracomment>
        <translation>auf {n} Tensoren</translation>
    </message>
    <message>
        <source>{step} {n} weight</source>
        <extracomment>steps</extracomment>
        <translation>{step} {n} Gewicht</translation>
    </message>
    <message>
        <source>{step} {n} weights</source>
        <extracomment>steps</extracomment>
        <translation>{step} {n} Gewichte</translation>
    </message>
    <message>
        <source>{step} {n} channel</source>
        <extracomment>steps</extracomment>
        <translation>{step} {n} Kanal</translation>
    </message>
    <message>
        <source>{step} {n} channels</source>
        <extracomment>steps</extracomment>
        <translation>{step} {n} Kanäle</translation>
    </message>
    <message>
        <source>{step} {n} block</source>
        <extracomment>steps</extracomment>
        <translation>{step} {n} Block</translation>
    </message>
    <message>
        <source>{step} {n} blocks</source>
        <extracomment>steps</extracomment>
        <translation>{step} {n} Blöcke</translation>
    </message>
    <message>
        <source>with bias and norm</source>
        <extracomment>steps</extracomment>
        <translation>mit Bias und Norm</translation>
    </message>
    <message>
        <source>with bias</source>
        <extracomment>steps</extracomment>
        <translation>mit Bias</translation>
    </message>
    <message>
        <source>with norm</source>
        <extracomment>steps</extracomment>
        <translation>mit Norm</translation>
    </message>
    <message>
        <source>with everything that depends on it</source>
        <extracomment>steps</extracomment>
        <translation>mit allem, was davon abhängt</translation>
    </message>
    <message>
        <source>total {n}</source>
        <extracomment>steps</extracomment>
        <translation>insgesamt {n}</translation>
    </message>
    <message>
        <source>total sparsity {share}</source>
        <extracomment>steps</extracomment>
        <translation>Gesamt-Sparsity {share}</translation>
    </message>
    <message>
        <source>min {share} per tensor</source>
        <extracomment>steps</extracomment>
        <translation>min. {share} je Tensor</translation>
    </message>
    <message>
        <source>max {share} per tensor</source>
        <extracomment>steps</extracomment>
        <translation>max. {share} je Tensor</translation>
    </message>
    <message>
        <source>excluding {words}</source>
        <extracomment>steps</extracomment>
        <translation>ohne {words}</translation>
    </message>
    <message>
        <source>embeddings</source>
        <extracomment>steps</extracomment>
        <translation>Embeddings</translation>
    </message>
    <message>
        <source>the first layer</source>
        <extracomment>steps</extracomment>
        <translation>erste Schicht</translation>
    </message>
    <message>
        <source>the last layer</source>
        <extracomment>steps</extracomment>
        <translation>letzte Schicht</translation>
    </message>
    <message>
        <source>{word} and {word2}</source>
        <extracomment>steps</extracomment>
        <translation>{word} und {word2}</translation>
    </message>
    <message>
        <source>Rule {n}: {step}</source>
        <extracomment>steps</extracomment>
        <translation>Regel {n}: {step}</translation>
    </message>
    <message>
        <source>Pattern: {pattern}</source>
        <extracomment>steps</extracomment>
        <translation>Muster: {pattern}</translation>
    </message>
    <message>
        <source>Scope: global</source>
        <extracomment>steps</extracomment>
        <translation>Bereich: global</translation>
    </message>
    <message>
        <source>Scope: per tensor</source>
        <extracomment>steps</extracomment>
        <translation>Bereich: je Tensor</translation>
    </message>
    <message>
        <source>Limits: {limits}</source>
        <extracomment>steps</extracomment>
        <translation>Grenzen: {limits}</translation>
    </message>
    <message>
        <source>Matching bias and norm entries: pruned</source>
        <extracomment>steps</extracomment>
        <translation>Zugehörige Einträge in Bias und Norm: geprunt</translation>
    </message>
    <message>
        <source>Everything that depends on it: pruned</source>
        <extracomment>steps</extracomment>
        <translation>Alles, was davon abhängt: geprunt</translation>
    </message>
    <message>
        <source>Recipe version 1: rules are applied in order, on top of each other</source>
        <extracomment>steps</extracomment>
        <translation>Rezept Version 1: Regeln werden der Reihe nach aufeinander angewendet</translation>
    </message>
    <message>
        <source>Recipe version 1: first and last layer by the order of the file</source>
        <extracomment>steps</extracomment>
        <translation>Rezept Version 1: erste und letzte Schicht nach der Reihenfolge der Datei</translation>
    </message>
    <message>
        <source>L1 per row {much}</source>
        <extracomment>steps</extracomment>
        <translation>L1 je Zeile {much}</translation>
    </message>
    <message>
        <source>Normalized L1 {much}</source>
        <extracomment>steps</extracomment>
        <translation>Normiertes L1 {much}</translation>
    </message>
    <message>
        <source>Relative importance {much}</source>
        <extracomment>steps</extracomment>
        <translation>Relative Wichtigkeit {much}</translation>
    </message>
    <message>
        <source>Swaps {much}</source>
        <extracomment>steps</extracomment>
        <translation>Vertauschen {much}</translation>
    </message>
    <message>
        <source>Random {much}</source>
        <extracomment>steps</extracomment>
        <translation>Zufällig {much}</translation>
    </message>
    <message>
        <source>BatchNorm scale {much}</source>
        <extracomment>steps</extracomment>
        <translation>BatchNorm-Skala {much}</translation>
    </message>
    <message>
        <source>Wanda N:M {much}</source>
        <extracomment>steps</extracomment>
        <translation>Wanda N:M {much}</translation>
    </message>
    <message>
        <source>Swaps N:M {much}</source>
        <extracomment>steps</extracomment>
        <translation>Vertauschen N:M {much}</translation>
    </message>
    <message>
        <source>Blocks {much}</source>
        <extracomment>steps</extracomment>
        <translation>Blöcke {much}</translation>
    </message>
    <message>
        <source>FFN neurons {much}</source>
        <extracomment>steps</extracomment>
        <translation>FFN-Neuronen {much}</translation>
    </message>
    <message>
        <source>Attention heads {much}</source>
        <extracomment>steps</extracomment>
        <translation>Attention-Heads {much}</translation>
    </message>
    <message>
        <source>Layers {much}</source>
        <extracomment>steps</extracomment>
        <translation>Schichten {much}</translation>
    </message>
    <message>
        <source>Channel groups {much}</source>
        <extracomment>steps</extracomment>
        <translation>Kanalgruppen {much}</translation>
    </message>
    <message>
        <source>Custom mask from file</source>
        <extracomment>steps</extracomment>
        <translation>Eigene Maske aus Datei</translation>
    </message>
    <message>
        <source>Identity</source>
        <extracomment>steps</extracomment>
        <translation>Identität</translation>
    </message>
    <message>
        <source>Frobenius {much}</source>
        <extracomment>steps</extracomment>
        <translation>Frobenius {much}</translation>
    </message>
    <message>
        <source>Nuclear norm {much}</source>
        <extracomment>steps</extracomment>
        <translation>Nukleare Norm {much}</translation>
    </message>
    <message>
        <source>N:M semi-structured</source>
        <extracomment>steps</extracomment>
        <translation>N:M semistrukturiert</translation>
    </message>
    <message>
        <source>L1 per row</source>
        <extracomment>steps</extracomment>
        <translation>L1 je Zeile</translation>
    </message>
    <message>
        <source>Normalized L1</source>
        <extracomment>steps</extracomment>
        <translation>Normiertes L1</translation>
    </message>
    <message>
        <source>Swaps</source>
        <extracomment>steps</extracomment>
        <translation>Vertauschen</translation>
    </message>
    <message>
        <source>Relative importance</source>
        <extracomment>steps</extracomment>
        <translation>Relative Wichtigkeit</translation>
    </message>
    <message>
        <source>Random</source>
        <extracomment>steps</extracomment>
        <translation>Zufällig</translation>
    </message>
    <message>
        <source>BatchNorm scale</source>
        <extracomment>steps</extracomment>
        <translation>BatchNorm-Skala</translation>
    </message>
    <message>
        <source>Blocks</source>
        <extracomment>steps</extracomment>
        <translation>Blöcke</translation>
    </message>
    <message>
        <source>FFN neurons</source>
        <extracomment>steps</extracomment>
        <translation>FFN-Neuronen</translation>
    </message>
    <message>
        <source>Layers</source>
        <extracomment>steps</extracomment>
        <translation>Schichten</translation>
    </message>
    <message>
        <source>Attention heads</source>
        <extracomment>steps</extracomment>
        <translation>Attention-Heads</translation>
    </message>
    <message>
        <source>Channel groups</source>
        <extracomment>steps</extracomment>
        <translation>Kanalgruppen</translation>
    </message>
    <message>
        <source>Frobenius</source>
        <extracomment>steps</extracomment>
        <translation>Frobenius</translation>
    </message>
    <message>
        <source>Nuclear norm</source>
        <extracomment>steps</extracomment>
        <translation>Nukleare Norm</translation>
    </message>
    <message>
        <source>divide by {value}</source>
        <extracomment>steps</extracomment>
        <translation>geteilt durch {value}</translation>
    </message>
    <message>
        <source>exchanges {value}</source>
        <extracomment>steps</extracomment>
        <translation>Vertauschungen {value}</translation>
    </message>
    <message>
        <source>outlier threshold {value}</source>
        <extracomment>steps</extracomment>
        <translation>Ausreißerschwelle {value}</translation>
    </message>
    <message>
        <source>spread {value}</source>
        <extracomment>steps</extracomment>
        <translation>Streuung {value}</translation>
    </message>
    <message>
        <source>variant {value}</source>
        <extracomment>steps</extracomment>
        <translation>Variante {value}</translation>
    </message>
    <message>
        <source>measure {value}</source>
        <extracomment>steps</extracomment>
        <translation>Maß {value}</translation>
    </message>
    <message>
        <source>rank by {value}</source>
        <extracomment>steps</extracomment>
        <translation>Rang nach {value}</translation>
    </message>
    <message>
        <source>multiple {value}</source>
        <extracomment>steps</extracomment>
        <translation>Vielfaches {value}</translation>
    </message>
    <message>
        <source>{what} of {place} pruned</source>
        <extracomment>steps</extracomment>
        <translation>{what} von {place} geprunt</translation>
    </message>
    <message>
        <source>{what} of {place} restored</source>
        <extracomment>steps</extracomment>
        <translation>{what} von {place} wiederhergestellt</translation>
    </message>
    <message>
        <source>{what} of {place} protected</source>
        <extracomment>steps</extracomment>
        <translation>{what} von {place} geschützt</translation>
    </message>
    <message>
        <source>{what} of {place} no longer protected</source>
        <extracomment>steps</extracomment>
        <translation>{what} von {place} nicht mehr geschützt</translation>
    </message>
    <message>
        <source>{what} of {place} pruned in {n} tensors</source>
        <extracomment>steps</extracomment>
        <translation>{what} von {place} geprunt in {n} Tensoren</translation>
    </message>
    <message>
        <source>{what} of {place} restored in {n} tensors</source>
        <extracomment>steps</extracomment>
        <translation>{what} von {place} wiederhergestellt in {n} Tensoren</translation>
    </message>
    <message>
        <source>{what} of {place} protected in {n} tensors</source>
        <extracomment>steps</extracomment>
        <translation>{what} von {place} geschützt in {n} Tensoren</translation>
    </message>
    <message>
        <source>{what} of {place} no longer protected in {n} tensors</source>
        <extracomment>steps</extracomment>
        <translation>{what} von {place} nicht mehr geschützt in {n} Tensoren</translation>
    </message>
    <message>
        <source>{n} channel</source>
        <extracomment>sentences
----------
steps</extracomment>
        <translation>{n} Kanal</translation>
    </message>
    <message>
        <source>{n} channels</source>
        <extracomment>sentences
----------
steps</extracomment>
        <translation>{n} Kanäle</translation>
    </message>
    <message>
        <source>{quoted_names} {are} left out: the export asks first.</source>
        <extracomment>sentences</extracomment>
        <translation>{quoted_names} {are} weggelassen: Der Export fragt vorher.</translation>
    </message>
    <message>
        <source>the container cannot be kept because {quoted_names} would be pruned</source>
        <extracomment>sentences</extracomment>
        <translation>der Container kann nicht behalten werden, weil geprunt würde: {quoted_names}</translation>
    </message>
    <message>
        <source>Uncheck {these}, or leave out {quoted_names} with --omit NAME.</source>
        <extracomment>sentences</extracomment>
        <translation>Kreuzen Sie {these} nicht an, oder lassen Sie {quoted_names} mit --omit NAME weg.</translation>
    </message>
    <message>
        <source>as long as you do not prune {quoted_names}</source>
        <extracomment>sentences</extracomment>
        <translation>, solange Sie {quoted_names} nicht prunen</translation>
    </message>
    <message>
        <source>{quoted_names} {were} not read, and {were2} written unchanged.</source>
        <extracomment>sentences</extracomment>
        <translation>{quoted_names} {were} nicht gelesen, sondern so geschrieben, wie es in der Datei stand.</translation>
    </message>
    <message>
        <source>Changed as well: &apos;{show}&apos;, which shares the numbers of {shown}.</source>
        <extracomment>sentences</extracomment>
        <translation>Ebenfalls geändert: &apos;{show}&apos;, das die Zahlen mit {shown} teilt.</translation>
    </message>
    <message>
        <source>{quoted_names} {were} left out, as asked: {why}.</source>
        <extracomment>sentences</extracomment>
        <translation>{quoted_names} {were} wie verlangt weggelassen: {why}.</translation>
    </message>
    <message>
        <source>&apos;{show}&apos;, a {what}, was written as the plain tensors that it is made of: {quoted_names}.</source>
        <extracomment>sentences</extracomment>
        <translation>&apos;{show}&apos; ({what}) wurde als die einfachen Tensoren geschrieben, aus denen es besteht: {quoted_names}.</translation>
    </message>
    <message>
        <source>{n} column</source>
        <extracomment>steps</extracomment>
        <translation>{n} Spalte</translation>
    </message>
    <message>
        <source>{n} columns</source>
        <extracomment>steps</extracomment>
        <translation>{n} Spalten</translation>
    </message>
    <message>
        <source>channel {n}</source>
        <extracomment>steps</extracomment>
        <translation>Kanal {n}</translation>
    </message>
    <message>
        <source>row {n}</source>
        <extracomment>steps</extracomment>
        <translation>Zeile {n}</translation>
    </message>
    <message>
        <source>column {n}</source>
        <extracomment>steps</extracomment>
        <translation>Spalte {n}</translation>
    </message>
    <message>
        <source>channel {n} along dim {n2}</source>
        <extracomment>steps</extracomment>
        <translation>Kanal {n} entlang Dim. {n2}</translation>
    </message>
    <message>
        <source>{n} channels along dim {n2}</source>
        <extracomment>steps</extracomment>
        <translation>{n} Kanäle entlang Dim. {n2}</translation>
    </message>
    <message>
        <source>still 0</source>
        <extracomment>steps</extracomment>
        <translation>weiterhin 0</translation>
    </message>
    <message>
        <source>{n} neuron</source>
        <extracomment>steps</extracomment>
        <translation>{n} Neuron</translation>
    </message>
    <message>
        <source>{n} neurons</source>
        <extracomment>steps</extracomment>
        <translation>{n} Neuronen</translation>
    </message>
    <message>
        <source>{n} query head</source>
        <extracomment>steps</extracomment>
        <translation>{n} Query-Head</translation>
    </message>
    <message>
        <source>{n} query heads</source>
        <extracomment>steps</extracomment>
        <translation>{n} Query-Heads</translation>
    </message>
    <message>
        <source>{n} key/value head</source>
        <extracomment>steps</extracomment>
        <translation>{n} Key/Value-Head</translation>
    </message>
    <message>
        <source>{n} key/value heads</source>
        <extracomment>steps</extracomment>
        <translation>{n} Key/Value-Heads</translation>
    </message>
    <message>
        <source>{n} attention head</source>
        <extracomment>steps</extracomment>
        <translation>{n} Attention-Head</translation>
    </message>
    <message>
        <source>{n} attention heads</source>
        <extracomment>steps</extracomment>
        <translation>{n} Attention-Heads</translation>
    </message>
    <message>
        <source>{n} expert</source>
        <extracomment>steps</extracomment>
        <translation>{n} Experte</translation>
    </message>
    <message>
        <source>{n} experts</source>
        <extracomment>steps</extracomment>
        <translation>{n} Experten</translation>
    </message>
    <message>
        <source>{n} FFN neuron</source>
        <extracomment>steps</extracomment>
        <translation>{n} FFN-Neuron</translation>
    </message>
    <message>
        <source>{n} FFN neurons</source>
        <extracomment>steps</extracomment>
        <translation>{n} FFN-Neuronen</translation>
    </message>
    <message>
        <source>{n} weight pruned</source>
        <extracomment>steps</extracomment>
        <translation>{n} Gewicht geprunt</translation>
    </message>
    <message>
        <source>{n} weights pruned</source>
        <extracomment>steps</extracomment>
        <translation>{n} Gewichte geprunt</translation>
    </message>
    <message>
        <source>{n} weight restored</source>
        <extracomment>steps</extracomment>
        <translation>{n} Gewicht wiederhergestellt</translation>
    </message>
    <message>
        <source>{n} weights restored</source>
        <extracomment>steps</extracomment>
        <translation>{n} Gewichte wiederhergestellt</translation>
    </message>
    <message>
        <source>{n} weight protected</source>
        <extracomment>steps</extracomment>
        <translation>{n} Gewicht geschützt</translation>
    </message>
    <message>
        <source>{n} weights protected</source>
        <extracomment>steps</extracomment>
        <translation>{n} Gewichte geschützt</translation>
    </message>
    <message>
        <source>{n} weight no longer protected</source>
        <extracomment>steps</extracomment>
        <translation>{n} Gewicht nicht mehr geschützt</translation>
    </message>
    <message>
        <source>{n} weights no longer protected</source>
        <extracomment>steps</extracomment>
        <translation>{n} Gewichte nicht mehr geschützt</translation>
    </message>
    <message>
        <source>{n} protected weight left as they are</source>
        <extracomment>steps</extracomment>
        <translation>{n} geschütztes Gewicht unverändert</translation>
    </message>
    <message>
        <source>{n} protected weights left as they are</source>
        <extracomment>steps</extracomment>
        <translation>{n} geschützte Gewichte unverändert</translation>
    </message>
    <message>
        <source>{n} of them still 0: made permanent earlier, which only undo reverts</source>
        <extracomment>steps</extracomment>
        <translation>davon {n} weiterhin 0: früher endgültig gemacht, was sich nur rückgängig machen lässt</translation>
    </message>
    <message>
        <source>all of them still 0: made permanent earlier, which only undo reverts</source>
        <extracomment>steps</extracomment>
        <translation>alle davon weiterhin 0: früher endgültig gemacht, was sich nur rückgängig machen lässt</translation>
    </message>
    <message>
        <source>Zeros of the file treated as pruned</source>
        <extracomment>steps</extracomment>
        <translation>Nullen der Datei als geprunt behandelt</translation>
    </message>
    <message>
        <source>Mask found in the file</source>
        <extracomment>steps</extracomment>
        <translation>Maske in der Datei gefunden</translation>
    </message>
    <message>
        <source>Made permanent</source>
        <extracomment>steps</extracomment>
        <translation>Endgültig gemacht</translation>
    </message>
    <message>
        <source>{n} zero in {n2} tensor</source>
        <extracomment>steps</extracomment>
        <translation>{n} Null in {n2} Tensor</translation>
    </message>
    <message>
        <source>{n} zeros in {n2} tensor</source>
        <extracomment>steps</extracomment>
        <translation>{n} Nullen in {n2} Tensor</translation>
    </message>
    <message>
        <source>{n} zeros in {n2} tensors</source>
        <extracomment>steps</extracomment>
        <translation>{n} Nullen in {n2} Tensoren</translation>
    </message>
    <message>
        <source>Made permanent: {what}</source>
        <extracomment>steps</extracomment>
        <translation>Endgültig gemacht: {what}</translation>
    </message>
    <message>
        <source>{n} weight pruned in {n2} tensor</source>
        <extracomment>steps</extracomment>
        <translation>{n} Gewicht in {n2} Tensor geprunt</translation>
    </message>
    <message>
        <source>{n} weights pruned in {n2} tensor</source>
        <extracomment>steps</extracomment>
        <translation>{n} Gewichte in {n2} Tensor geprunt</translation>
    </message>
    <message>
        <source>{n} weights pruned in {n2} tensors</source>
        <extracomment>steps</extracomment>
        <translation>{n} Gewichte in {n2} Tensoren geprunt</translation>
    </message>
    <message>
        <source>Bias and norm of {n} pruned channel pruned</source>
        <extracomment>steps</extracomment>
        <translation>Bias und Norm von {n} geprunten Kanal geprunt</translation>
    </message>
    <message>
        <source>Bias and norm of {n} pruned channels pruned</source>
        <extracomment>steps</extracomment>
        <translation>Bias und Norm von {n} geprunten Kanälen geprunt</translation>
    </message>
    <message>
        <source>Masks combined with {title} (pruned in both)</source>
        <extracomment>steps</extracomment>
        <translation>Masken mit {title} kombiniert (in beiden geprunt)</translation>
    </message>
    <message>
        <source>Masks combined with {title} (pruned in either)</source>
        <extracomment>steps</extracomment>
        <translation>Masken mit {title} kombiniert (in mindestens einer geprunt)</translation>
    </message>
    <message>
        <source>Masks combined with {title} (pruned here, not there)</source>
        <extracomment>steps</extracomment>
        <translation>Masken mit {title} kombiniert (hier geprunt, dort nicht)</translation>
    </message>
    <message>
        <source>Repair of {what}</source>
        <extracomment>steps</extracomment>
        <translation>Reparatur von {what}</translation>
    </message>
    <message>
        <source>Recovery of {what}</source>
        <extracomment>steps</extracomment>
        <translation>Nachtraining von {what}</translation>
    </message>
    <message>
        <source>Training of {what}</source>
        <extracomment>steps</extracomment>
        <translation>Training von {what}</translation>
    </message>
    <message>
        <source>recovered after each round</source>
        <extracomment>steps</extracomment>
        <translation>nach jeder Runde nachtrainiert</translation>
    </message>
    <message>
        <source>trained after each round</source>
        <extracomment>steps</extracomment>
        <translation>nach jeder Runde trainiert</translation>
    </message>
    <message>
        <source>measured after each round</source>
        <extracomment>steps</extracomment>
        <translation>nach jeder Runde gemessen</translation>
    </message>
    <message>
        <source>Sequential repair of {what}</source>
        <extracomment>steps</extracomment>
        <translation>Sequentielle Reparatur von {what}</translation>
    </message>
    <message>
        <source>New values in {n} tensor</source>
        <extracomment>steps</extracomment>
        <translation>Neue Werte in {n} Tensor</translation>
    </message>
    <message>
        <source>New values in {n} tensors</source>
        <extracomment>steps</extracomment>
        <translation>Neue Werte in {n} Tensoren</translation>
    </message>
    <message>
        <source>{n} weight moved</source>
        <extracomment>steps</extracomment>
        <translation>{n} Gewicht geändert</translation>
    </message>
    <message>
        <source>{n} weights moved</source>
        <extracomment>steps</extracomment>
        <translation>{n} Gewichte geändert</translation>
    </message>
    <message>
        <source>{name}: error of the outputs {before} before, {after} after</source>
        <extracomment>steps</extracomment>
        <translation>{name}: Fehler der Ausgaben vorher {before}, nachher {after}</translation>
    </message>
    <message>
        <source>{n} of {n2} weight pruned</source>
        <extracomment>steps</extracomment>
        <translation>{n} von {n2} Gewicht geprunt</translation>
    </message>
    <message>
        <source>{n} of {n2} weights pruned</source>
        <extracomment>steps</extracomment>
        <translation>{n} von {n2} Gewichten geprunt</translation>
    </message>
    <message>
        <source>{n} block</source>
        <extracomment>steps</extracomment>
        <translation>{n} Block</translation>
    </message>
    <message>
        <source>{n} blocks</source>
        <extracomment>steps</extracomment>
        <translation>{n} Blöcke</translation>
    </message>
    <message>
        <source>{step} on {n} tensor ({pattern})</source>
        <extracomment>steps</extracomment>
        <translation>{step} auf {n} Tensor ({pattern})</translation>
    </message>
    <message>
        <source>{step} on {n} tensors ({pattern})</source>
        <extracomment>steps</extracomment>
        <translation>{step} auf {n} Tensoren ({pattern})</translation>
    </message>
    <message>
        <source>block {value}</source>
        <extracomment>steps</extracomment>
        <translation>Block {value}</translation>
    </message>
    <message>
        <source>seed {n}</source>
        <extracomment>steps</extracomment>
        <translation>Seed {n}</translation>
    </message>
    <message>
        <source>dim {n}</source>
        <extracomment>steps</extracomment>
        <translation>Dim. {n}</translation>
    </message>
    <message>
        <source>{n} of {n2} remaining weight pruned</source>
        <extracomment>steps</extracomment>
        <translation>{n} von {n2} verbleibendem Gewicht geprunt</translation>
    </message>
    <message>
        <source>{n} of {n2} remaining weights pruned</source>
        <extracomment>steps</extracomment>
        <translation>{n} von {n2} verbleibenden Gewichten geprunt</translation>
    </message>
    <message>
        <source>▲ {sentence}</source>
        <extracomment>steps</extracomment>
        <translation>▲ {sentence}</translation>
    </message>
    <message>
        <source>{n} protected weight left as it is</source>
        <extracomment>steps</extracomment>
        <translation>{n} geschütztes Gewicht unverändert</translation>
    </message>
    <message>
        <source>{step} on {n} tensor</source>
        <extracomment>steps</extracomment>
        <translation>{step} auf {n} Tensor</translation>
    </message>
    <message>
        <source>{step} on {n} tensors</source>
        <extracomment>steps</extracomment>
        <translation>{step} auf {n} Tensoren</translation>
    </message>
</context>
<context>
    <name>SessionController</name>
    <message>
        <source>The history of closed files is not kept, as chosen in the settings.</source>
        <translation>Der Verlauf geschlossener Dateien wird nicht behalten, wie in den Einstellungen gewählt.</translation>
    </message>
    <message>
        <source>The history cannot be written to the disk ({why}).</source>
        <translation>Der Verlauf kann nicht auf die Festplatte geschrieben werden ({why}).</translation>
    </message>
    <message>
        <source>The history is too large to be kept: {size} of at most {most}.</source>
        <translation>Der Verlauf ist zu groß, um behalten zu werden: {size} von höchstens {most}.</translation>
    </message>
    <message>
        <source>Save session</source>
        <translation>Sitzung speichern</translation>
    </message>
    <message>
        <source>Sessions ({patterns})</source>
        <translation>Sitzungen ({patterns})</translation>
    </message>
    <message>
        <source>Saving session</source>
        <translation>Sitzung wird gespeichert</translation>
    </message>
    <message>
        <source>Saved {name}, {size}</source>
        <translation>{name} gespeichert, {size}</translation>
    </message>
    <message>
        <source>Restored the history of this file.</source>
        <translation>Der Verlauf dieser Datei wurde wiederhergestellt.</translation>
    </message>
    <message>
        <source>Restored 1 step from when this file was closed.</source>
        <translation>1 Schritt vom Schließen dieser Datei wurde wiederhergestellt.</translation>
    </message>
    <message>
        <source>Restored {n} steps from when this file was closed.</source>
        <translation>{n} Schritte vom Schließen dieser Datei wurden wiederhergestellt.</translation>
    </message>
    <message>
        <source>The history has {n} more, undone or on other branches.</source>
        <translation>Der Verlauf hat {n} weitere, rückgängig gemacht oder auf anderen Zweigen.</translation>
    </message>
    <message>
        <source>Start from the file as it is</source>
        <translation>Mit der Datei beginnen, wie sie ist</translation>
    </message>
    <message>
        <source>The masks of &apos;{name}&apos; can be applied to this file, without the history.</source>
        <translation>Die Masken von „{name}“ lassen sich auf diese Datei anwenden, ohne den Verlauf.</translation>
    </message>
    <message>
        <source>Use masks</source>
        <translation>Masken benutzen</translation>
    </message>
    <message>
        <source>Locate…</source>
        <translation>Suchen…</translation>
    </message>
    <message>
        <source>Locate the checkpoint of &apos;{name}&apos;</source>
        <translation>Den Checkpoint von „{name}“ suchen</translation>
    </message>
</context>
<context>
    <name>SettingsController</name>
    <message>
        <source>The language changes when the window is opened again. Your work is kept.</source>
        <translation>Die Sprache ändert sich, wenn das Fenster neu geöffnet wird. Ihre Arbeit bleibt erhalten.</translation>
    </message>
    <message>
        <source>Open again</source>
        <translation>Neu öffnen</translation>
    </message>
    <message>
        <source>Automatic: {device}</source>
        <translation>Automatisch: {device}</translation>
    </message>
    <message>
        <source>Cluster…</source>
        <translation>Cluster…</translation>
    </message>
    <message>
        <source>Cluster {address}…</source>
        <translation>Cluster {address}…</translation>
    </message>
    <message>
        <source>{setting}: turn off</source>
        <translation>{setting}: ausschalten</translation>
    </message>
    <message>
        <source>{setting}: turn on</source>
        <translation>{setting}: einschalten</translation>
    </message>
    <message>
        <source>Load a pruning method</source>
        <translation>Eine Pruning-Methode laden</translation>
    </message>
    <message>
        <source>Python files (*.py)</source>
        <translation>Python-Dateien (*.py)</translation>
    </message>
    <message>
        <source>Loading method</source>
        <translation>Methode wird geladen</translation>
    </message>
    <message>
        <source>Open the menu {menu}</source>
        <translation>Das Menü {menu} öffnen</translation>
    </message>
</context>
<context>
    <name>ShortcutDialog</name>
    <message>
        <source>Change keyboard shortcuts</source>
        <translation>Tastenkürzel ändern</translation>
    </message>
    <message>
        <source>Search by name</source>
        <translation>Nach Namen suchen</translation>
    </message>
    <message>
        <source>Part of the name of a command</source>
        <translation>Teil des Namens eines Befehls</translation>
    </message>
    <message>
        <source>Search by pressing keys</source>
        <translation>Durch Drücken von Tasten suchen</translation>
    </message>
    <message>
        <source>Commands and shortcuts</source>
        <translation>Befehle und Kürzel</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>Befehl</translation>
    </message>
    <message>
        <source>Shortcut</source>
        <translation>Kürzel</translation>
    </message>
    <message>
        <source>Default</source>
        <translation>Standard</translation>
    </message>
    <message>
        <source>No matches.</source>
        <translation>Keine Treffer.</translation>
    </message>
    <message>
        <source>New shortcut</source>
        <translation>Neues Kürzel</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>Zurücksetzen</translation>
    </message>
    <message>
        <source>Reassign</source>
        <translation>Neu zuweisen</translation>
    </message>
    <message>
        <source>Reset all</source>
        <translation>Alle zurücksetzen</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>or by keys:</source>
        <translation>oder nach Tasten:</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>New shortcut of “{command}”:</source>
        <translation>Neues Kürzel für „{command}“:</translation>
    </message>
    <message>
        <source>{keys} is needed in the window: {what}. Press other keys.</source>
        <translation>{keys} wird im Fenster gebraucht: {what}. Drücken Sie andere Tasten.</translation>
    </message>
    <message>
        <source>{keys} is the shortcut of “{command}”.</source>
        <translation>{keys} ist das Kürzel von „{command}“.</translation>
    </message>
    <message>
        <source>Changed from {before} to {keys}.</source>
        <translation>Von {before} in {keys} geändert.</translation>
    </message>
    <message>
        <source>Changed to {keys}.</source>
        <translation>In {keys} geändert.</translation>
    </message>
    <message>
        <source>{before} removed.</source>
        <translation>{before} entfernt.</translation>
    </message>
    <message>
        <source>In text fields, {keys} types text instead.</source>
        <translation>In Textfeldern gibt {keys} stattdessen Text ein.</translation>
    </message>
    <message>
        <source>In text fields, {keys} edits the text instead.</source>
        <translation>In Textfeldern bearbeitet {keys} stattdessen den Text.</translation>
    </message>
    <message>
        <source>All shortcuts were reset.</source>
        <translation>Alle Kürzel wurden zurückgesetzt.</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
</context>
<context>
    <name>Shrink</name>
    <message>
        <source>✓ computes the same</source>
        <translation>✓ rechnet dasselbe</translation>
    </message>
    <message>
        <source>▲ changes what the model computes</source>
        <translation>▲ ändert, was das Modell rechnet</translation>
    </message>
    <message>
        <source>△ computes the same for these texts</source>
        <translation>△ rechnet für diese Texte dasselbe</translation>
    </message>
    <message>
        <source>The weights alone do not say how much is lost: plan to train, and evaluate the result.</source>
        <translation>Die Gewichte allein sagen nicht, wie viel verloren geht: Planen Sie ein Training ein, und werten Sie das Ergebnis aus.</translation>
    </message>
    <message>
        <source>▲ This cuts more than a third.</source>
        <translation>▲ Das entfernt mehr als ein Drittel.</translation>
    </message>
    <message>
        <source>▲ This cuts more than a third. Without training, Torch-Pruning reports perplexities of 28,358 to 576,501 for language models at 43–50 % of all widths; NVIDIA cuts up to a third and distills afterwards.</source>
        <translation>▲ Das entfernt mehr als ein Drittel. Für Sprachmodelle, die danach nicht trainiert wurden, nennt Torch-Pruning Perplexitäten von 28.358 bis 576.501, wenn 43–50 % aller Breiten entfernt sind; NVIDIA entfernt bis zu einem Drittel und destilliert danach.</translation>
    </message>
    <message>
        <source>The weights alone do not say how much is lost: plan to train, and evaluate the result. NVIDIA cuts up to a third and distills afterwards.</source>
        <translation>Die Gewichte allein sagen nicht, wie viel verloren geht: Planen Sie ein Training ein, und werten Sie das Ergebnis aus. NVIDIA entfernt bis zu einem Drittel und destilliert danach.</translation>
    </message>
    <message>
        <source>Starts Python and builds the model&apos;s class in transformers with these shapes, without weights.</source>
        <translation>Startet Python und baut die Klasse in transformers mit diesen Formen, ohne Gewichte.</translation>
    </message>
    <message>
        <source>Starts Python, temporarily writes the model with zeros beside the folder, and compares the outputs of both in float32. Also says how far they are from those of the model before pruning. Needs memory and disk for both.</source>
        <translation>Startet Python, schreibt das Modell mit Nullen vorübergehend neben den Ordner und vergleicht die Ausgaben beider in float32. Sagt auch, wie weit sie von denen des Modells vor dem Pruning abweichen. Braucht Speicher und Platz für beide.</translation>
    </message>
    <message>
        <source>Always done: what was written is read back, and its tensors are compared with the model.</source>
        <translation>Wird immer ausgeführt: Das Geschriebene wird zurückgelesen, und seine Tensoren werden mit dem Modell verglichen.</translation>
    </message>
</context>
<context>
    <name>ShrinkForecasts</name>
    <message>
        <source>Looking for dead units</source>
        <translation>Tote Einheiten werden gesucht</translation>
    </message>
    <message>
        <source>The search for dead units was cancelled.</source>
        <translation>Die Suche nach toten Einheiten wurde abgebrochen.</translation>
    </message>
</context>
<context>
    <name>ShrinkPage</name>
    <message>
        <source>“Full size” exports it with zeros in place of what is pruned. docs/shrink.md lists the types that can be shrunk.</source>
        <translation>„Volle Größe“ exportiert es mit Nullen statt dessen, was geprunt ist. docs/shrink.md führt die Arten auf, die sich verkleinern lassen.</translation>
    </message>
    <message>
        <source>Looking for dead units…</source>
        <translation>Tote Einheiten werden gesucht…</translation>
    </message>
    <message>
        <source>Looking for dead units</source>
        <translation>Tote Einheiten werden gesucht</translation>
    </message>
    <message>
        <source>Look again</source>
        <translation>Erneut suchen</translation>
    </message>
    <message>
        <source>Rank by</source>
        <translation>Rang nach</translation>
    </message>
    <message>
        <source>The units that rank lowest are cut first: by a norm over all their tensors, or by scores that you computed.</source>
        <translation>Die Einheiten mit dem niedrigsten Rang werden zuerst entfernt: nach einer Norm über alle ihre Tensoren oder nach Werten, die Sie berechnet haben.</translation>
    </message>
    <message>
        <source>L2 norm</source>
        <translation>L2-Norm</translation>
    </message>
    <message>
        <source>L1 norm</source>
        <translation>L1-Norm</translation>
    </message>
    <message>
        <source>Mean magnitude</source>
        <translation>Mittlerer Betrag</translation>
    </message>
    <message>
        <source>Scores…</source>
        <translation>Werte…</translation>
    </message>
    <message>
        <source>Choose a safetensors file with a vector of scores for each group, by the name that pruneapp shrink --list --json gives it; or statistics of activations, which rank by Wanda.</source>
        <translation>Wählen Sie eine safetensors-Datei mit einem Vektor von Werten für jede Gruppe, unter dem Namen, den pruneapp shrink --list --json ihr gibt; oder eine Aktivierungsstatistik, die nach Wanda ordnet.</translation>
    </message>
    <message>
        <source>Multiple</source>
        <translation>Vielfaches</translation>
    </message>
    <message>
        <source>The number of FFN neurons, channels or tokens that stay is rounded up to a multiple of this: some kernels reject other widths, others are slow with them.</source>
        <translation>Die Anzahl der FFN-Neuronen, Kanäle oder Tokens, die bleiben, wird auf ein Vielfaches hiervon aufgerundet: Manche Kernels verweigern andere Breiten, andere sind damit langsam.</translation>
    </message>
    <message>
        <source>Write as another type</source>
        <translation>Als andere Art schreiben</translation>
    </message>
    <message>
        <source>Check</source>
        <translation>Prüfung</translation>
    </message>
    <message>
        <source>The files are always read back and compared with the pruned model. The class can be built or run by a Python that has transformers.</source>
        <translation>Die Dateien werden immer zurückgelesen und mit dem geprunten Modell verglichen. Die Klasse kann von einem Python gebaut oder ausgeführt werden, das transformers hat.</translation>
    </message>
    <message>
        <source>Read back and compare</source>
        <translation>Zurücklesen und vergleichen</translation>
    </message>
    <message>
        <source>Class (meta device)</source>
        <translation>Klasse (Meta-Gerät)</translation>
    </message>
    <message>
        <source>Run and compare outputs</source>
        <translation>Ausführen und Ausgaben vergleichen</translation>
    </message>
    <message>
        <source>In multiples of</source>
        <translation>In Vielfachen von</translation>
    </message>
    <message>
        <source>What is cut</source>
        <translation>Was entfernt wird</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>config.json</source>
        <translation>config.json</translation>
    </message>
    <message>
        <source>Compatible with</source>
        <translation>Kompatibel mit</translation>
    </message>
    <message>
        <source>score in the file</source>
        <translation>Wert in der Datei</translation>
    </message>
    <message>
        <source>Dead units are cut without loss. Sliders and numbers cut more: the units of the lowest {rank} are cut first.</source>
        <translation>Tote Einheiten werden ohne Verlust entfernt. Regler und Zahlen entfernen mehr: zuerst die Einheiten mit dem niedrigsten Rang ({rank}).</translation>
    </message>
    <message>
        <source>Scores of {file}</source>
        <translation>Werte von {file}</translation>
    </message>
    <message>
        <source>File of scores</source>
        <translation>Datei mit Werten</translation>
    </message>
    <message>
        <source>safetensors (*.safetensors)</source>
        <translation>safetensors (*.safetensors)</translation>
    </message>
    <message>
        <source>calculating…</source>
        <translation>wird berechnet…</translation>
    </message>
    <message>
        <source>Units of each group</source>
        <translation>Einheiten jeder Gruppe</translation>
    </message>
    <message>
        <source>Changes of config.json</source>
        <translation>Änderungen an config.json</translation>
    </message>
    <message>
        <source>  nothing changes</source>
        <translation>  nichts ändert sich</translation>
    </message>
    <message>
        <source>Write as &apos;{other}&apos;, which computes the same and takes any number of heads</source>
        <translation>Als „{other}“ schreiben, das dasselbe rechnet und beliebig viele Heads annimmt</translation>
    </message>
    <message>
        <source>nothing is cut yet</source>
        <translation>noch wird nichts entfernt</translation>
    </message>
</context>
<context>
    <name>SideFiles</name>
    <message>
        <source>Comparison script</source>
        <translation>Vergleichsskript</translation>
    </message>
    <message>
        <source>Python script that loads both files into your model and compares the outputs.</source>
        <translation>Python-Skript, das beide Dateien in Ihr Modell lädt und die Ausgaben vergleicht.</translation>
    </message>
    <message>
        <source>Report</source>
        <translation>Bericht</translation>
    </message>
    <message>
        <source>Steps, sparsity and norm² retained per tensor, sizes, checksums.</source>
        <translation>Schritte, Sparsity und erhaltene Norm² je Tensor, Größen, Prüfsummen.</translation>
    </message>
    <message>
        <source>Report format</source>
        <translation>Format des Berichts</translation>
    </message>
    <message>
        <source>File format of the report.</source>
        <translation>Dateiformat des Berichts.</translation>
    </message>
    <message>
        <source>HTML page</source>
        <translation>HTML-Seite</translation>
    </message>
    <message>
        <source>CSV table</source>
        <translation>CSV-Tabelle</translation>
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
        <translation>Metriken von A und B</translation>
    </message>
    <message>
        <source>Differences within the noise count as none. For two pruned states only the most that the noise can be is known, the sum of their noises against the unpruned model: a difference within it is uncertain.</source>
        <translation>Unterschiede innerhalb des Rauschens zählen nicht als Unterschied. Bei zwei geprunten Zuständen ist nur das größtmögliche Rauschen bekannt, die Summe ihres Rauschens gegenüber dem ungeprunten Modell: Ein Unterschied darin ist unsicher.</translation>
    </message>
    <message>
        <source>metric</source>
        <translation>Metrik</translation>
    </message>
    <message>
        <source>difference</source>
        <translation>Unterschied</translation>
    </message>
    <message>
        <source>noise</source>
        <translation>Rauschen</translation>
    </message>
    <message>
        <source>at most {noise}</source>
        <translation>höchstens {noise}</translation>
    </message>
    <message>
        <source>not evaluated</source>
        <translation>nicht ausgewertet</translation>
    </message>
    <message>
        <source>{amount}, uncertain</source>
        <translation>{amount}, unsicher</translation>
    </message>
    <message>
        <source>none ({amount})</source>
        <translation>keiner ({amount})</translation>
    </message>
    <message>
        <source>{amount}, better</source>
        <translation>{amount}, besser</translation>
    </message>
    <message>
        <source>{amount}, worse</source>
        <translation>{amount}, schlechter</translation>
    </message>
</context>
<context>
    <name>SizeBox</name>
    <message>
        <source>{value} is not possible: the next is {size}.</source>
        <translation>{value} ist nicht möglich: Der nächste Wert ist {size}.</translation>
    </message>
</context>
<context>
    <name>SizeStrip</name>
    <message>
        <source>Size of the tensors</source>
        <translation>Größe der Tensoren</translation>
    </message>
    <message>
        <source>The whole file in order: width is the size in bytes, the filled part is pruned</source>
        <translation>Die ganze Datei der Reihe nach: Breite ist die Größe in Bytes, der gefüllte Teil ist geprunt</translation>
    </message>
</context>
<context>
    <name>SizeTable</name>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>Bytes of the files of weights.</source>
        <translation>Bytes der Dateien mit Gewichten.</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>KV cache per token</source>
        <translation>KV-Cache je Token</translation>
    </message>
    <message>
        <source>Bytes of keys and values, in the dtype of the weights.</source>
        <translation>Bytes der Schlüssel und Werte, im dtype der Gewichte.</translation>
    </message>
    <message>
        <source>Multiply-adds per token</source>
        <translation>Multiply-Adds je Token</translation>
    </message>
    <message>
        <source>Products of a token with every weight that it passes. Not counted: attention scores, which grow with the text, and what a text passes once (a pooler, a classifier).</source>
        <translation>Produkte eines Tokens mit jedem Gewicht, das es durchläuft. Nicht gezählt: Attention-Werte, die mit dem Text wachsen, und was ein Text einmal durchläuft (ein Pooler, ein Klassifikator).</translation>
    </message>
    <message>
        <source>{what}: {before}, after the cut {after}</source>
        <translation>{what}: {before}, nach dem Schnitt {after}</translation>
    </message>
</context>
<context>
    <name>SourceChoice</name>
    <message>
        <source>Better values</source>
        <translation>Bessere Werte</translation>
    </message>
    <message>
        <source>Which values of the metrics of the command line are better; metrics whose names are known, such as accuracy and loss, need no choice.</source>
        <translation>Welche Werte der Metriken der Befehlszeile besser sind; Metriken mit bekannten Namen, etwa accuracy und loss, brauchen keine Wahl.</translation>
    </message>
    <message>
        <source>decide by metric name</source>
        <translation>nach dem Namen der Metrik</translation>
    </message>
    <message>
        <source>higher is better</source>
        <translation>höher ist besser</translation>
    </message>
    <message>
        <source>lower is better</source>
        <translation>niedriger ist besser</translation>
    </message>
    <message>
        <source>Python</source>
        <translation>Python</translation>
    </message>
    <message>
        <source>The interpreter of the environment in which the model runs.</source>
        <translation>Der Interpreter der Umgebung, in der das Modell läuft.</translation>
    </message>
    <message>
        <source>automatic</source>
        <translation>automatisch</translation>
    </message>
    <message>
        <source>P&amp;ython</source>
        <translation>P&amp;ython</translation>
    </message>
    <message>
        <source>Browse…</source>
        <translation>Durchsuchen…</translation>
    </message>
    <message>
        <source>Limit</source>
        <translation>Begrenzung</translation>
    </message>
    <message>
        <source>Maximum number of samples to measure: &apos;limit&apos; of a script, if its functions take it.</source>
        <translation>Wie viele Beispiele höchstens gemessen werden: bei einem Skript „limit“, wenn seine Funktionen es nehmen.</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Seed</translation>
    </message>
    <message>
        <source>Seed of random, NumPy and torch before each call: &apos;seed&apos; of a script, {seed} of a command line.</source>
        <translation>Seed von random, NumPy und torch vor jedem Aufruf: „seed“ eines Skripts, {seed} einer Befehlszeile.</translation>
    </message>
    <message>
        <source>See&amp;d</source>
        <translation>See&amp;d</translation>
    </message>
    <message>
        <source>&amp;Limit</source>
        <translation>&amp;Begrenzung</translation>
    </message>
    <message>
        <source>Unpruned model</source>
        <translation>Ungepruntes Modell</translation>
    </message>
    <message>
        <source>The file or folder before it was pruned, if it was pruned elsewhere and the zeros of the open file are treated as pruned.</source>
        <translation>Die Datei oder der Ordner vor dem Pruning, falls anderswo geprunt wurde und die Nullen der geöffneten Datei als geprunt gelten.</translation>
    </message>
    <message>
        <source>the open file</source>
        <translation>die geöffnete Datei</translation>
    </message>
    <message>
        <source>&amp;Unpruned model</source>
        <translation>&amp;Ungepruntes Modell</translation>
    </message>
    <message>
        <source>Python interpreter</source>
        <translation>Python-Interpreter</translation>
    </message>
</context>
<context>
    <name>Start</name>
    <message>
        <source>Opening</source>
        <translation>Öffnen</translation>
    </message>
</context>
<context>
    <name>StateDelegate</name>
    <message>
        <source>Scroll the history</source>
        <translation>Den Verlauf rollen</translation>
    </message>
</context>
<context>
    <name>StateSelector</name>
    <message>
        <source>Swap A and B</source>
        <translation>A und B tauschen</translation>
    </message>
    <message>
        <source>Base of the comparison</source>
        <translation>Grundlage des Vergleichs</translation>
    </message>
    <message>
        <source>Compared with A</source>
        <translation>Verglichen mit A</translation>
    </message>
    <message>
        <source>Current state</source>
        <translation>Aktueller Zustand</translation>
    </message>
    <message>
        <source>Another file…</source>
        <translation>Andere Datei…</translation>
    </message>
    <message>
        <source>Another folder…</source>
        <translation>Anderer Ordner…</translation>
    </message>
    <message>
        <source>{label} (current state)</source>
        <translation>{label} (aktueller Zustand)</translation>
    </message>
</context>
<context>
    <name>StatusController</name>
    <message>
        <source>Export…</source>
        <translation>Exportieren…</translation>
    </message>
    <message>
        <source>Export… {size}</source>
        <translation>Exportieren… {size}</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>&amp;Rückgängig</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>&amp;Wiederholen</translation>
    </message>
    <message>
        <source>&amp;Undo pruning</source>
        <translation>Pruning &amp;rückgängig machen</translation>
    </message>
    <message>
        <source>&apos;{title}&apos; cannot be cancelled while the code of a custom method is running. Wait, or quit; your file is unchanged.</source>
        <translation>„{title}“ kann nicht abgebrochen werden, solange der Code einer eigenen Methode läuft. Warten Sie, oder beenden Sie Pruneapp; Ihre Datei ist unverändert.</translation>
    </message>
    <message>
        <source>&apos;{title}&apos; is being cancelled. Your file is unchanged.</source>
        <translation>„{title}“ wird abgebrochen. Ihre Datei ist unverändert.</translation>
    </message>
</context>
<context>
    <name>StepFigures</name>
    <message>
        <source>Norm²</source>
        <translation>Norm²</translation>
    </message>
    <message>
        <source>Sum of squares</source>
        <translation>Summe der Quadrate</translation>
    </message>
    <message>
        <source>L1 norm</source>
        <translation>L1-Norm</translation>
    </message>
    <message>
        <source>Sum of magnitudes</source>
        <translation>Summe der Beträge</translation>
    </message>
    <message>
        <source>{norm} retained (this step)</source>
        <translation>{norm} erhalten (Schritt)</translation>
    </message>
    <message>
        <source>{sum} of the remaining weights after this step, relative to before it, over the tensors of this step.</source>
        <translation>{sum} der verbleibenden Gewichte nach diesem Schritt, relativ zu davor, über die Tensoren dieses Schritts.</translation>
    </message>
    <message>
        <source>{norm} retained (whole model)</source>
        <translation>{norm} erhalten (Modell)</translation>
    </message>
    <message>
        <source>{sum} of the remaining weights, relative to the file as it was opened, over the whole model.</source>
        <translation>{sum} der verbleibenden Gewichte, relativ zur Datei beim Öffnen, über das ganze Modell.</translation>
    </message>
    <message>
        <source>{norm} retained (without repair)</source>
        <translation>{norm} erhalten (ohne Reparatur)</translation>
    </message>
    <message>
        <source>{sum} of the remaining weights with their values in the file, relative to the file as it was opened, over the whole model: what pruning left before the repair.</source>
        <translation>{sum} der verbleibenden Gewichte mit ihren Werten in der Datei, relativ zur Datei beim Öffnen, über das ganze Modell: was das Pruning vor der Reparatur übrig ließ.</translation>
    </message>
    <message>
        <source>up to </source>
        <translation>bis zu </translation>
    </message>
    <message>
        <source>at least </source>
        <translation>mindestens </translation>
    </message>
    <message>
        <source>{n} of {all}</source>
        <translation>{n} von {all}</translation>
    </message>
    <message>
        <source>{before} → {after}</source>
        <translation>{before} → {after}</translation>
    </message>
    <message>
        <source>Pruned of remaining</source>
        <translation>Geprunt vom Rest</translation>
    </message>
    <message>
        <source>Weights pruned</source>
        <translation>Geprunte Gewichte</translation>
    </message>
    <message>
        <source>This step, of the weights of its tensors that were not pruned before it.</source>
        <translation>Dieser Schritt, von den Gewichten seiner Tensoren, die zuvor nicht geprunt waren.</translation>
    </message>
    <message>
        <source>Whole model</source>
        <translation>Ganzes Modell</translation>
    </message>
    <message>
        <source>Tensors</source>
        <translation>Tensoren</translation>
    </message>
    <message>
        <source>Those that it prunes: by rules or check marks</source>
        <translation>Die geprunt werden: nach Regeln oder Kreuzen</translation>
    </message>
    <message>
        <source>Tensors with pruned weights</source>
        <translation>Tensoren mit geprunten Gewichten</translation>
    </message>
</context>
<context>
    <name>StepInfoController</name>
    <message>
        <source>Target file size</source>
        <translation>Angestrebte Dateigröße</translation>
    </message>
    <message>
        <source>Maximum size of the compact file, such as 40 MB or 512 KiB:</source>
        <translation>Höchstgröße der kompakten Datei, etwa 40 MB oder 512 KiB:</translation>
    </message>
    <message>
        <source>Set total sparsity</source>
        <translation>Gesamt-Sparsity setzen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
</context>
<context>
    <name>TableButton</name>
    <message>
        <source>Show the data as a table (T)</source>
        <translation>Die Daten als Tabelle zeigen (T)</translation>
    </message>
    <message>
        <source>Show as a table</source>
        <translation>Als Tabelle zeigen</translation>
    </message>
</context>
<context>
    <name>TableController</name>
    <message>
        <source>Saving the numbers</source>
        <translation>Zahlen werden gespeichert</translation>
    </message>
    <message>
        <source>Saving the picture</source>
        <translation>Bild wird gespeichert</translation>
    </message>
    <message>
        <source>Saved {file}.</source>
        <translation>{file} gespeichert.</translation>
    </message>
    <message>
        <source>Saving {file} cancelled: nothing was written.</source>
        <translation>Speichern von {file} abgebrochen: Nichts wurde geschrieben.</translation>
    </message>
    <message>
        <source>Copied the picture.</source>
        <translation>Bild kopiert.</translation>
    </message>
    <message>
        <source>Copying rows</source>
        <translation>Zeilen werden kopiert</translation>
    </message>
    <message>
        <source>Copied 1 row.</source>
        <translation>1 Zeile kopiert.</translation>
    </message>
    <message>
        <source>Copied {n} rows.</source>
        <translation>{n} Zeilen kopiert.</translation>
    </message>
</context>
<context>
    <name>TargetRow</name>
    <message>
        <source>Destination of the export</source>
        <translation>Ziel des Exports</translation>
    </message>
    <message>
        <source>Browse…</source>
        <translation>Durchsuchen…</translation>
    </message>
    <message>
        <source>Choose the destination of the export.</source>
        <translation>Das Ziel des Exports wählen.</translation>
    </message>
    <message>
        <source>Delete the original after the export (undo is no longer possible)</source>
        <translation>Das Original nach dem Export löschen (Rückgängig geht dann nicht mehr)</translation>
    </message>
    <message>
        <source>Undo reads pruned weights from the original file.</source>
        <translation>Rückgängig liest geprunte Gewichte aus der ursprünglichen Datei.</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>Destination folder</source>
        <translation>Zielordner</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>Destination file</source>
        <translation>Zieldatei</translation>
    </message>
    <message>
        <source>Uploaded when you press the button. An object of this name is replaced.</source>
        <translation>Wird hochgeladen, wenn Sie die Schaltfläche drücken. Ein Objekt dieses Namens wird ersetzt.</translation>
    </message>
    <message>
        <source>Written to {path}.</source>
        <translation>Wird nach {path} geschrieben.</translation>
    </message>
    <message>
        <source>Files of the same name in this folder are replaced.</source>
        <translation>Gleichnamige Dateien in diesem Ordner werden ersetzt.</translation>
    </message>
    <message>
        <source>This file already exists and will be replaced.</source>
        <translation>Diese Datei gibt es schon und wird ersetzt.</translation>
    </message>
    <message>
        <source>The usual suffix is {suffixes}.</source>
        <translation>Die übliche Endung ist {suffixes}.</translation>
    </message>
    <message>
        <source> or </source>
        <translation> oder </translation>
    </message>
    <message>
        <source>Export to</source>
        <translation>Exportieren nach</translation>
    </message>
</context>
<context>
    <name>TensorChoice</name>
    <message>
        <source>Tensors of this rule</source>
        <translation>Tensoren dieser Regel</translation>
    </message>
    <message>
        <source>Pattern, such as {pattern}</source>
        <translation>Muster, etwa {pattern}</translation>
    </message>
    <message>
        <source>The checked tensors, all layers of one type, or patterns such as {pattern}, separated by commas</source>
        <translation>Die angekreuzten Tensoren, alle Schichten einer Art oder Muster wie {pattern}, durch Kommas getrennt</translation>
    </message>
    <message>
        <source>checked tensors</source>
        <translation>angekreuzte Tensoren</translation>
    </message>
    <message>
        <source>all {kind} layers</source>
        <translation>alle Schichten der Art {kind}</translation>
    </message>
</context>
<context>
    <name>TensorHeading</name>
    <message>
        <source>{share} pruned</source>
        <translation>{share} geprunt</translation>
    </message>
</context>
<context>
    <name>ToolRow</name>
    <message>
        <source>Brush size</source>
        <translation>Pinselgröße</translation>
    </message>
    <message>
        <source>Brush size in weights</source>
        <translation>Pinselgröße in Gewichten</translation>
    </message>
    <message>
        <source>Channels along</source>
        <translation>Kanäle entlang</translation>
    </message>
    <message>
        <source>Dimension of the channels to select (C in the picture)</source>
        <translation>Dimension der zu wählenden Kanäle (C im Bild)</translation>
    </message>
    <message>
        <source>Pan</source>
        <translation>Verschieben</translation>
    </message>
    <message>
        <source>drag to pan, Shift+drag to select</source>
        <translation>ziehen zum Verschieben, Umschalt+Ziehen zum Wählen</translation>
    </message>
    <message>
        <source>Rectangle</source>
        <translation>Rechteck</translation>
    </message>
    <message>
        <source>drag to select weights (Shift+arrow keys)</source>
        <translation>ziehen, um Gewichte zu wählen (Umschalt+Pfeiltasten)</translation>
    </message>
    <message>
        <source>Row</source>
        <translation>Zeile</translation>
    </message>
    <message>
        <source>drag to select rows (H)</source>
        <translation>ziehen, um Zeilen zu wählen (H)</translation>
    </message>
    <message>
        <source>Column</source>
        <translation>Spalte</translation>
    </message>
    <message>
        <source>drag to select columns (V)</source>
        <translation>ziehen, um Spalten zu wählen (V)</translation>
    </message>
    <message>
        <source>Channel</source>
        <translation>Kanal</translation>
    </message>
    <message>
        <source>drag to select channels (C)</source>
        <translation>ziehen, um Kanäle zu wählen (C)</translation>
    </message>
    <message>
        <source>Brush</source>
        <translation>Pinsel</translation>
    </message>
    <message>
        <source>drag to select weights with a brush</source>
        <translation>ziehen, um Gewichte mit einem Pinsel zu wählen</translation>
    </message>
</context>
<context>
    <name>TourBar</name>
    <message>
        <source>Tour</source>
        <translation>Tour</translation>
    </message>
    <message>
        <source>End the tour</source>
        <translation>Tour beenden</translation>
    </message>
    <message>
        <source>{n} of {all}</source>
        <translation>{n} von {all}</translation>
    </message>
    <message>
        <source>Finish</source>
        <translation>Beenden</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>Weiter</translation>
    </message>
    <message>
        <source>Do this step, and go on</source>
        <translation>Diesen Schritt ausführen und fortfahren</translation>
    </message>
</context>
<context>
    <name>TourController</name>
    <message>
        <source>Look at a tensor</source>
        <translation>Einen Tensor ansehen</translation>
    </message>
    <message>
        <source>The sample is a small network that reads handwritten digits. The tree lists its tensors, with a check mark where they are to be pruned. Click one.</source>
        <translation>Das Beispiel ist ein kleines Netz, das handgeschriebene Ziffern liest. Der Baum zeigt seine Tensoren; angekreuzte werden geprunt. Klicken Sie auf einen.</translation>
    </message>
    <message>
        <source>See its weights</source>
        <translation>Seine Gewichte ansehen</translation>
    </message>
    <message>
        <source>The picture shows every weight of the tensor. Open the page Distribution to see how many are large and small.</source>
        <translation>Das Bild zeigt jedes Gewicht des Tensors. Öffnen Sie die Seite Verteilung, um zu sehen, wie viele groß und klein sind.</translation>
    </message>
    <message>
        <source>Choose how much to prune</source>
        <translation>Den Umfang wählen</translation>
    </message>
    <message>
        <source>Drag the slider, or type an amount such as 50 %. The preview follows: what is to be pruned is hatched in orange, in the tree and in the picture.</source>
        <translation>Ziehen Sie den Regler, oder geben Sie einen Umfang wie 50 % ein. Die Vorschau folgt: Was geprunt werden soll, ist in Baum und Bild orange schraffiert.</translation>
    </message>
    <message>
        <source>Prune</source>
        <translation>Prunen</translation>
    </message>
    <message>
        <source>The button says how many weights it prunes. Press it, or {keys}. The file stays as it is.</source>
        <translation>Die Schaltfläche sagt, wie viele Gewichte geprunt werden. Drücken Sie sie oder {keys}. Die Datei bleibt, wie sie ist.</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig machen</translation>
    </message>
    <message>
        <source>Every step is a state in the history. Click Opened there, or undo with {keys}.</source>
        <translation>Jeder Schritt ist ein Zustand im Verlauf. Klicken Sie dort auf den ersten, oder drücken Sie {keys}.</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>Wiederholen</translation>
    </message>
    <message>
        <source>Nothing is lost by that: click the last state, or redo with {keys}.</source>
        <translation>Dabei geht nichts verloren: Klicken Sie auf den letzten Zustand, oder drücken Sie {keys}.</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Exportieren</translation>
    </message>
    <message>
        <source>Export… ({keys}) writes the pruned model to a new file, in the format that you choose. The guide (F1) explains evaluation, repair and shrinking.</source>
        <translation>Exportieren… ({keys}) schreibt das geprunte Modell in eine neue Datei, im Format Ihrer Wahl. Die Anleitung (F1) erklärt Auswertung, Reparatur und Verkleinern.</translation>
    </message>
</context>
<context>
    <name>TreeFilter</name>
    <message>
        <source>Filter by name</source>
        <translation>Nach Namen filtern</translation>
    </message>
    <message>
        <source>Words in the name, or a pattern for the whole name such as *.conv?.weight</source>
        <translation>Wörter im Namen oder ein Muster für den ganzen Namen wie *.conv?.weight</translation>
    </message>
    <message>
        <source>Filter by kind</source>
        <translation>Nach Art filtern</translation>
    </message>
    <message>
        <source>Show one layer type. Types are inferred from names.</source>
        <translation>Eine Art von Schichten zeigen. Arten werden aus Namen erschlossen.</translation>
    </message>
    <message>
        <source>2-D and larger</source>
        <translation>2-D und größer</translation>
    </message>
    <message>
        <source>Show tensors with two or more dimensions.</source>
        <translation>Tensoren mit zwei oder mehr Dimensionen zeigen.</translation>
    </message>
    <message>
        <source>Over 1 million</source>
        <translation>Über 1 Million</translation>
    </message>
    <message>
        <source>Show tensors with more than a million weights.</source>
        <translation>Tensoren mit mehr als einer Million Gewichten zeigen.</translation>
    </message>
    <message>
        <source>List</source>
        <translation>Liste</translation>
    </message>
    <message>
        <source>Show all tensors as a sortable list instead of the tree</source>
        <translation>Alle Tensoren als sortierbare Liste zeigen statt als Baum</translation>
    </message>
    <message>
        <source>Filter  ({keys})</source>
        <translation>Filtern  ({keys})</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>Filtern</translation>
    </message>
    <message>
        <source>All kinds</source>
        <translation>Alle Arten</translation>
    </message>
</context>
<context>
    <name>TreeModel</name>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>Inferred from names and shapes; not stored in the file.</source>
        <translation>Aus Namen und Formen erschlossen; nicht in der Datei gespeichert.</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>Form</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>Typ</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>To be pruned</source>
        <translation>Zu prunen</translation>
    </message>
    <message>
        <source>Sparsity</source>
        <translation>Sparsity</translation>
    </message>
    <message>
        <source>Sparsity after</source>
        <translation>Sparsity danach</translation>
    </message>
</context>
<context>
    <name>TreeView</name>
    <message>
        <source>Module tree</source>
        <translation>Modulbaum</translation>
    </message>
    <message>
        <source>Tensors</source>
        <translation>Tensoren</translation>
    </message>
    <message>
        <source>Fit to width</source>
        <translation>An Breite anpassen</translation>
    </message>
    <message>
        <source>No tensors match the filter.</source>
        <translation>Keine Tensoren passen zum Filter.</translation>
    </message>
</context>
<context>
    <name>VocabularyChoice</name>
    <message>
        <source>Vocabulary</source>
        <translation>Vokabular</translation>
    </message>
    <message>
        <source>Texts…</source>
        <translation>Texte…</translation>
    </message>
    <message>
        <source>Choose text files in UTF-8. Tokens that they do not use are cut; for these texts the model computes the same.</source>
        <translation>Wählen Sie Textdateien in UTF-8. Tokens, die sie nicht benutzen, werden entfernt; für diese Texte rechnet das Modell dasselbe.</translation>
    </message>
    <message>
        <source>Ids…</source>
        <translation>IDs…</translation>
    </message>
    <message>
        <source>Choose a text file with the ids of the tokens to keep: one on each line, or a range such as 20-31.</source>
        <translation>Wählen Sie eine Textdatei mit den IDs der Tokens, die bleiben: in jeder Zeile eine oder ein Bereich wie 20-31.</translation>
    </message>
    <message>
        <source>All tokens</source>
        <translation>Alle Tokens</translation>
    </message>
    <message>
        <source>Without the last {n} rows</source>
        <translation>Ohne die letzten {n} Zeilen</translation>
    </message>
    <message>
        <source>Tokens of {n} texts</source>
        <translation>Tokens von {n} Texten</translation>
    </message>
    <message>
        <source>Tokens of {name}</source>
        <translation>Tokens von {name}</translation>
    </message>
    <message>
        <source>Ids in {name}</source>
        <translation>IDs in {name}</translation>
    </message>
    <message>
        <source>Which rows of the embedding stay, by the tokenizer.json beside the model: all, all up to its last token, those of the tokens that texts use, or those that a file lists.</source>
        <translation>Welche Zeilen des Embeddings bleiben, nach der tokenizer.json neben dem Modell: alle, alle bis zu ihrem letzten Token, die der Tokens, die Texte verwenden, oder die, die eine Datei aufführt.</translation>
    </message>
    <message>
        <source>Ids to keep</source>
        <translation>Zu behaltende IDs</translation>
    </message>
    <message>
        <source>Texts to keep</source>
        <translation>Zu behaltende Texte</translation>
    </message>
</context>
<context>
    <name>WaitingNote</name>
    <message>
        <source>slow; press Esc to cancel</source>
        <translation>langsam; Esc bricht ab</translation>
    </message>
    <message>
        <source>counting… {share}</source>
        <translation>wird gezählt… {share}</translation>
    </message>
    <message>
        <source>calculating…</source>
        <translation>wird berechnet…</translation>
    </message>
</context>
<context>
    <name>WeightReadout</name>
    <message>
        <source>pruned in step {n} by {label}</source>
        <translation>in Schritt {n} geprunt durch {label}</translation>
    </message>
    <message>
        <source>pruned in step {n}: {label}</source>
        <translation>in Schritt {n} geprunt: {label}</translation>
    </message>
    <message>
        <source>pruned in step {n}, rule {rule}: {label}</source>
        <translation>in Schritt {n}, Regel {rule} geprunt: {label}</translation>
    </message>
    <message>
        <source>pruned</source>
        <translation>geprunt</translation>
    </message>
    <message>
        <source>protected</source>
        <translation>geschützt</translation>
    </message>
    <message>
        <source>kept, to be pruned</source>
        <translation>behalten, zu prunen</translation>
    </message>
    <message>
        <source>kept</source>
        <translation>behalten</translation>
    </message>
    <message>
        <source>kept in A, pruned in B</source>
        <translation>in A behalten, in B geprunt</translation>
    </message>
    <message>
        <source>pruned in A, kept in B</source>
        <translation>in A geprunt, in B behalten</translation>
    </message>
    <message>
        <source>pruned in A and B</source>
        <translation>in A und B geprunt</translation>
    </message>
    <message>
        <source>no difference</source>
        <translation>kein Unterschied</translation>
    </message>
    <message>
        <source>difference {value}</source>
        <translation>Unterschied {value}</translation>
    </message>
</context>
<context>
    <name>WeightsView</name>
    <message>
        <source>This tensor has no weights.</source>
        <translation>Dieser Tensor hat keine Gewichte.</translation>
    </message>
    <message>
        <source>Weights picture</source>
        <translation>Bild der Gewichte</translation>
    </message>
    <message>
        <source>{share} pruned</source>
        <translation>{share} geprunt</translation>
    </message>
    <message>
        <source>Prune {what}</source>
        <translation>{what} prunen</translation>
    </message>
    <message>
        <source>Restore {what}</source>
        <translation>{what} wiederherstellen</translation>
    </message>
    <message>
        <source>Protect {what}</source>
        <translation>{what} schützen</translation>
    </message>
    <message>
        <source>Unprotect {what}</source>
        <translation>Schutz von {what} aufheben</translation>
    </message>
    <message>
        <source>sampled</source>
        <translation>Stichprobe</translation>
    </message>
    <message>
        <source>pruned in B only</source>
        <translation>nur in B geprunt</translation>
    </message>
    <message>
        <source>pruned in A only</source>
        <translation>nur in A geprunt</translation>
    </message>
    <message>
        <source>pruned in both</source>
        <translation>in beiden geprunt</translation>
    </message>
    <message>
        <source>kept</source>
        <translation>behalten</translation>
    </message>
    <message>
        <source>{scale} kept</source>
        <translation>{scale} behalten</translation>
    </message>
    <message>
        <source>{scale} mean magnitude</source>
        <translation>{scale} mittlerer Betrag</translation>
    </message>
    <message>
        <source>pruned</source>
        <translation>geprunt</translation>
    </message>
    <message>
        <source>to be pruned</source>
        <translation>zu prunen</translation>
    </message>
    <message>
        <source>protected</source>
        <translation>geschützt</translation>
    </message>
    <message>
        <source>{share} of weights above</source>
        <translation>{share} der Gewichte darüber</translation>
    </message>
    <message>
        <source>{share} of weights have a magnitude above {scale}. They share the last color.</source>
        <translation>{share} der Gewichte haben einen Betrag über {scale}. Sie haben alle die letzte Farbe.</translation>
    </message>
    <message>
        <source>{n} weights</source>
        <translation>{n} Gewichte</translation>
    </message>
    <message>
        <source>1 weight</source>
        <translation>1 Gewicht</translation>
    </message>
    <message>
        <source>{which} of dim {dim}</source>
        <translation>{which} von Dim. {dim}</translation>
    </message>
    <message>
        <source>value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>difference</source>
        <translation>Unterschied</translation>
    </message>
    <message>
        <source>mean magnitude of {n}×{n}</source>
        <translation>mittlerer Betrag von {n}×{n}</translation>
    </message>
</context>
<context>
    <name>WindowMenu</name>
    <message>
        <source>No file</source>
        <translation>Keine Datei</translation>
    </message>
</context>
<context>
    <name>Workbench</name>
    <message>
        <source>Loaded: {names}.</source>
        <translation>Geladen: {names}.</translation>
    </message>
</context>
<context>
    <name>ZerosController</name>
    <message>
        <source>Treat zeros as pruned</source>
        <translation>Nullen als geprunt behandeln</translation>
    </message>
    <message>
        <source>{share} of the weights of {name} are zero</source>
        <translation>{share} der Gewichte von {name} sind null</translation>
    </message>
    <message>
        <source>{share} of the weights in {n} tensors are zero</source>
        <translation>{share} der Gewichte in {n} Tensoren sind null</translation>
    </message>
    <message>
        <source>{text} ({form}).</source>
        <translation>{text} ({form}).</translation>
    </message>
    <message>
        <source>{text}.</source>
        <translation>{text}.</translation>
    </message>
    <message>
        <source>{form} in {n}</source>
        <translation>{form} in {n}</translation>
    </message>
    <message>
        <source>{n}:{m} pattern</source>
        <translation>{n}:{m}-Muster</translation>
    </message>
    <message>
        <source>whole channels</source>
        <translation>ganze Kanäle</translation>
    </message>
    <message>
        <source>blocks of {shape}</source>
        <translation>Blöcke zu {shape}</translation>
    </message>
    <message>
        <source>{zeros} of {numel} are 0 ({share})</source>
        <translation>{zeros} von {numel} sind 0 ({share})</translation>
    </message>
    <message>
        <source>{n} whole slices along dim {dim}</source>
        <translation>{n} ganze Scheiben entlang Dim. {dim}</translation>
    </message>
    <message>
        <source>Reading zeros</source>
        <translation>Nullen werden gelesen</translation>
    </message>
    <message>
        <source>No weight tensor has {share} or more zeros that are not already pruned. Biases and norms are not considered.</source>
        <translation>Kein Gewichtstensor hat {share} oder mehr Nullen, die nicht schon geprunt sind. Biases und Norms bleiben außer Betracht.</translation>
    </message>
</context>
</TS>
