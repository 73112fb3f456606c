// The commands Grade, Explain and Debug, and the debugger: all of them are `kgrade`, called with the file in the editor.
"use strict";

const vscode = require("vscode");
const fs = require("fs");
const os = require("os");
const path = require("path");
const { call, mustStart } = require("./call");
const { diagnosticsOf } = require("./diagnostics");
const { chooseProblem, problemOf } = require("./problem");
const { showPage } = require("./panel");

function activate(context) {
  const found = vscode.languages.createDiagnosticCollection("kgrade");
  const output = vscode.window.createOutputChannel("kgrade");
  const register = (name, action) =>
    vscode.commands.registerCommand(name, async () => {
      try {
        await action();
      } catch (error) {
        vscode.window.showErrorMessage(`kgrade: ${error.message}`);
      }
    });
  context.subscriptions.push(
    found,
    output,
    register("kgrade.grade", () => grade(context, found, output)),
    register("kgrade.explain", () => explain(context)),
    register("kgrade.debug", () => debug(context)),
    register("kgrade.chooseProblem", async () => {
      const document = await savedDocument();
      await chooseProblem(context, document.uri.fsPath, folderOf(document.uri));
    }),
    register("kgrade.look", look),
    vscode.debug.registerDebugConfigurationProvider("kgrade", {
      resolveDebugConfiguration: (folder, configuration) => withFile(configuration),
      resolveDebugConfigurationWithSubstitutedVariables: (folder, configuration) => withProblem(context, configuration),
    }),
    vscode.debug.registerDebugAdapterDescriptorFactory("kgrade", {
      createDebugAdapterDescriptor: async (session) => {
        // VS Code says nothing where an adapter can't be started: the session is just over.
        await mustStart(command());
        return new vscode.DebugAdapterExecutable(command(), ["debug"], { cwd: folderOf(fileOf(session.configuration)) });
      },
    }),
    // What was found is of the text as it was.
    vscode.workspace.onDidChangeTextDocument((event) => {
      if (event.contentChanges.length) found.delete(event.document.uri);
    }),
  );
}

async function grade(context, found, output) {
  const document = await savedDocument();
  const file = document.uri.fsPath;
  const problem = await problemOf(context, file, folderOf(document.uri));
  if (!problem) return;
  const records = vscode.workspace.getConfiguration("kgrade").get("record");
  const report = await withProgress(`grading ${path.basename(file)} for ${problem}`, (cancelled) =>
    call(command(), [records ? "submit" : "test", "--json", "--", problem, file], folderOf(document.uri), cancelled),
  );
  if (!report) return;
  found.set(document.uri, diagnosticsOf(report, document));
  output.appendLine(`${file}: ${report.headline}`);
  if (report.page) showPage(context, "report", report.page, `kgrade: ${path.basename(file)}`);
  const shown = report.verdict === "accepted" ? "showInformationMessage" : "showWarningMessage";
  const chosen = await vscode.window[shown](`kgrade: ${report.headline}`, ...(report.verdict === "accepted" ? ["Explain"] : ["Debug"]));
  if (chosen) await vscode.commands.executeCommand(`kgrade.${chosen.toLowerCase()}`);
}

async function explain(context) {
  const document = await savedDocument();
  const file = document.uri.fsPath;
  const problem = await problemOf(context, file, folderOf(document.uri));
  if (!problem) return;
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "kgrade-"));
  const page = path.join(folder, "explain.html");
  try {
    const explained = await withProgress(`explaining ${path.basename(file)}`, (cancelled) =>
      call(command(), ["explain", "--json", "--html", page, "--", problem, file], folderOf(document.uri), cancelled),
    );
    if (!explained) return;
    if (fs.existsSync(page)) showPage(context, "explanation", page, `kgrade: why ${path.basename(file)} is slow`);
    else vscode.window.showWarningMessage(`kgrade: ${explained.headline}`);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

async function debug(context) {
  const document = await savedDocument();
  const file = document.uri.fsPath;
  const problem = await problemOf(context, file, folderOf(document.uri));
  if (!problem) return;
  await vscode.debug.startDebugging(vscode.workspace.getWorkspaceFolder(document.uri), {
    type: "kgrade",
    request: "launch",
    name: `Debug ${path.basename(file)}`,
    problem,
    file,
  });
}

// Fills in what launch.json leaves out: F5 in a kernel's file works without one.
async function withFile(configuration) {
  if (!configuration.type) Object.assign(configuration, { type: "kgrade", request: "launch", name: "Debug the kernel" });
  if (!configuration.file && configuration.submission === undefined) {
    configuration.file = (await savedDocument()).uri.fsPath;
  }
  return configuration;
}

async function withProblem(context, configuration) {
  if (configuration.problem || configuration.submission !== undefined) return configuration;
  configuration.problem = await problemOf(context, configuration.file, folderOf(fileOf(configuration)));
  return configuration.problem ? configuration : undefined;
}

// Asks for a thread or a focus, and looks at it: the debugger's own commands, as in its terminal.
async function look() {
  const session = vscode.debug.activeDebugSession;
  if (!session || session.type !== "kgrade") throw new Error("no kernel is being debugged; start with kgrade: Debug");
  const typed = await vscode.window.showInputBox({
    prompt: "thread 3,1 block 2,0 looks at a thread of any block; focus warp 1 attends to a warp; focus all to all",
    value: "thread ",
  });
  if (!typed) return;
  const answer = await session.customRequest("evaluate", { expression: `:${typed}`, context: "repl" });
  vscode.debug.activeDebugConsole.appendLine(answer.result);
}

async function savedDocument() {
  const editor = vscode.window.activeTextEditor;
  if (!editor || !/\.(cu|py)$/.test(editor.document.uri.fsPath)) throw new Error("open a .cu or .py first");
  if (editor.document.isUntitled || !(await editor.document.save())) throw new Error("save the file first");
  return editor.document;
}

function withProgress(title, action) {
  const options = { location: vscode.ProgressLocation.Notification, title: `kgrade: ${title}`, cancellable: true };
  return vscode.window.withProgress(options, (_, cancelled) => action(cancelled));
}

function command() {
  return vscode.workspace.getConfiguration("kgrade").get("path") || "kgrade";
}

function fileOf(configuration) {
  return configuration.file ? vscode.Uri.file(configuration.file) : undefined;
}

// Where kgrade looks for its workspace: the file's folder, else the one that is open.
function folderOf(uri) {
  if (uri) return path.dirname(uri.fsPath);
  const [folder] = vscode.workspace.workspaceFolders || [];
  return folder ? folder.uri.fsPath : os.homedir();
}

module.exports = { activate, deactivate() {} };
