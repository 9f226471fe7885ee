import type { CallTracing, LegEnd, LegNotice, MediaLegs, Telephony } from '@jackfield/ports';

/** Ends of legs that are faults; others are what people and programs do with a call. */
const faults: readonly LegEnd['by'][] = [
  'no-response',
  'transport-failed',
  'media-failed',
  'dialog-lost',
  'not-carried',
];

/** Reports each leg as a call, and its INVITE until the answer or the end. */
export function traceTelephony(telephony: Telephony, tracing: CallTracing): Telephony {
  return {
    ...telephony,
    listen: (listener) =>
      telephony.listen((notice) => {
        traceNotice(tracing, notice);
        listener(notice);
      }),
    dial(request) {
      const { leg, forwards } = request;
      tracing.begin(leg, { 'jackfield.call_uuid': leg, 'jackfield.direction': 'outbound' }, forwards);
      tracing.beginPart(leg, 'INVITE');
      telephony.dial(request);
    },
  };
}

/** Reports the set-up of a leg's media: from the opening of its port to the first agreement. */
export function traceMediaLegs(legs: MediaLegs, tracing: CallTracing): MediaLegs {
  return {
    async open(leg, ice, beside) {
      tracing.beginPart(leg, 'media');
      try {
        return await legs.open(leg, ice, beside);
      } catch (error) {
        tracing.endPart(leg, 'media', {}, (error as Error).message);
        throw error;
      }
    },
    connect(leg, agreed) {
      legs.connect(leg, agreed);
      const { codec, protection } = agreed;
      tracing.endPart(leg, 'media', {
        'jackfield.codec': codec,
        'jackfield.is_encrypted': protection !== undefined,
      });
    },
    close: (leg) => legs.close(leg),
  };
}

function traceNotice(tracing: CallTracing, notice: LegNotice): void {
  const { leg } = notice;
  if (notice.type === 'leg-offered') {
    const about = { 'jackfield.direction': 'inbound', 'jackfield.account': notice.account };
    tracing.begin(leg, { 'jackfield.call_uuid': leg, ...about });
    tracing.beginPart(leg, 'INVITE');
  } else if (notice.type === 'leg-answered') {
    tracing.endPart(leg, 'INVITE', { 'sip.response.status_code': 200 });
  } else if (notice.type === 'leg-ended') {
    const { by, sipStatus, carrier } = notice.end;
    const problem = faults.includes(by) || (sipStatus ?? 0) >= 500 ? by : undefined;
    const status = sipStatus === undefined ? {} : { 'sip.response.status_code': sipStatus };
    tracing.endPart(leg, 'INVITE', status, problem);
    const carried = carrier === undefined ? {} : { 'jackfield.carrier': carrier };
    tracing.end(leg, { 'jackfield.end': by, ...status, ...carried }, problem);
  }
}
