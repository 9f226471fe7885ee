import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { packPackage } from './pack-package.ts';

const root = join(import.meta.dirname, '../..');

describe('packed packages, in another project', { timeout: 120_000 }, () => {
  const project = mkdtempSync(join(tmpdir(), 'packed-'));
  const modules = join(project, 'node_modules');

  before(() => {
    for (const name of ['sip', 'contract', 'stream-kit', 'hosted-sdk', 'voice-sdk']) {
      const tarball = packPackage(name, project);
      const directory = join(modules, '@jackfield', name);
      mkdirSync(directory, { recursive: true });
      const { status, stderr } = spawnSync('tar', ['xzf', tarball, '--strip-components=1', '-C', directory]);
      assert.equal(status, 0, String(stderr));
    }
    // What npm would install beside them.
    const beside = [
      'ws',
      'typebox',
      '@types/ws',
      '@types/node',
      'undici-types',
      'plivo',
      '@sapphi-red/web-noise-suppressor',
    ];
    for (const name of beside) {
      mkdirSync(dirname(join(modules, name)), { recursive: true });
      symlinkSync(join(root, 'node_modules', name), join(modules, name));
    }
    writeFileSync(join(project, 'package.json'), '{"type":"module"}');
  });

  after(() => rmSync(project, { recursive: true }));

  function node(...args: readonly string[]) {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: project, encoding: 'utf8' });
    return { status, out: stdout + stderr };
  }

  it('contain the files that their public API reaches, and no test', () => {
    const files = readdirSync(join(modules, '@jackfield/sip'), { recursive: true, encoding: 'utf8' });
    assert.ok(files.includes('dist/index.js') && files.includes('dist/transport/index.d.ts'));
    assert.deepEqual(
      files.filter((file) => /test|testing|corpus|\.ts$/.test(file) && !file.endsWith('.d.ts')),
      [],
    );
  });

  it("Plivo's SDK is found beside the package that points it at a server", () => {
    writeFileSync(
      join(project, 'plivo.js'),
      `import { createServer } from 'node:http';
import { pointPlivoSdkAt } from '@jackfield/hosted-sdk';
import plivo from 'plivo';
const server = createServer((request, response) => response.end(request.url)).listen(0, '127.0.0.1', async () => {
  pointPlivoSdkAt('http://127.0.0.1:' + server.address().port);
  await new plivo.Client('MA', 'secret').calls.hangup('1');
  console.log('sent');
  server.close().closeAllConnections();
});`,
    );
    assert.deepEqual(node('plivo.js'), { status: 0, out: 'sent\n' });
  });

  it('the SIP stack answers OPTIONS over UDP', () => {
    writeFileSync(
      join(project, 'options.js'),
      `import { createSocket } from 'node:dgram';
import { createResponse, parseMessage, printMessage } from '@jackfield/sip';
import { createTransports } from '@jackfield/sip/transport';
const transports = await createTransports({
  host: '127.0.0.1', port: 0,
  onMessage(text, flow) {
    const { message } = parseMessage(text);
    transports.send({ flow: flow.id }, printMessage(createResponse(message, 200, undefined, { toTag: 'a' })));
  },
  onSendFailed() {},
});
const phone = createSocket('udp4');
phone.once('message', async (answer) => {
  console.log(String(answer).split('\\r\\n')[0]);
  phone.close();
  await transports.close();
});
const lines = ['OPTIONS sip:a@b SIP/2.0', 'Via: SIP/2.0/UDP 127.0.0.1;branch=z9hG4bK1;rport', 'From: <sip:c@d>;tag=1',
  'To: <sip:a@b>', 'Call-ID: x', 'CSeq: 1 OPTIONS', 'Max-Forwards: 70', 'Content-Length: 0', '', ''];
phone.send(lines.join('\\r\\n'), transports.addresses[0].port, '127.0.0.1');
`,
    );
    assert.deepEqual(node('options.js'), { status: 0, out: 'SIP/2.0 200 OK\n' });
  });

  it('the check of stream servers is a command', () => {
    const { out } = node('node_modules/@jackfield/stream-kit/dist/main.js');
    assert.match(out, /stream-check <ws or wss URL>/);
  });

  it('the voice SDK loads outside of a page, and refuses options without a login', () => {
    writeFileSync(
      join(project, 'voice.js'),
      `import { Phone } from '@jackfield/voice-sdk';
try {
  new Phone({ url: 'wss://127.0.0.1/sip' });
} catch (error) {
  console.log(error.code, error.message);
}`,
    );
    assert.deepEqual(node('voice.js'), {
      status: 0,
      out: 'invalid-argument A phone needs a token, or a username and a password.\n',
    });
  });

  it('their types are what the compiler finds', () => {
    const lines = [
      "import { parseMessage } from '@jackfield/sip';",
      "import { serveStreams } from '@jackfield/stream-kit';",
      "const { message } = parseMessage('');",
      'export const kind: string | undefined = message?.kind;',
      '// @ts-expect-error a number is no message',
      'parseMessage(1);',
      'export const serve: typeof serveStreams = serveStreams;',
    ];
    writeFileSync(join(project, 'typed.ts'), lines.join('\n'));
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--types', 'node'];
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    assert.deepEqual(node(compiler, ...options, 'typed.ts'), { status: 0, out: '' });
  });

  it("a strict project of a page compiles the programs of the voice SDK's README, the call of 15 lines first", () => {
    const page = join(project, 'page');
    mkdirSync(page);
    const readme = readFileSync(join(modules, '@jackfield/voice-sdk/README.md'), 'utf8');
    const programs = [...readme.matchAll(/```ts[^\n]*\n([\s\S]*?)```/g)].map(([, program]) => program!);
    assert.equal(programs.length, 3);
    assert.ok(programs[0]!.trimEnd().split('\n').length <= 15);
    for (const [at, program] of programs.entries()) writeFileSync(join(page, `program${at}.ts`), program);
    writeFileSync(
      join(page, 'wrong.ts'),
      `import { Phone } from '@jackfield/voice-sdk';
// @ts-expect-error an event that a phone does not have
new Phone({ url: 'wss://a/sip', token: () => '' }).on('calling', () => undefined);
// @ts-expect-error a state that does not exist
export const state: 'online' = new Phone({ url: 'wss://a/sip', token: () => '' }).state;`,
    );
    const strict = {
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      noPropertyAccessFromIndexSignature: false,
      skipLibCheck: false,
      noEmit: true,
      module: 'esnext',
      moduleResolution: 'bundler',
      target: 'es2022',
      lib: ['es2022', 'dom', 'dom.iterable'],
      types: [],
    };
    writeFileSync(
      join(page, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: strict, include: ['*.ts'] }),
    );
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    assert.deepEqual(node(compiler, '-p', 'page'), { status: 0, out: '' });
  });
});
