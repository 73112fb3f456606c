// What a report finds wrong, as diagnostics at the lines of a file.
"use strict";

const vscode = require("vscode");

const SEVERITIES = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
  note: vscode.DiagnosticSeverity.Information,
};

// `report` is what `kgrade test --json` prints.
function diagnosticsOf(report, document) {
  const found = report.diagnostics.map((one) =>
    diagnostic(document, one.line, one.message + (one.hint ? `\n${one.hint}` : ""), SEVERITIES[one.severity], one.column),
  );
  const isSaid = report.verdict === "compile_error" && report.diagnostics.some((one) => one.severity === "error");
  if (report.verdict === "accepted" || isSaid) return found;
  const words = [report.headline, report.pattern, ...report.explanation].filter(Boolean).join("\n");
  const line = report.line || (report.fault_details && report.fault_details.line);
  const verdict = diagnostic(document, line, words, vscode.DiagnosticSeverity.Error);
  verdict.code = report.fault || report.kind || report.verdict;
  return [verdict, ...found];
}

function diagnostic(document, line, message, severity, column) {
  const at = Math.min(Math.max((line || 1) - 1, 0), document.lineCount - 1);
  const text = document.lineAt(at);
  const first = column ? Math.min(column - 1, text.text.length) : text.firstNonWhitespaceCharacterIndex;
  const one = new vscode.Diagnostic(new vscode.Range(at, first, at, text.text.length), message, severity);
  one.source = "kgrade";
  return one;
}

module.exports = { diagnosticsOf };
