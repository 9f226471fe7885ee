export { createHttpSms, type HttpSms, type HttpSmsOptions } from './http-sms.ts';
export type { ReceiptRequest, ReceiptRules } from './receipt-request.ts';
