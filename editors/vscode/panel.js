// Shows a page of kgrade's beside the editor. A page is one file, and forbids itself to load anything.
"use strict";

const vscode = require("vscode");
const fs = require("fs");

const panels = new Map();

// One panel for each kind of page, which is shown anew.
function showPage(context, kind, file, title) {
  let panel = panels.get(kind);
  if (!panel) {
    const beside = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    const options = { enableScripts: true, retainContextWhenHidden: true, localResourceRoots: [] };
    panel = vscode.window.createWebviewPanel(`kgrade.${kind}`, title, beside, options);
    panel.onDidDispose(() => panels.delete(kind), undefined, context.subscriptions);
    panels.set(kind, panel);
  }
  panel.title = title;
  panel.webview.html = fs.readFileSync(file, "utf8");
}

module.exports = { showPage };
