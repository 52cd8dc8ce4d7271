import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { VerifyCase } from './cases.ts';

const FOLDER = fileURLToPath(new URL('../../../docs/verify/', import.meta.url));

/** A language that the documentation has a verifier for. */
export interface Snippet {
  readonly language: string;
  /** The file in docs/verify. */
  readonly file: string;
  /** Where the file lies beside a program that uses it. */
  readonly place: string;
  readonly program: string;
  /** Runs the program: the interpreter, then its arguments. */
  readonly command: readonly [string, ...string[]];
  /** How the documentation marks its blocks of code. */
  readonly fence: string;
  /** Runs the receiver of the documentation, on `PORT`. */
  readonly serve: { readonly program: string; readonly command: readonly [string, ...string[]] };
  /** What a program needs beside it. */
  readonly extra?: Readonly<Record<string, string>>;
  /** Reads cases as JSON from its input, and prints for each "" or why it was refused. */
  readonly check: string;
}

const GO_MODULE = { 'go.mod': 'module example\n\ngo 1.21\n' };

/** As much of a Rack server as the receiver needs: none comes with the language. */
const RACK = `
require "socket"
require "stringio"
def run(app) = $app = app
load "./config.ru"
server = TCPServer.new("127.0.0.1", Integer(ENV.fetch("PORT")))
loop do
  client = server.accept
  client.gets
  env = {}
  while (line = client.gets.to_s.chomp) != ""
    name, value = line.split(": ", 2)
    env["HTTP_" + name.upcase.tr("-", "_")] = value
  end
  env["rack.input"] = StringIO.new(client.read(env["HTTP_CONTENT_LENGTH"].to_i))
  status, = $app.call(env)
  client.write "HTTP/1.1 #{status} -\\r\\nconnection: close\\r\\ncontent-length: 0\\r\\n\\r\\n"
  client.close
end
`;

export const snippets: readonly Snippet[] = [
  {
    language: 'Node',
    file: 'verify.mjs',
    place: 'verify.mjs',
    program: 'main.mjs',
    command: [process.execPath, 'main.mjs'],
    fence: 'js',
    serve: { program: 'main.mjs', command: [process.execPath, 'main.mjs'] },
    check: `
import { readFileSync } from 'node:fs';
import { verify } from './verify.mjs';
const said = JSON.parse(readFileSync(0, 'utf8')).map(({ secrets, headers, body, now }) => {
  try {
    verify(secrets, headers, Buffer.from(body, 'base64'), now);
    return '';
  } catch (error) {
    return error.message;
  }
});
console.log(JSON.stringify(said));
`,
  },
  {
    language: 'Python',
    file: 'verify.py',
    place: 'verify.py',
    program: 'main.py',
    command: ['python3', 'main.py'],
    fence: 'python',
    serve: { program: 'main.py', command: ['python3', 'main.py'] },
    check: `
import base64, json, sys
from verify import verify
def said(case):
    try:
        verify(case["secrets"], case["headers"], base64.b64decode(case["body"]), case["now"])
        return ""
    except ValueError as error:
        return str(error)
print(json.dumps([said(case) for case in json.load(sys.stdin)]))
`,
  },
  {
    language: 'Go',
    file: 'verify.go',
    place: 'webhooks/verify.go',
    program: 'main.go',
    command: ['go', 'run', '.'],
    fence: 'go',
    serve: {
      program: 'main.go',
      command: ['sh', '-c', 'go build -o receiver . && exec ./receiver'],
    },
    extra: GO_MODULE,
    check: `package main
import ("encoding/json"; "os"; "time"; "example/webhooks")
type headers map[string]string
func (h headers) Get(name string) string { return h[name] }
func main() {
	var cases []struct { Secrets []string; Headers headers; Body []byte; Now int64 }
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil { panic(err) }
	said := []string{}
	for _, c := range cases {
		text := ""
		if err := webhooks.Verify(c.Secrets, c.Headers, c.Body, time.Unix(c.Now, 0)); err != nil { text = err.Error() }
		said = append(said, text)
	}
	json.NewEncoder(os.Stdout).Encode(said)
}
`,
  },
  {
    language: 'PHP',
    file: 'verify.php',
    place: 'verify.php',
    program: 'main.php',
    command: ['php', 'main.php'],
    fence: 'php',
    serve: {
      program: 'hooks.php',
      command: ['sh', '-c', 'exec php -S "127.0.0.1:$PORT" hooks.php'],
    },
    check: `<?php
require __DIR__ . '/verify.php';
$said = array_map(function (array $case): string {
    try {
        Webhooks\\verify($case['secrets'], $case['headers'], base64_decode($case['body']), $case['now']);
        return '';
    } catch (RuntimeException $error) {
        return $error->getMessage();
    }
}, json_decode(file_get_contents('php://stdin'), true));
echo json_encode($said);
`,
  },
  {
    language: 'Ruby',
    file: 'verify.rb',
    place: 'verify.rb',
    program: 'main.rb',
    command: ['ruby', 'main.rb'],
    fence: 'ruby',
    serve: { program: 'config.ru', command: ['ruby', 'rack.rb'] },
    extra: { 'rack.rb': RACK },
    check: `
require "json"
require_relative "verify"
said = JSON.parse($stdin.read).map do |c|
  Webhooks.verify(c["secrets"], c["headers"], c["body"].unpack1("m0"), now: c["now"])
  ""
rescue Webhooks::Refused => error
  error.message
end
puts JSON.generate(said)
`,
  },
];

/** Nothing is fetched, also not another toolchain. */
const ENV = { GOFLAGS: '-mod=mod', GOPROXY: 'off', GOTOOLCHAIN: 'local', GOWORK: 'off' };

/** Whether the language's interpreter is on this machine. */
export function isPresent({ command: [interpreter] }: Snippet): boolean {
  const asked = interpreter === 'go' ? 'version' : '--version';
  return spawnSync(interpreter, [asked], { env: { ...process.env, ...ENV } }).status === 0;
}

/** A new folder with the file from the documentation and a program beside it. */
export function folderWith({ file, place, program, extra = {} }: Snippet, text: string): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'wms-verify-'));
  fs.mkdirSync(path.dirname(path.join(folder, place)), { recursive: true });
  fs.copyFileSync(path.join(FOLDER, file), path.join(folder, place));
  for (const [name, content] of Object.entries({ ...extra, [program]: text }))
    fs.writeFileSync(path.join(folder, name), content);
  return folder;
}

export const programEnv = (more: Readonly<Record<string, string>>): NodeJS.ProcessEnv => ({
  ...process.env,
  ...ENV,
  ...more,
});

/** What the language's verifier says to each case: "" or why it refuses. */
export function verdictsOf(snippet: Snippet, cases: readonly VerifyCase[]): string[] {
  const folder = folderWith(snippet, snippet.check);
  const [interpreter, ...args] = snippet.command;
  const input = JSON.stringify(cases.map((one) => ({ ...one, body: one.body.toString('base64') })));
  const options = { cwd: folder, input, encoding: 'utf8', env: programEnv({}) } as const;
  const { status, stdout, stderr } = spawnSync(interpreter, args, options);
  fs.rmSync(folder, { recursive: true, force: true });
  if (status !== 0) throw new Error(`${snippet.language}: ${stderr}`);
  return JSON.parse(stdout) as string[];
}
