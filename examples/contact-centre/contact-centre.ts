import type { Program } from '@jackfield/testing';

const document = (verbs: string) => `<Response>${verbs}</Response>`;

/** A contact centre: a menu, a queue, and agents who are called by a room of each caller. */
export function contactCentre(agent: () => string, url: (path: string) => string): Program {
  const menu = (words: string) =>
    document(
      `<GetDigits action="${url('/chosen')}" numDigits="1" timeout="10" retries="1"><Speak>${words}</Speak></GetDigits>` +
        '<Speak>Good bye.</Speak>',
    );
  const queue = () =>
    document(
      `<Speak>All agents are busy. Please hold.</Speak><Wait length="60" silence="true"/><Redirect>${url('/agent')}</Redirect>`,
    );
  return ({ path, fields }) => {
    switch (path) {
      case '/answer':
        return menu('Press one for sales, or two for support.');
      case '/chosen':
        return fields.Digits === '1' || fields.Digits === '2'
          ? document(`<Redirect>${url('/agent')}</Redirect>`)
          : menu('That is not a choice. Press one or two.');
      case '/agent':
        return document(
          `<Dial timeout="20" action="${url('/dialled')}" redirect="true"><User>${agent()}</User></Dial>`,
        );
      case '/dialled':
        return fields.DialStatus === 'completed' ? document('<Speak>Good bye.</Speak>') : queue();
      default:
        return '';
    }
  };
}
