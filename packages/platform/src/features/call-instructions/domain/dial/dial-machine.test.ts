import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dialResultOf, isDialOver } from './dial.ts';
import { Dialling, destination } from './testing/dialling.ts';

const key = { confirmKey: '1', confirmSound: 'https://example.com/press-one.mp3' };
const music = { dialMusic: 'https://example.com/music.mp3' };
const answered = { aLegAnswered: true };

const statusOf = (dialling: Dialling) => dialResultOf(dialling.state).DialStatus;

describe('begin', () => {
  it('rings all destinations at once', () => {
    const dialling = new Dialling({}, 2).begin();
    assert.deepEqual(dialling.orders, ['dial-leg b1', 'dial-leg b2', 'start dial/ring 30']);
  });

  it('shows the callerId of the destination, then of the element, then of the caller', () => {
    const destinations = [destination('+1', { callerId: '+15550001' }), destination('+2')];
    const shown = (callerId: string | null) =>
      new Dialling({ destinations, callerId, sipHeaders: { a: '1' } })
        .begin()
        .effects.flatMap((each) =>
          each.do === 'dial-leg' ? [`${each.spec.from} ${each.spec.callerName}`] : [],
        );
    assert.deepEqual(shown('+15550002'), ['+15550001 +15550001', '+15550002 +15550002']);
    assert.deepEqual(shown(null), ['+15550001 +15550001', '+12025550199 Ada']);
  });

  it('gives each leg its digits and the headers of the element and of the destination', () => {
    const destinations = [destination('x', { sendDigits: '1w2', sipHeaders: { b: '2' } })];
    const [order] = new Dialling({ destinations, sipHeaders: { a: '1' }, callerName: 'Desk' }).begin()
      .effects;
    assert.deepEqual(order, {
      do: 'dial-leg',
      leg: 'b1',
      spec: {
        to: 'x',
        from: '+12025550199',
        callerName: 'Desk',
        ringTimeoutSeconds: 30,
        timeLimitSeconds: 3670,
        sipHeaders: { a: '1', b: '2' },
        sendDigits: '1w2',
        sendOnPreanswer: false,
      },
    });
  });

  it('without a destination is over at once', () => {
    const dialling = new Dialling({}, 0).begin();
    assert.deepEqual(dialling.orders, []);
    assert.equal(statusOf(dialling), 'failed');
  });
});

describe('a phone that sends audio before it answers', () => {
  it('is heard by an unanswered caller in early media, and connected without a pause', () => {
    const dialling = new Dialling().begin().ring();
    assert.deepEqual(dialling.early().orders, ['early-caller']);
    assert.deepEqual(dialling.feed({ type: 'caller-early' }).orders, ['overhear b1']);
    assert.deepEqual(dialling.answer().orders, ['answer-caller', 'cancel dial/ring']);
    assert.deepEqual(dialling.callerAnswers().orders, [
      'unbridge',
      'bridge b1',
      'start dial/time-limit 3600',
    ]);
  });

  it('is heard by an answered caller in place of the built-in ringback', () => {
    const dialling = new Dialling({}, 1, { aLegAnswered: true }).begin().ring();
    assert.deepEqual(dialling.orders, ['play dial/b1/ringback']);
    assert.deepEqual(dialling.early().orders, ['stop-play dial/b1/ringback', 'overhear b1']);
  });

  it('of several is the first; when it is gone the next is heard, and after the last phone ringback', () => {
    const dialling = new Dialling({}, 3, { aLegAnswered: true }).begin().ring('b2').early('b2');
    assert.deepEqual(dialling.ring('b1').early('b1').orders, []);
    assert.deepEqual(dialling.lose('b2', 3010).orders, ['unbridge', 'overhear b1']);
    assert.deepEqual(dialling.lose('b1', 3010).orders, ['unbridge', 'play dial/b1/ringback-2']);
  });

  it('is heard no more when another phone is connected', () => {
    const dialling = new Dialling({}, 2, { aLegAnswered: true }).begin().ring('b1').early('b1');
    assert.deepEqual(dialling.answer('b2').orders, [
      'unbridge',
      'hang-up b1 9000',
      'bridge b2',
      'cancel dial/ring',
      'start dial/time-limit 3600',
    ]);
  });

  it('is heard no more while it confirms', () => {
    const dialling = new Dialling({ confirmKey: '1' }, 1, { aLegAnswered: true }).begin().ring().early();
    assert.deepEqual(dialling.answer().orders, [
      'unbridge',
      'play dial/b1/ringback-2',
      'cancel dial/ring',
      'start dial/confirm/b1 10',
    ]);
  });

  it('is not heard over dialMusic, but in place of music that cannot be played', () => {
    const music = { dialMusic: 'https://example.com/a.mp3' };
    const dialling = new Dialling(music, 1, { aLegAnswered: true }).begin().ring();
    assert.deepEqual(dialling.early().orders, []);
    assert.deepEqual(dialling.feed({ type: 'play-over', play: 'dial/b1/music' }).orders, ['overhear b1']);
  });

  it('that is to succeed the connected phone is heard by the waiting caller', () => {
    const succeeding = { type: 'leg-succeeding', leg: 's1', from: 'a', to: 's1' } as const;
    const dialling = new Dialling({}, 1, { aLegAnswered: true }).bridge().feed(succeeding).early('s1');
    assert.deepEqual(dialling.orders, []);
    assert.deepEqual(
      dialling.lose('b1').orders.slice(0, 2),
      ['unbridge', 'cancel dial/time-limit'].slice(0, 1).concat('overhear s1'),
    );
  });
});

describe('audio for the caller until it is connected', () => {
  it('unanswered, without music: 180 as soon as one phone rings, once', () => {
    const dialling = new Dialling({}, 2).begin();
    assert.deepEqual(dialling.ring('b1').orders, ['ring-caller']);
    assert.deepEqual(dialling.ring('b2').orders, []);
  });

  it('answered or in early media, without music: the built-in ringback', () => {
    for (const context of [answered, { aLegEarly: true }]) {
      assert.deepEqual(new Dialling({}, 1, context).begin().ring().orders, ['play dial/b1/ringback']);
    }
    assert.deepEqual(new Dialling({ dialMusic: 'real' }, 1, answered).begin().ring().orders, [
      'play dial/b1/ringback',
    ]);
  });

  it('unanswered, with music: early media first, then the music in a loop', () => {
    const dialling = new Dialling(music).begin();
    assert.deepEqual(dialling.orders, ['early-caller', 'dial-leg b1', 'start dial/ring 30']);
    dialling.feed({ type: 'caller-early' });
    assert.deepEqual(dialling.effects, [
      {
        do: 'play',
        play: 'dial/b1/music',
        to: ['a'],
        items: [{ kind: 'file', url: music.dialMusic }],
        loop: 0,
      },
    ]);
    assert.deepEqual(dialling.ring().orders, []);
  });

  it('answered, with music: the music at once, until it is bridged', () => {
    const dialling = new Dialling(music, 1, answered).begin();
    assert.ok(dialling.orders.includes('play dial/b1/music'));
    assert.deepEqual(dialling.answer().orders, [
      'stop-play dial/b1/music',
      'bridge b1',
      'cancel dial/ring',
      'start dial/time-limit 3600',
    ]);
  });

  it('music that cannot be played is replaced by ringback', () => {
    const over = { type: 'play-over', play: 'dial/b1/music' } as const;
    assert.deepEqual(new Dialling(music, 1, answered).begin().ring().feed(over).orders, [
      'play dial/b1/ringback',
    ]);
    const early = new Dialling(music, 1, answered).begin().feed(over);
    assert.deepEqual(early.orders, []);
    assert.deepEqual(early.ring().orders, ['play dial/b1/ringback']);
  });
});

describe('the first to answer', () => {
  it('wins; the others are hung up with 9000 Lost Race', () => {
    const dialling = new Dialling({}, 3, answered).begin().ring('b3').answer('b2');
    assert.deepEqual(dialling.orders, [
      'stop-play dial/b1/ringback',
      'hang-up b1 9000',
      'hang-up b3 9000',
      'bridge b2',
      'cancel dial/ring',
      'start dial/time-limit 3600',
    ]);
    assert.deepEqual(dialling.actions, ['answer b2', 'connected b2', 'hangup b1', 'hangup b3']);
  });

  it('answers the unanswered caller, and is bridged after that', () => {
    const dialling = new Dialling().begin().answer();
    assert.deepEqual(dialling.orders, ['answer-caller', 'cancel dial/ring']);
    assert.deepEqual(dialling.callerAnswers().orders, ['bridge b1', 'start dial/time-limit 3600']);
    assert.deepEqual(dialling.actions, ['connected b1']);
  });

  it('a second answer that crosses with the hang-up changes nothing', () => {
    const dialling = new Dialling({}, 2, answered).begin().answer('b1').answer('b2');
    assert.deepEqual(dialling.effects, []);
    assert.deepEqual(dialling.lose('b2', 9000).effects, []);
  });

  it('that leaves before the caller has answered ends the dial without a bridge', () => {
    const dialling = new Dialling().begin().answer().lose('b1');
    assert.deepEqual(dialling.orders, []);
    assert.equal(statusOf(dialling), 'completed');
    assert.deepEqual(dialling.callerAnswers().effects, []);
  });
});

describe('confirmKey', () => {
  it('is requested of each phone that answers, with the sound in a loop; the others ring on', () => {
    const dialling = new Dialling(key, 2, answered).begin().answer('b1');
    assert.deepEqual(dialling.orders, ['play dial/b1/confirm', 'start dial/confirm/b1 10']);
    const play = dialling.effects.find((each) => each.do === 'play');
    assert.deepEqual(play, {
      do: 'play',
      play: 'dial/b1/confirm',
      to: ['b1'],
      items: [{ kind: 'file', url: key.confirmSound }],
      loop: 0,
    });
    assert.deepEqual(dialling.actions, ['answer b1']);
  });

  it('connects the first phone that presses it, not the first that answers', () => {
    const dialling = new Dialling(key, 2, answered).begin().answer('b1').answer('b2').press('b2', '1');
    assert.deepEqual(dialling.orders, [
      'stop-play dial/b1/confirm',
      'stop-play dial/b2/confirm',
      'hang-up b1 9000',
      'bridge b2',
      'cancel dial/confirm/b1',
      'cancel dial/confirm/b2',
      'start dial/time-limit 3600',
    ]);
  });

  it('another key loses that leg alone with 9110', () => {
    const dialling = new Dialling(key, 2).begin().answer('b1').press('b1', '2');
    assert.deepEqual(dialling.orders, [
      'stop-play dial/b1/confirm',
      'hang-up b1 9110',
      'cancel dial/confirm/b1',
    ]);
    assert.equal(isDialOver(dialling.state), false);
  });

  it('a leg that was hung up keeps our cause, whatever its phone says afterwards', () => {
    const dialling = new Dialling(key, 2).begin().answer('b1').press('b1', '2').lose('b1', 3010);
    assert.equal(statusOf(dialling.lose('b2', 3010)), 'no-answer');
  });

  it('no key within confirmTimeout loses that leg alone with 9110; without legs left the status is no-answer', () => {
    const dialling = new Dialling(key).begin().answer().fire('dial/confirm/b1');
    assert.deepEqual(dialling.orders, ['stop-play dial/b1/confirm', 'hang-up b1 9110']);
    assert.equal(statusOf(dialling), 'no-answer');
    assert.equal(dialResultOf(dialling.state).DialBLegUUID, '');
  });

  it('a phone that hangs up without a key has not answered for the caller: no-answer', () => {
    assert.equal(statusOf(new Dialling(key).begin().answer().lose('b1')), 'no-answer');
  });

  it('keys of the caller and of a phone that has not answered confirm nothing', () => {
    const dialling = new Dialling(key, 1, answered).begin().press('b1', '1').press('a', '1');
    assert.deepEqual(dialling.effects, []);
    assert.equal(dialling.state.phase, 'ringing');
  });

  it('is still requested when the ring timeout ends the other legs', () => {
    const dialling = new Dialling(key, 2).begin().answer('b1').fire('dial/ring');
    assert.deepEqual(dialling.orders, ['hang-up b2 6010']);
    assert.deepEqual(dialling.press('b1', '1').orders, [
      'stop-play dial/b1/confirm',
      'answer-caller',
      'cancel dial/confirm/b1',
    ]);
  });

  it('can be pressed although the sound could not be played', () => {
    const dialling = new Dialling(key, 1, answered).begin().answer();
    assert.deepEqual(dialling.feed({ type: 'play-over', play: 'dial/b1/confirm' }).effects, []);
    assert.deepEqual(dialling.press('b1', '1').orders, [
      'bridge b1',
      'cancel dial/confirm/b1',
      'start dial/time-limit 3600',
    ]);
  });

  it('a confirmSound without a key is heard once, then the leg is connected', () => {
    for (const input of [
      { type: 'play-over', play: 'dial/b1/confirm' },
      { type: 'timer-fired', key: 'dial/confirm/b1' },
    ] as const) {
      const dialling = new Dialling({ ...key, confirmKey: null }, 1, answered).begin().answer();
      const play = dialling.effects.find((each) => each.do === 'play');
      assert.equal(play?.do === 'play' && play.loop, 1);
      assert.ok(dialling.feed(input).orders.includes('bridge b1'));
    }
  });
});

describe('a dial without a connection', () => {
  it('hangs up ringing phones at the ring timeout with 6010: timeout', () => {
    const dialling = new Dialling({}, 2).begin().lose('b1', 3010).fire('dial/ring');
    assert.deepEqual(dialling.orders, ['hang-up b2 6010']);
    assert.equal(statusOf(dialling), 'timeout');
  });

  const lost: readonly (readonly [string, readonly number[], string])[] = [
    ['all busy', [3010, 3100], 'busy'],
    ['one busy, one failed', [3010, 2020], 'failed'],
    ['one busy, one without an answer', [3010, 3000], 'no-answer'],
    ['one failed, another rang out by itself', [5000, 6010], 'timeout'],
    ['declined', [3110], 'busy'],
    ['not registered', [2020], 'failed'],
    ['cancelled', [1000], 'cancel'],
    ['refused by a cap', [1010], 'cancel'],
    ['one cancelled, one failed', [1000, 2020], 'cancel'],
    ['one cancelled, one busy', [1000, 3010], 'cancel'],
    ['one cancelled, one without an answer', [1000, 3000], 'no-answer'],
  ];
  for (const [title, codes, status] of lost) {
    it(`${title}: ${status}`, () => {
      const dialling = new Dialling({}, codes.length).begin();
      codes.forEach((code, index) => {
        assert.equal(isDialOver(dialling.state), false);
        dialling.lose(`b${index + 1}`, code);
      });
      assert.deepEqual(dialling.orders, ['cancel dial/ring']);
      assert.equal(statusOf(dialling), status);
    });
  }
});

describe('the end of a conversation', () => {
  it('by the called side ends the dial, and the caller continues', () => {
    const dialling = new Dialling().bridge().after(9.4).lose('b1', 4000, 9.4);
    assert.deepEqual(dialling.orders, ['unbridge', 'cancel dial/time-limit']);
    assert.deepEqual(dialResultOf(dialling.state), {
      DialStatus: 'completed',
      DialRingStatus: 'false',
      DialHangupCause: 'cause 4000',
      DialALegUUID: 'a',
      DialBLegUUID: 'b1',
    });
    assert.deepEqual(dialling.reported, [
      {
        DialAction: 'hangup',
        DialALegUUID: 'a',
        DialBLegUUID: 'b1',
        DialBLegStatus: 'hangup',
        DialBLegFrom: '+12025550199',
        DialBLegTo: 'phone1',
        DialBLegDuration: '9',
        DialBLegBillDuration: '10',
        DialBLegHangupCauseName: 'cause 4000',
        DialBLegHangupCauseCode: '4000',
        DialBLegHangupSource: 'Call recipient',
      },
    ]);
  });

  it('a leg that is transferred is counted until then', () => {
    assert.equal(new Dialling().bridge().after(5).lose('b1').reported[0]?.DialBLegDuration, '5');
  });

  it('timeLimit counts from the bridge and ends it with 6000', () => {
    const dialling = new Dialling({ timeLimitSeconds: 60 }).begin().answer().after(5).callerAnswers();
    assert.ok(dialling.orders.includes('start dial/time-limit 60'));
    dialling.after(60).fire('dial/time-limit');
    assert.deepEqual(dialling.orders, ['unbridge', 'hang-up b1 6000']);
    assert.equal(statusOf(dialling), 'completed');
    assert.equal(dialling.reported[0]?.DialBLegDuration, '65');
  });

  it('hangupOnStar: the caller presses *, the called side is hung up', () => {
    const dialling = new Dialling({ hangupOnStar: true }).bridge().press('a', '*');
    assert.deepEqual(dialling.orders, ['unbridge', 'hang-up b1 4000', 'cancel dial/time-limit']);
    assert.equal(statusOf(dialling), 'completed');
  });

  it('* of the called side, or without hangupOnStar, ends nothing', () => {
    assert.deepEqual(new Dialling({ hangupOnStar: true }).bridge().press('b1', '*').effects, []);
    assert.deepEqual(new Dialling().bridge().press('a', '*').effects, []);
  });

  it('giving up before the bridge is a cancel, and every leg is hung up with 1000', () => {
    const dialling = new Dialling({}, 2).begin().feed({ type: 'give-up' });
    assert.deepEqual(dialling.orders, ['hang-up b1 1000', 'hang-up b2 1000', 'cancel dial/ring']);
    assert.equal(statusOf(dialling), 'cancel');
  });

  it('giving up a conversation completes it, and the called side is hung up with 4000 and its source', () => {
    const dialling = new Dialling().bridge().feed({ type: 'give-up', source: 'API Request' });
    assert.deepEqual(dialling.orders, ['unbridge', 'hang-up b1 4000', 'cancel dial/time-limit']);
    assert.equal(statusOf(dialling), 'completed');
    assert.equal(dialling.reported[0]?.DialBLegHangupSource, 'API Request');
  });

  it('giving up before it began dials no phone', () => {
    const dialling = new Dialling().feed({ type: 'give-up' });
    assert.deepEqual(dialling.effects, []);
    assert.deepEqual(dialling.begin().effects, []);
    assert.equal(statusOf(dialling), 'cancel');
  });
});

describe('digits in a conversation', () => {
  const sequences = { digitsMatch: ['1', '12', '*9'], digitsMatchBLeg: ['55'] };

  it('sequences of either side are reported when their last digit is pressed', () => {
    const dialling = new Dialling(sequences).bridge().press('a', '1');
    assert.equal(dialling.reported[0]?.DialDigitsMatch, '1');
    assert.equal(dialling.reported[0]?.DialDigitsPressedBy, 'ALeg');
    assert.equal(dialling.press('a', '2').reported[0]?.DialDigitsMatch, '12');
    assert.deepEqual(dialling.press('a', '3').reported, []);
    assert.equal(dialling.press('b1', '5').reported.length, 0);
    const [report] = dialling.press('b1', '5').reported;
    assert.deepEqual([report?.DialDigitsMatch, report?.DialDigitsPressedBy], ['55', 'BLeg']);
  });

  it('sequences of one side do not match digits of the other', () => {
    assert.deepEqual(new Dialling(sequences).bridge().press('a', '55').reported, []);
    assert.deepEqual(new Dialling(sequences).bridge().press('b1', '1').reported, []);
  });

  it('digits before the bridge are ignored', () => {
    const dialling = new Dialling(sequences, 1, answered).begin().press('a', '1').answer().press('a', '2');
    assert.deepEqual(dialling.reported, []);
  });

  it('a sequence that ends with * is reported before hangupOnStar ends the conversation', () => {
    const dialling = new Dialling({ digitsMatch: ['9*'], hangupOnStar: true }).bridge().press('a', '9*');
    assert.deepEqual(dialling.actions, ['digits b1', 'hangup b1']);
  });

  it('an element without callbackUrl reports nothing', () => {
    const dialling = new Dialling({ ...sequences, callback: null }).bridge();
    assert.deepEqual(dialling.reported, []);
    assert.deepEqual(dialling.press('a', '1').effects, []);
  });
});

describe('the successor of the connected leg', () => {
  const successor = { type: 'leg-succeeding', leg: 's', from: '+12025550199', to: 'carol' } as const;
  const connected = () => new Dialling({}, 1, answered).bridge().feed(successor);

  it('is awaited in silence, and replaces the connected leg when it answers', () => {
    assert.deepEqual(connected().orders, []);
    assert.deepEqual(connected().answer('s').orders, ['unbridge', 'hang-up b1 4000', 'bridge s']);
    assert.deepEqual(connected().answer('s').actions, ['answer s', 'connected s', 'hangup b1']);
  });

  it('is the leg of the result, and its end that of the dial', () => {
    const dialling = connected().answer('s').lose('b1').lose('s');
    assert.equal(isDialOver(dialling.state), true);
    assert.equal(dialResultOf(dialling.state).DialBLegUUID, 's');
    assert.equal(statusOf(dialling), 'completed');
  });

  it('that fails changes nothing, and another successor may follow', () => {
    const dialling = connected().lose('s', 3010);
    assert.deepEqual(dialling.orders, []);
    assert.deepEqual(dialling.feed({ ...successor, leg: 't' }).answer('t').orders, [
      'unbridge',
      'hang-up b1 4000',
      'bridge t',
    ]);
  });

  it('gives ringback when the connected leg leaves before; nothing is left when it fails', () => {
    const waiting = connected().lose('b1');
    assert.deepEqual(waiting.orders, ['unbridge', 'play dial/s/ringback', 'cancel dial/time-limit']);
    assert.deepEqual(connected().lose('b1').answer('s').orders, [
      'stop-play dial/s/ringback',
      'bridge s',
      'start dial/time-limit 3600',
    ]);
    assert.equal(statusOf(waiting.lose('s', 3010)), 'completed');
    assert.deepEqual(connected().lose('b1').feed({ type: 'give-up' }).orders, [
      'stop-play dial/s/ringback',
      'hang-up s 4000',
    ]);
  });

  it('is one at a time, and of a connected leg alone', () => {
    const dialling = connected().feed({ ...successor, leg: 't' });
    assert.ok(!dialling.state.legs.some(({ leg }) => leg === 't'));
    assert.equal(new Dialling({}, 1, answered).begin().feed(successor).state.legs.length, 1);
  });
});
