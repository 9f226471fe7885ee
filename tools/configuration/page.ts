import { loadConfig } from '@jackfield/server/src/config.ts';
import { type ConfigVariable, configVariables } from '@jackfield/server/src/config-variables.ts';

export const pagePath = 'docs/reference/configuration.md';

/** From the folder of the page. */
const meanings = ['..', 'operate', 'configuration.md'].join('/');

const introduction = `# Configuration

After this page you know every variable, its default and the values that it may have. [Configure](${meanings}) says what each of them does. The page is written by
\`npx node tools/configuration/write-page.ts\` from \`apps/server/src/config-variables.ts\` and the defaults that the server reports at its start.

An empty variable counts as not set. A value that is not allowed stops the start with a sentence that names it. **Secret** values are never printed.

| variable | allowed | in the sandbox | in production |
|---|---|---|---|
`;

/** Defaults that the server takes from the machine on which the page is written. */
const ofTheMachine: Readonly<Record<string, string>> = {
  JACKFIELD_NODE: 'the name of the machine',
  JACKFIELD_NODE_ADDRESS: 'the public address',
  JACKFIELD_PUBLIC_ADDRESS: 'the SIP address; where that is every address, the first of a real interface',
  JACKFIELD_PUBLIC_URL: 'the HTTP address and port; where that is every address, the public address',
};

/** The whole page, from the server. */
export function pageText(): string {
  const [sandbox, production] = [defaultsOf('dev'), defaultsOf('production')];
  const rows = Object.values<ConfigVariable<unknown>>(configVariables)
    .toSorted((a, b) => a.name.localeCompare(b.name, 'en'))
    .map(({ name, allowed, secret }) => {
      const defaults = [sandbox.get(name) ?? '', production.get(name) ?? ''];
      return `| \`${name}\` | ${secret ? '**Secret.** ' : ''}${inTable(allowed)} | ${defaults.map(inTable).join(' | ')} |\n`;
    });
  return introduction + rows.join('');
}

function defaultsOf(mode: 'dev' | 'production'): ReadonlyMap<string, string> {
  const loaded = loadConfig({ env: {}, mode });
  if (!loaded.ok) throw new Error(loaded.problems.map(({ sentence }) => sentence).join('\n'));
  return new Map(
    loaded.inForce.map(({ variable, value }) => [
      variable,
      ofTheMachine[variable] ?? value.replace(`${process.cwd()}/`, './'),
    ]),
  );
}

function inTable(text: string): string {
  return text.replaceAll('|', '\\|');
}
