// Calls kgrade with --json and returns the object that it prints.
"use strict";

const { spawn } = require("child_process");

const MOST_BYTES = 64 * 1024 * 1024;

// Resolves to the printed object, to undefined if it was cancelled. Rejects with words for the user.
function call(command, words, folder, cancelled) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, words, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
    const printed = [];
    let size = 0;
    let complaint = "";
    const cancelling = cancelled && cancelled.onCancellationRequested(() => child.kill("SIGINT"));
    child.stdout.on("data", (part) => {
      size += part.length;
      if (size > MOST_BYTES) child.kill();
      else printed.push(part);
    });
    child.stderr.on("data", (part) => {
      complaint = (complaint + part).slice(-10000);
    });
    child.on("error", (error) => reject(unstarted(command, error)));
    child.on("close", () => {
      if (cancelling) cancelling.dispose();
      if (cancelled && cancelled.isCancellationRequested) return resolve(undefined);
      const answer = parse(Buffer.concat(printed).toString("utf8"));
      if (!answer) return reject(new Error(complaint.trim() || "kgrade printed nothing"));
      if (answer.error) return reject(new Error([answer.error, answer.hint].filter(Boolean).join("; ")));
      return resolve(answer);
    });
  });
}

// Resolves if the command can be started, else rejects as `call` does.
function mustStart(command) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, ["--version"], { stdio: "ignore" });
    child.on("error", (error) => reject(unstarted(command, error)));
    child.on("close", resolve);
  });
}

function unstarted(command, error) {
  if (error.code !== "ENOENT") return error;
  return new Error(`${command} was not found; set kgrade.path, or install it: pip install kgrade`);
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

module.exports = { call, mustStart };
