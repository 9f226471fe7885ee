import { execFile } from 'node:child_process';
import { createRequire, findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A compiler or linter run as a program of its own; what it prints is shown when it refuses. */
export interface ToolCheck {
  readonly name: string;
  /** A program of an npm package, found like an import, so that no PATH is needed; or a script of the repository. */
  readonly program:
    | {
        readonly package: string;
        readonly name: string /** The part of the workspace that installs it for itself. */;
        readonly of?: string;
      }
    | { readonly script: URL };
  readonly args: readonly string[];
}

// One checker: each of several would resolve the schemas' types anew, three times the work (9 s of CPU against 3 s).
const tscArgs = ['--pretty', 'false', '--checkers', '1'];

export const toolChecks: readonly ToolCheck[] = [
  {
    name: 'types',
    program: { package: 'typescript', name: 'tsc' },
    args: ['-p', 'tsconfig.json', ...tscArgs],
  },
  {
    name: 'types of pure code',
    program: { package: 'typescript', name: 'tsc' },
    args: ['-p', 'tsconfig.pure.json', ...tscArgs],
  },
  {
    name: 'types of pages',
    program: { package: 'typescript', name: 'tsc' },
    args: ['-p', 'tsconfig.pages.json', ...tscArgs],
  },
  {
    name: 'types of the browser',
    program: { package: 'typescript', name: 'tsc' },
    args: ['-p', 'packages/voice-sdk/tsconfig.json', ...tscArgs],
  },
  {
    name: 'types of the console',
    program: { package: 'svelte-check', name: 'svelte-check', of: 'apps/console' },
    args: [
      '--workspace',
      'apps/console',
      '--tsconfig',
      './tsconfig.json',
      '--output',
      'human',
      '--fail-on-warnings',
    ],
  },
  {
    name: 'lint and format',
    program: { package: '@biomejs/biome', name: 'biome' },
    args: [
      'check',
      '--error-on-warnings',
      '--diagnostic-level=warn',
      '--max-diagnostics=200',
      '--colors=off',
      '.',
    ],
  },
  {
    name: 'imports',
    program: { script: new URL('./import-check.ts', import.meta.url) },
    args: [],
  },
  {
    name: 'function lengths',
    program: { script: new URL('./function-lengths.ts', import.meta.url) },
    args: [],
  },
  {
    name: 'dead code and dependencies',
    program: { package: 'knip', name: 'knip' },
    args: ['--no-progress', '--treat-config-hints-as-errors'],
  },
];

/** The same tool with its rules of layout (line breaks, order of imports) off. */
export function withoutFormat(tool: ToolCheck): ToolCheck {
  if (!('package' in tool.program) || tool.program.package !== '@biomejs/biome') return tool;
  const [command = '', ...args] = tool.args;
  const off = ['--formatter-enabled=false', '--assist-enabled=false'];
  return { ...tool, name: 'lint', args: [command, ...off, ...args] };
}

export interface ToolOutcome {
  readonly passed: boolean;
  readonly output: string;
}

/** Runs the tool in `root`, with other arguments where a test plants a violation. */
export function runTool(
  tool: ToolCheck,
  root: string,
  args: readonly string[] = tool.args,
): Promise<ToolOutcome> {
  const script = scriptOf(tool.program);
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [script, ...args],
      { cwd: root, maxBuffer: 64 << 20 },
      (error, stdout, stderr) => {
        resolve({ passed: error === null, output: `${stdout}${stderr}`.trim() });
      },
    );
  });
}

function scriptOf(program: ToolCheck['program']): string {
  if ('script' in program) return fileURLToPath(program.script);
  const require = createRequire(import.meta.url);
  const manifestPath = manifestOf(program.package, program.of);
  const { bin } = require(manifestPath) as { bin: string | Record<string, string> };
  return join(dirname(manifestPath), typeof bin === 'string' ? bin : bin[program.name]!);
}

/** The package.json of an installed package, also of one whose `exports` do not name it. */
function manifestOf(name: string, part?: string): string {
  const from = part === undefined ? import.meta.url : new URL(`../../${part}/package.json`, import.meta.url);
  const found = findPackageJSON(name, from);
  if (found === undefined) throw new Error(`${name} is not installed: run npm ci`);
  return found;
}
