// Which problem a file is for: what a comment in it says, what was chosen before, a folder's name, or the user.
"use strict";

const vscode = require("vscode");
const fs = require("fs");
const path = require("path");
const { call } = require("./call");

const COMMENT = /^[ \t]*(?:\/\/|#)[ \t]*kgrade:[ \t]*([a-z0-9][a-z0-9_-]{0,99})[ \t]*\r?$/m;
const FIRST_LINES = 20;

// The problem's name; undefined if the user gives none.
async function problemOf(context, file, folder) {
  const named = COMMENT.exec(fs.readFileSync(file, "utf8").split("\n", FIRST_LINES).join("\n"));
  if (named) return named[1];
  const before = context.workspaceState.get(`problem of ${file}`);
  if (before) return before;
  const known = await problems(folder);
  const folders = path.dirname(file).split(path.sep).reverse();
  const above = folders.find((name) => known.some((one) => one.problem === name));
  return above || (await chooseProblem(context, file, folder, known));
}

// Asks, and remembers the answer for this file.
async function chooseProblem(context, file, folder, known) {
  const items = (known || (await problems(folder))).map((one) => ({ label: one.problem, description: one.title }));
  const chosen = await vscode.window.showQuickPick(items, { title: `Which problem is ${path.basename(file)} for?` });
  if (!chosen) return undefined;
  await context.workspaceState.update(`problem of ${file}`, chosen.label);
  return chosen.label;
}

async function problems(folder) {
  const command = vscode.workspace.getConfiguration("kgrade").get("path") || "kgrade";
  return (await call(command, ["list", "--json"], folder)).problems;
}

module.exports = { chooseProblem, problemOf };
