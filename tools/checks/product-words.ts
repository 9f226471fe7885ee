import { isTypeScript, lineAt, type SourceCheck } from './check-result.ts';

/**
 * Words of the product that a protocol library has no use for. `agent`, `endpoint`, `call`, `session` and `conference` are words
 * of the RFCs and stay.
 */
export const productWords: readonly string[] = [
  'account',
  'subaccount',
  'tenant',
  'customer',
  'supervisor',
  'coach',
  'multiparty',
  'sandbox',
  'webhook',
  'billing',
  'plivo',
  'jackfield',
];

// Parts of identifiers count as words: `accountId`, `customer_name`, `MultipartyCall`. Names of packages do not: tests import mutations.
const word = new RegExp(
  String.raw`(?:(?<![A-Za-z@])(?:${productWords.join('|')})|${productWords.map(capitalised).join('|')})(?:s|es|ing)?(?![a-z])`,
  'g',
);
const inLibrary = /^packages\/(sip|sdp|media)\//;

/** The protocol libraries are blind to the product, in code and in comments. */
export const blindLibraries: SourceCheck = {
  name: 'product words',
  find(files) {
    return files
      .filter((file) => isTypeScript(file) && inLibrary.test(file.path))
      .flatMap((file) =>
        [...file.text.matchAll(word)].map((match) => ({
          path: file.path,
          line: lineAt(file.text, match.index),
          sentence: `'${match[0]}' is a word of the product; sip, sdp and media use the words of the RFCs`,
        })),
      );
  },
};

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
