export { createSmppSms, type SmppSms, type SmppSmsOptions } from './smpp-sms.ts';
