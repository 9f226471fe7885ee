import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** A compiler or linter run as a program of its own; what it prints is shown when it refuses. */
export interface ToolCheck {
  readonly name: string;
  /** The npm package and the program inside it: found like an import, so no PATH is needed. */
  readonly package: string;
  readonly program: string;
  readonly args: readonly string[];
}

// One checker: each of several would resolve the schemas' types anew, three times the work (9 s of CPU against 3 s).
const tscArgs = ['--pretty', 'false', '--checkers', '1'];

export const toolChecks: readonly ToolCheck[] = [
  {
    name: 'types',
    package: 'typescript',
    program: 'tsc',
    args: ['-p', 'tsconfig.json', ...tscArgs],
  },
  {
    name: 'types of pure code',
    package: 'typescript',
    program: 'tsc',
    args: ['-p', 'tsconfig.pure.json', ...tscArgs],
  },
  {
    name: 'lint and format',
    package: '@biomejs/biome',
    program: 'biome',
    args: [
      'check',
      '--error-on-warnings',
      '--diagnostic-level=warn',
      '--max-diagnostics=200',
      '--colors=off',
      '.',
    ],
  },
];

/** The same tool with its rules of layout (line breaks, order of imports) off. */
export function withoutFormat(tool: ToolCheck): ToolCheck {
  if (tool.package !== '@biomejs/biome') return tool;
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
  const require = createRequire(import.meta.url);
  const manifestPath = require.resolve(`${tool.package}/package.json`);
  const manifest = require(manifestPath) as { bin: Record<string, string> };
  const script = join(dirname(manifestPath), manifest.bin[tool.program] as string);
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
