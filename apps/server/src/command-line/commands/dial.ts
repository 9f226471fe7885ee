import { apiCommand } from '../api-command.ts';
import { printJson } from '../print.ts';

interface Flags {
  readonly from: string;
  readonly answerUrl: string;
}

export const dial = apiCommand<Flags>({
  name: 'calls dial',
  summary: 'calls a number or an endpoint, whose call the document at --answer-url handles',
  arguments: [{ name: 'to', summary: 'a number such as +12025550100, or the username of an endpoint' }],
  options: [
    { flags: '--answer-url <url>', summary: 'the URL of the document', isRequired: true },
    { flags: '--from <number>', summary: 'the caller that the callee sees', default: '+12025550000' },
  ],
  async run(api, [to = ''], { from, answerUrl, json }) {
    const fired = await api.request<{ readonly request_uuid: string }>('POST', 'Call/', {
      from,
      to,
      answer_url: answerUrl,
    });
    if (json) printJson(fired);
    else process.stdout.write(`${fired.request_uuid}\n`);
  },
});
