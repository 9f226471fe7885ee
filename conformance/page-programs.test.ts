import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { microphoneHz, missingBrowser } from './support/browser/browser.ts';
import { phoneDomain, webSocketUrl } from './support/browser/browser-phones.ts';
import { browserSuite, webRtc } from './support/browser/browser-suite.ts';
import { password } from './support/browser/hosted-pages.ts';
import { openGrammar } from './support/grammar.ts';
import { missing } from './support/installed.ts';
import { minted } from './support/minted-token.ts';
import { snippetsOf } from './support/snippets.ts';

const root = join(import.meta.dirname, '..');
/** Pages for customers and those of packages. */
const pages = [
  'README.md',
  ...globSync(['docs/**/*.md', 'packages/*/README.md'], {
    cwd: root,
    exclude: (name) => name === '.vitepress',
  }),
].sort();

/** A block of a page that holds a program. */
interface Program {
  readonly page: string;
  readonly line: number;
  readonly language: string;
  readonly text: string;
}

function programsOf(page: string, ...languages: readonly string[]): readonly Program[] {
  return snippetsOf(readFileSync(join(root, page), 'utf8'))
    .filter(({ language }) => languages.includes(language))
    .map(({ language, line, text }) => ({ page, line, language, text }));
}

/** The options of the workspace. Programs run in Node or in a browser, and JavaScript names no types of parameters. */
const options = {
  module: 'nodenext',
  moduleDetection: 'force',
  lib: ['es2024', 'dom', 'dom.iterable'],
  allowJs: true,
  checkJs: true,
  noImplicitAny: false,
  noUnusedParameters: false,
};

/** The terminal in which a reader starts programs has these variables. */
const readersTerminal =
  'declare namespace NodeJS { interface ProcessEnv { JACKFIELD: string; AUTH: string; AUTH_TOKEN: string } }';

/** The packages that programs of pages import, each after those that it imports itself. */
const published = ['sip', 'contract', 'stream-kit', 'hosted-sdk', 'voice-sdk', 'testing'];

/**
 * Unpacks the packages as a reader installs them. Their declarations are what a reader's compiler sees, and need a tenth of the time of the
 * sources behind them.
 */
async function installPublished(modules: string, dist: string): Promise<void> {
  const pack = [join(root, 'tools/publish/pack.ts'), '--into', dist, ...published];
  const { stdout } = await promisify(execFile)(process.execPath, pack, { cwd: root });
  for (const [index, tarball] of stdout.trim().split('\n').entries()) {
    const into = join(modules, '@jackfield', published[index]!);
    await mkdir(into, { recursive: true });
    await promisify(execFile)('tar', ['-xzf', tarball, '-C', into, '--strip-components=1']);
  }
}

/** Compiles programs against the published packages; resolves with the compiler's problems, by page and line. */
async function problemsOf(programs: readonly Program[]): Promise<readonly string[]> {
  const above = await mkdtemp(join(tmpdir(), 'programs-'));
  const directory = join(above, 'programs');
  try {
    // Packages of others are found one directory above.
    await symlink(join(root, 'node_modules'), join(above, 'node_modules'));
    await installPublished(join(directory, 'node_modules'), join(above, 'dist'));
    await writeFile(join(directory, 'package.json'), '{"type":"module"}');
    await writeFile(join(directory, 'terminal.d.ts'), readersTerminal);
    const files = programs.map(({ language }, index) => `${index}/program.${language}`);
    for (const [index, { text }] of programs.entries()) {
      await mkdir(join(directory, String(index)));
      await writeFile(join(directory, files[index]!), text);
    }
    const configuration = {
      extends: join(root, 'tsconfig.json'),
      compilerOptions: options,
      files: ['terminal.d.ts', ...files],
      include: [],
    };
    await writeFile(join(directory, 'tsconfig.json'), JSON.stringify(configuration));
    const output = await new Promise<string>((resolve) => {
      const compiler = join(root, 'node_modules/.bin/tsc');
      execFile(compiler, ['-p', directory, '--pretty', 'false'], { cwd: directory }, (_, stdout) =>
        resolve(stdout),
      );
    });
    return output.split('\n').flatMap((line) => {
      const [, index, at, problem] = /^(\d+)\/program\.\w+\((\d+),\d+\)(.*)$/.exec(line) ?? [];
      const program = programs[Number(index)];
      return program === undefined ? [] : [`${program.page}:${program.line + Number(at)}${problem}`];
    });
  } finally {
    await rm(above, { recursive: true, force: true });
  }
}

it('each program of a page compiles against the types of the packages that it imports, as they are published', {
  timeout: 300_000,
}, async () => {
  const programs = pages.flatMap((page) => programsOf(page, 'js', 'ts'));
  assert.ok(programs.length > 12, `${programs.length} programs were found`);
  // A program with a mistake shows that the compiler sees them.
  const wrong: Program = {
    page: 'a page',
    line: 7,
    language: 'js',
    text: "import { createWorld } from '@jackfield/testing';\n\ncreateWorld({ programme: 'http://127.0.0.1' });\n",
  };
  const problems = await problemsOf([...programs, wrong]);
  const isOfWrong = (problem: string) => problem.startsWith(wrong.page);
  assert.match(problems.find(isOfWrong) ?? '', /^a page:10: error .*'programme' does not exist/);
  assert.deepEqual(
    problems.filter((problem) => !isOfWrong(problem)),
    [],
  );
});

/** Each reads a program, and fails with the line of a mistake. Imports need not be installed. */
const syntaxChecks = [
  {
    language: 'python',
    command: 'python3',
    args: ['-c', "import sys; compile(sys.stdin.read(), '<stdin>', 'exec')"],
    at: /"<stdin>", line (\d+)/,
    wrong: 'import os\nprint(os.environ[)\n',
  },
  {
    language: 'go',
    command: 'gofmt',
    args: ['-e'],
    at: /<standard input>:(\d+)/,
    wrong: 'package main\nfunc main( {\n}\n',
  },
  {
    language: 'ruby',
    command: 'ruby',
    args: ['-c'],
    at: /^-:(\d+):/,
    wrong: 'class Client\n  def base_uri)\n  end\nend\n',
  },
  {
    language: 'php',
    command: 'php',
    args: ['-l'],
    // Of a page the tag is left out.
    opening: '<?php ',
    at: /on line (\d+)/,
    wrong: 'class Client {\n  function send( {}\n}\n',
  },
];

for (const { language, command, args, at, wrong, opening = '' } of syntaxChecks) {
  /** The line of the first mistake, with what the command says of it; undefined without a mistake. */
  const mistakeIn = ({ page, line, text }: Program): string | undefined => {
    const { status, stdout, stderr } = spawnSync(command, args, { input: opening + text, encoding: 'utf8' });
    const said = stderr + stdout;
    return status === 0 ? undefined : `${page}:${line + Number(at.exec(said)?.[1])} ${said}`;
  };

  it(`each program of a page in ${language} has no mistake of syntax`, { skip: missing(command) }, () => {
    const programs = pages.flatMap((page) => programsOf(page, language));
    assert.ok(programs.length > 0, `${programs.length} programs were found`);
    assert.match(mistakeIn({ page: 'a page', line: 7, language, text: wrong }) ?? '', /^a page:9 /);
    assert.deepEqual(programs.map(mistakeIn).filter(Boolean), []);
  });
}

for (const { language, grammar, wrong } of [
  { language: 'java', grammar: 'java', wrong: 'int a = 1;\ncall(;\n' },
  { language: 'csharp', grammar: 'c-sharp', wrong: 'var a = 1;\ncall(;\n' },
] as const) {
  it(`each program of a page in ${language} is one by the grammar of the language`, async () => {
    const { mistakeIn } = await openGrammar(grammar);
    assert.equal(mistakeIn(wrong), 2);
    const programs = pages.flatMap((page) => programsOf(page, language));
    assert.ok(programs.length > 0, `${programs.length} programs were found`);
    for (const { page, line, text } of programs) {
      const mistake = mistakeIn(text);
      assert.equal(mistake, undefined, `${page}:${line + Number(mistake)}`);
    }
  });
}

describe('programs of pages for a browser, each in Chromium', {
  skip: missingBrowser(),
  timeout: 300_000,
}, () => {
  const suite = browserSuite({
    settings: async () => ({
      ...(await webRtc()),
      JACKFIELD_SIP_DOMAINS: `${phoneDomain},phone.plivo.com`,
    }),
  });
  const sdk = createRequire(join(root, 'packages/voice-sdk/package.json'));

  /** Opens a page with the block of a documentation page that has this text, and with what the test adds to it. */
  async function opened(t: TestContext, page: string, marker: string, added = '') {
    const { text } =
      programsOf(page, 'js', 'ts').find(({ text }) => text.includes(marker)) ??
      assert.fail(`${page} has no program with ${marker}`);
    const name = `shown-${t.name.replace(/[^a-z]+/gi, '-').toLowerCase()}`;
    const { username } = await suite.platform.createEndpoint('shown', password);
    const source = [
      ['ws://127.0.0.1:8080/sip', webSocketUrl(suite.platform)],
      ['wss://voice.example.com/sip', webSocketUrl(suite.platform)],
      ['wss://sip.example.com/sip', webSocketUrl(suite.platform)],
      ['alice261121120000', username],
      ['a-good-password', password],
    ].reduce((read, [shown = '', real = '']) => read.replaceAll(shown, real), text);
    const now = Math.floor(Date.now() / 1000);
    const per = { voice: { incoming_allow: true, outgoing_allow: true } };
    const claims = { app: '', iss: suite.platform.authId, sub: username, nbf: now, exp: now + 600, per };
    suite.browser.serve('/my-token', Buffer.from(minted(claims, suite.platform.authToken)));
    for (const file of ['rnnoiseWorklet.js', 'rnnoise.wasm'])
      suite.browser.serve(`/${file}`, readFileSync(sdk.resolve(`@sapphi-red/web-noise-suppressor/${file}`)));
    const shown = await suite.browser.open({ program: name, source: `${source}\n${added}` });
    t.after(async () => {
      await suite.platform.api('DELETE', 'Call/');
      await shown.close();
    });
    return shown;
  }

  type Shown = Awaited<ReturnType<typeof opened>>;

  /** The page calls the echo phone by itself: it hears its own microphone. */
  async function hearsItself(page: Shown): Promise<void> {
    try {
      await page.until('two seconds of audio', ({ received }) => received.packets > 220);
    } catch (error) {
      throw new Error(page.console.join('\n'), { cause: error });
    }
    await page.untilHeard(microphoneHz);
  }

  it('JsSIP', async (t) => {
    await hearsItself(await opened(t, 'docs/guides/browsers.md', "from 'jssip'"));
  });

  it("Plivo's browser SDK", async (t) => {
    const added = "client.on('onLogin', () => client.call('+12025550100', {}));";
    await hearsItself(await opened(t, 'docs/guides/browsers.md', "from 'plivo-browser-sdk'", added));
  });

  it('the voice SDK with a token', async (t) => {
    await hearsItself(await opened(t, 'packages/voice-sdk/README.md', "call.on('warning'"));
  });

  it('the voice SDK with noise suppression', async (t) => {
    const added = "await phone.register();\nphone.call('+12025550100');";
    const page = await opened(t, 'packages/voice-sdk/README.md', 'noiseSuppression(', added);
    await page.until('two seconds of audio', ({ received }) => received.packets > 110);
  });

  it('the adapter of the voice SDK', async (t) => {
    await hearsItself(await opened(t, 'packages/voice-sdk/README.md', '/plivo'));
  });
});
