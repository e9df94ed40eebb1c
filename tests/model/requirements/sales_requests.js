// Bodies of requests to the sales design, each with values that no other has where they must be
// unique, and the table as its tests look at it.

import { raw, rest, serve, shown } from './rest.js';

export async function serveSales() {
  const server = await serve('sales');
  return { server, api: rest(server), table: raw(server, 'SalesTable-dev') };
}

let made = 0;
const number = (width) => {
  made += 1;
  return String(made).padStart(width, '0');
};

export const newDocument = () => `${number(8).replace(/(..)(...)(...)/, '$1.$2.$3')}/0001-00`;
export const newInvoiceKey = () => number(44);

export const newBuyer = (more = {}) => ({
  Name: 'Comércio de Grãos',
  Document: newDocument(),
  PaymentTerms: '45_DAYS',
  ...more,
});

export const newProducer = (more = {}) => ({
  Name: 'Fazenda Boa Vista',
  Document: newDocument(),
  ...more,
});

export const newSale = (more = {}) => ({
  BuyerId: 'BUYER001',
  ProducerId: 'PRODUCER001',
  SaleDate: '2026-03-01T12:00:00Z',
  ...more,
});

export const newLine = (LineNumber, more = {}) => ({
  LineNumber,
  ProductCode: 'PROD-SOY-001',
  ProductName: 'Soja',
  Quantity: 10,
  Unit: 'KG',
  UnitPrice: 2.5,
  ...more,
});

export const newInvoice = (more = {}) => ({
  InvoiceNumber: `NF-${number(6)}`,
  InvoiceKey: newInvoiceKey(),
  IssueDate: '2026-03-02T09:00:00Z',
  ...more,
});

export const shownOf = (item) => shown(item, { type: 'EntityType' });

// Creates something and answers its body.
export const create = (api, path, body) => api.done(api.post(path, body), 201);
