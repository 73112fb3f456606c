// The extension in a VS Code that is played: node extension.js FOLDER, which holds kgrade (a program), and matmul/mine.cu.
const assert = require("assert");
const fs = require("fs");
const Module = require("module");
const path = require("path");

const [folder] = process.argv.slice(2);
const file = path.join(folder, "matmul", "mine.cu");
const lines = fs.readFileSync(file, "utf8").split("\n");
const commands = new Map();
const seen = { diagnostics: [], messages: [], panels: [], debugged: [], providers: [] };
const uri = { fsPath: file };
const document = {
  uri,
  isUntitled: false,
  lineCount: lines.length,
  save: async () => true,
  lineAt: (at) => ({ text: lines[at], firstNonWhitespaceCharacterIndex: lines[at].search(/\S|$/) }),
};
const state = new Map();
const context = {
  subscriptions: [],
  workspaceState: { get: (key) => state.get(key), update: async (key, value) => state.set(key, value) },
};

const disposable = { dispose() {} };
const vscode = {
  DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2 },
  ProgressLocation: { Notification: 15 },
  ViewColumn: { Beside: -2 },
  Range: class {
    constructor(...at) {
      this.at = at;
    }
  },
  Diagnostic: class {
    constructor(range, message, severity) {
      Object.assign(this, { range, message, severity });
    }
  },
  DebugAdapterExecutable: class {
    constructor(...given) {
      this.given = given;
    }
  },
  Uri: { file: (name) => ({ fsPath: name }) },
  languages: {
    createDiagnosticCollection: () => ({ set: (_, found) => (seen.diagnostics = found), delete() {}, ...disposable }),
  },
  commands: {
    registerCommand: (name, action) => commands.set(name, action) && disposable,
    executeCommand: (name) => commands.get(name)(),
  },
  debug: {
    registerDebugConfigurationProvider: (_, provider) => seen.providers.push(provider) && disposable,
    registerDebugAdapterDescriptorFactory: (_, factory) => (seen.factory = factory) && disposable,
    startDebugging: async (_, configuration) => seen.debugged.push(configuration),
  },
  workspace: {
    getConfiguration: () => ({ get: (name) => ({ path: path.join(folder, "kgrade"), record: true })[name] }),
    onDidChangeTextDocument: () => disposable,
    getWorkspaceFolder: () => undefined,
    workspaceFolders: [],
  },
  window: {
    activeTextEditor: { document },
    createOutputChannel: () => ({ appendLine() {}, ...disposable }),
    createWebviewPanel: (kind) => {
      const panel = { kind, webview: {}, onDidDispose() {} };
      seen.panels.push(panel);
      return panel;
    },
    showErrorMessage: async (text) => void seen.messages.push(text),
    showInformationMessage: async (text) => void seen.messages.push(text),
    showWarningMessage: async (text, button) => seen.messages.push(text) && button,
    withProgress: (_, action) => action({}, { onCancellationRequested: () => disposable }),
  },
};

const load = Module._load;
Module._load = (name, ...rest) => (name === "vscode" ? vscode : load(name, ...rest));

async function main() {
  require(path.join(__dirname, "../../../editors/vscode/extension.js")).activate(context);
  await commands.get("kgrade.grade")();
  assert.deepStrictEqual(seen.messages, ["kgrade: Data race in tile, line 3"]);
  assert.deepStrictEqual(seen.diagnostics[0].range.at, [2, 4, 2, lines[2].length]);
  assert.strictEqual(seen.diagnostics[0].code, "data_race");
  assert.strictEqual(seen.panels[0].webview.html, "<p>the report</p>");
  const launch = { type: "kgrade", request: "launch", name: "Debug mine.cu", problem: "matmul", file };
  assert.deepStrictEqual(seen.debugged, [launch], "the message's button debugs; the folder names the problem");
  console.log("grade");

  const [provider] = seen.providers;
  const filled = await provider.resolveDebugConfiguration(undefined, {});
  assert.strictEqual(filled.file, file);
  assert.strictEqual((await provider.resolveDebugConfigurationWithSubstitutedVariables(undefined, filled)).problem, "matmul");
  const adapter = await seen.factory.createDebugAdapterDescriptor({ configuration: filled });
  assert.deepStrictEqual(adapter.given, [path.join(folder, "kgrade"), ["debug"], { cwd: path.dirname(file) }]);
  console.log("debug");

  fs.writeFileSync(path.join(folder, "fails"), "");
  await commands.get("kgrade.explain")();
  assert.strictEqual(seen.messages.pop(), "kgrade: there is no compiler; type: kgrade doctor");
  fs.rmSync(path.join(folder, "kgrade"));
  await assert.rejects(seen.factory.createDebugAdapterDescriptor({ configuration: filled }), /kgrade was not found; set/);
  console.log("errors");
}

main().then(
  () => process.exit(0),
  (error) => {
    console.error(error);
    process.exit(1);
  },
);
