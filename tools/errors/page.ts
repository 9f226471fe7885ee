import { allErrorCodes, errorCodes, faultKinds } from '@jackfield/contract';

export const pagePath = 'docs/reference/errors.md';

const introduction = `# Errors

After this page your program handles every refusal of the API, and every fault that callbacks and records report. The page is written by \`npx node tools/errors/write-page.ts\`
from the tables of codes in \`packages/contract/src/error-codes.ts\` and \`fault-codes.ts\`; tests bring about every code, and types keep others from being sent.

An answer that is not a success has this body:

\`\`\`json
{
  "api_id": "6f1f4d1e-…",
  "error": "limit must be a whole number from 1 to 20, not \\"21\\"",
  "error_code": "invalid-parameter"
}
\`\`\`

- \`error\` is for people: it names the parameter, its value and what is allowed. Sentences may change.
- \`error_code\` is for programs: a code keeps its meaning and its status. New codes may be added; treat an unknown code like its status.
- Clients that read \`error\` alone, such as the SDKs of the hosted service, need no change.

The body of \`/readyz\` has \`reason\` in place of \`error\`. A refused WebSocket of SIP has a status and a plain sentence: its phones read neither.
What went wrong in a call, a recording or a stream is not a refusal: callbacks report it ([webhooks](webhooks.md)), a call with \`HangupCauseCode\`, Verify with \`ChannelErrorCode\`,
and the rest with the codes [below](#faults).

| code | status | when | what to do |
|---|---|---|---|
`;

const faultIntroduction = `
## Faults

Each code stands beside a sentence for people. A code keeps its meaning; new codes may be added.
`;

/** The whole page, from the contract. */
export function pageText(): string {
  const rows = allErrorCodes.map((code) => {
    const { status, when, remedy } = errorCodes[code];
    return `| <a id="${code}"></a>\`${code}\` | ${status} | ${when} | ${remedy} |\n`;
  });
  const faults = faultKinds.map(({ title, fields, codes }) => {
    const lines = Object.entries(codes).map(([code, when]) => `| \`${code}\` | ${when} |\n`);
    return `\n### ${title}\n\n${fields}\n\n| code | when |\n|---|---|\n${lines.join('')}`;
  });
  return introduction + rows.join('') + faultIntroduction + faults.join('');
}
