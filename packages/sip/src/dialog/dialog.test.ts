import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRequest } from '../message/create-request.ts';
import { createResponse } from '../message/create-response.ts';
import {
  ackOfSuccess,
  createCalleeDialog,
  createCallerDialog,
  dialogRequest,
  isOutOfOrder,
  nextHop,
  refreshTarget,
  withRemoteCseq,
} from './dialog.ts';

const invite = createRequest({
  method: 'INVITE',
  uri: 'sip:bob@example.com',
  via: 'SIP/2.0/UDP 192.0.2.1;branch=z9hG4bKa',
  from: '"Alice" <sip:alice@example.com>;tag=a',
  to: '<sip:bob@example.com>',
  callId: 'call',
  cseq: 314,
  contact: '<sip:alice@192.0.2.1:5062>',
  headers: [['Record-Route', '<sip:p2.example.com;lr>, <sip:p1.example.com;lr>']],
});
const ok = createResponse(invite, 200, 'OK', {
  toTag: 'b',
  headers: [['Contact', '<sip:bob@192.0.2.2:5070;ob>']],
});

test('§12.1.2: the UAC takes the route set from Record-Route of the response in reverse order', () => {
  const dialog = createCallerDialog(invite, ok);
  assert.deepEqual(dialog.routeSet, ['<sip:p1.example.com;lr>', '<sip:p2.example.com;lr>']);
  assert.equal(dialog.remoteTarget, 'sip:bob@192.0.2.2:5070;ob');
  assert.deepEqual([dialog.callId, dialog.localTag, dialog.remoteTag], ['call', 'a', 'b']);
  assert.deepEqual([dialog.localCseq, dialog.remoteCseq], [314, undefined]);
});

test('§12.1.1: the UAS takes the route set from Record-Route of the request in its order', () => {
  const dialog = createCalleeDialog(invite, 'b');
  assert.deepEqual(dialog.routeSet, ['<sip:p2.example.com;lr>', '<sip:p1.example.com;lr>']);
  assert.equal(dialog.remoteTarget, 'sip:alice@192.0.2.1:5062');
  assert.deepEqual([dialog.callId, dialog.localTag, dialog.remoteTag], ['call', 'b', 'a']);
  assert.deepEqual([dialog.localCseq, dialog.remoteCseq], [0, 314]);
});

test('§12.2.1.1: requests within the dialog swap From and To for the callee and count their own CSeq', () => {
  const { dialog, request } = dialogRequest(createCalleeDialog(invite, 'b'), 'BYE');
  assert.equal(request.headers.get('From'), '<sip:bob@example.com>;tag=b');
  assert.equal(request.headers.get('To'), '"Alice" <sip:alice@example.com>;tag=a');
  assert.equal(request.headers.get('CSeq'), '1 BYE');
  assert.equal(dialogRequest(dialog, 'BYE').request.headers.get('CSeq'), '2 BYE');
});

test('§12.2.1.1: with lr in the first route the Request-URI is the remote target and Route is the route set in order', () => {
  const dialog = createCallerDialog(invite, ok);
  const { request } = dialogRequest(dialog, 'BYE');
  assert.equal(request.uri, 'sip:bob@192.0.2.2:5070;ob');
  assert.deepEqual(request.headers.all('Route'), ['<sip:p1.example.com;lr>', '<sip:p2.example.com;lr>']);
  assert.equal(nextHop(dialog), 'sip:p1.example.com;lr');
});

test('§12.2.1.1: without lr the first route is the Request-URI, and the remote target is the last Route value', () => {
  const strict = createResponse(invite, 200, 'OK', { toTag: 'b' });
  strict.headers.set('Record-Route', '<sip:p2.example.com;lr>, <sip:p1.example.com>');
  strict.headers.set('Contact', '<sip:bob@192.0.2.2>');
  const dialog = createCallerDialog(invite, strict);
  const { request } = dialogRequest(dialog, 'BYE');
  assert.equal(request.uri, 'sip:p1.example.com');
  assert.deepEqual(request.headers.all('Route'), ['<sip:p2.example.com;lr>', '<sip:bob@192.0.2.2>']);
  assert.equal(nextHop(dialog), 'sip:p1.example.com');
});

test('§12.2.1.1: with an empty route set the Request-URI is the remote target and there is no Route', () => {
  const plain = createResponse(invite, 200, 'OK', { toTag: 'b' });
  plain.headers.remove('Record-Route');
  const dialog = createCallerDialog(invite, plain);
  assert.equal(nextHop(dialog), 'sip:bob@example.com');
  assert.equal(dialogRequest(dialog, 'BYE').request.headers.has('Route'), false);
});

test('§13.2.2.4: the ACK of a 2xx has the CSeq number of the INVITE and follows the route set', () => {
  const ack = ackOfSuccess(createCallerDialog(invite, ok), ok);
  assert.equal(ack.headers.get('CSeq'), '314 ACK');
  assert.equal(ack.uri, 'sip:bob@192.0.2.2:5070;ob');
  assert.equal(ack.headers.all('Route').length, 2);
});

test('§12.2.2: only a lower CSeq is out of order; a gap is not', () => {
  const dialog = createCalleeDialog(invite, 'b');
  const numbered = (cseq: number) =>
    createRequest({
      method: 'INFO',
      uri: 'sip:x@x',
      from: '<sip:a@x>',
      to: '<sip:b@x>',
      callId: 'call',
      cseq,
    });
  assert.equal(isOutOfOrder(dialog, numbered(313)), true);
  assert.equal(isOutOfOrder(dialog, numbered(315)), false);
  assert.equal(isOutOfOrder(withRemoteCseq(dialog, numbered(999)), numbered(998)), true);
});

test('§12.2.1.2: a 2xx to a target refresh request replaces the remote target; a Contact other than a SIP URI does not', () => {
  const dialog = createCallerDialog(invite, ok);
  const moved = createResponse(invite, 200, 'OK', { headers: [['Contact', '<sip:bob@192.0.2.77>']] });
  assert.equal(refreshTarget(dialog, moved).remoteTarget, 'sip:bob@192.0.2.77');
  const mail = createResponse(invite, 200, 'OK', { headers: [['Contact', '<mailto:bob@example.com>']] });
  assert.equal(refreshTarget(dialog, mail), dialog);
});

test('§12.1.1: a SIPS Request-URI makes the dialog secure', () => {
  assert.equal(createCalleeDialog({ ...invite, uri: 'sips:bob@example.com' }, 'b').secure, true);
  assert.equal(createCalleeDialog(invite, 'b').secure, false);
});
