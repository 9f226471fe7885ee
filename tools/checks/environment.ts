import { isTest, isTypeScript, lineAt, type SourceCheck } from './check-result.ts';
import { maskOf } from './masked-text.ts';

/** The second is for the tests of customers, which their shell steers. */
const readers = ['apps/server/src/read-environment.ts', 'packages/testing/src/test-environment.ts'];
// Not part of the running product: they may be steered by the shell that starts them.
const exempt = /^(tools|benchmarks|conformance)\//;

const reads = [
  /\bprocess\s*\??\.\s*(?:env|loadEnvFile)\b/g,
  /\bprocess\s*(?:\?\.)?\[/g,
  /\{[^{}]*\benv\b[^{}]*\}\s*=\s*process\b/g,
  /\bimport\s*\{[^{}]*\b(?:env|loadEnvFile)\b[^{}]*\}\s*from\s*['"]/g,
];

/** The environment is read in one file; tests, tools, benchmarks and conformance are exempt. */
export const environment: SourceCheck = {
  name: 'environment',
  find(files) {
    return files
      .filter((file) => isTypeScript(file) && !readers.includes(file.path) && !isTest(file.path))
      .filter((file) => !exempt.test(file.path))
      .flatMap((file) => {
        const { code } = maskOf(file);
        return reads.flatMap((pattern) =>
          [...code.matchAll(pattern)]
            .filter((match) => !match[0].startsWith('import') || isProcess(file.text, match))
            .map((match) => ({
              path: file.path,
              line: lineAt(file.text, match.index),
              sentence: `the environment is read in ${readers[0]} alone; take the value as an argument`,
            })),
        );
      });
  },
};

/** Whether the module that follows an import's `from` is Node's process. */
function isProcess(text: string, match: RegExpExecArray): boolean {
  return /^(node:)?process['"]/.test(text.slice(match.index + match[0].length));
}
