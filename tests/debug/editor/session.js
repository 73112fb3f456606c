// A session with VS Code's own test client: node session.js PYTHON ADAPTER PACKAGES FILE. Prints a line for each step.
const assert = require("assert");
const { createRequire } = require("module");

const [python, adapter, packages, file] = process.argv.slice(2);
const { DebugClient } = createRequire(packages)("@vscode/debugadapter-testsupport");

async function stoppedAfter(client, request) {
  const stopped = client.waitForEvent("stopped");
  await request;
  return (await stopped).body;
}

async function lineOf(client, thread) {
  const response = await client.stackTraceRequest({ threadId: thread });
  return response.body.stackFrames[0].line;
}

async function main() {
  const client = new DebugClient(python, adapter, "kgrade", { env: process.env }, true);
  client.defaultTimeout = 60000;
  await client.start();
  const launch = { problem: "matmul", file, case: "M=1,N=17,K=1", seed: 1 };
  await client.hitBreakpoint(launch, { path: file, line: 27 });
  console.log("breakpoint");

  const threads = (await client.threadsRequest()).body.threads;
  assert.strictEqual(threads.length, 256);
  assert.strictEqual(threads[3].name, "block (0,0,0) thread (3,0,0)");
  assert.strictEqual((await client.evaluateRequest({ expression: "start + k" })).body.result, "0");

  const info = (await client.dataBreakpointInfoRequest({ name: "tile_A[0][0]" })).body;
  await client.setBreakpointsRequest({ source: { path: file }, breakpoints: [] });
  const set = await client.setDataBreakpointsRequest({ breakpoints: [{ dataId: info.dataId, accessType: "write" }] });
  assert.ok(set.body.breakpoints[0].verified);
  let stop = await stoppedAfter(client, client.reverseContinueRequest({ threadId: 1 }));
  assert.strictEqual(stop.reason, "data breakpoint");
  assert.strictEqual(await lineOf(client, stop.threadId), 22);
  console.log("data breakpoint, backwards");

  stop = await stoppedAfter(client, client.stepBackRequest({ threadId: 1 }));
  assert.strictEqual(await lineOf(client, 1), 22);
  stop = await stoppedAfter(client, client.stepBackRequest({ threadId: 1 }));
  assert.strictEqual(await lineOf(client, 1), 21);
  stop = await stoppedAfter(client, client.nextRequest({ threadId: 1 }));
  assert.strictEqual(await lineOf(client, 1), 22);
  console.log("back and ahead");

  await client.setDataBreakpointsRequest({ breakpoints: [] });
  stop = await stoppedAfter(client, client.continueRequest({ threadId: 1 }));
  assert.strictEqual(stop.reason, "exception");
  const fault = (await client.exceptionInfoRequest({ threadId: stop.threadId })).body;
  assert.match(fault.description, /__syncthreads\(\) is missing/);
  assert.strictEqual(await lineOf(client, stop.threadId), 22);
  console.log("fault");

  const frame = (await client.stackTraceRequest({ threadId: stop.threadId })).body.stackFrames[0];
  const scopes = (await client.scopesRequest({ frameId: frame.id })).body.scopes;
  const locals = scopes.find((scope) => scope.name === "Locals");
  const variables = (await client.variablesRequest({ variablesReference: locals.variablesReference })).body.variables;
  assert.strictEqual(variables.find((each) => each.name === "start").value, "16");
  console.log("variables");
  await client.stop();
}

main().then(
  () => process.exit(0),
  (error) => {
    console.error(error);
    process.exit(1);
  },
);
