// What the tests of the orders design send, and where it ends up.

export const COMPANY = '12.345.678/0001-99';
export const ORDER = 'ORD-20231001-0001';
export const CPF = '123.456.789-00';

export const partition = (cnpj, order_id) => `COMPANY#${cnpj}#ORDER#${order_id}`;
export const companyPath = (cnpj) => `/companies/${encodeURIComponent(cnpj)}`;
export const orderPath = (cnpj, order_id) => `/orders/${encodeURIComponent(cnpj)}/${order_id}`;
export const completePath = (cnpj) => `/orders/${encodeURIComponent(cnpj)}:complete`;

export const header = (order_id) => ({
  order_id,
  company_name: 'Agro Insumos S.A.',
  order_date: '2023-11-05T08:15:00Z',
  notes: 'Portaria 2',
});

export const customer = (cpf = CPF) => ({
  cpf,
  first_name: 'João',
  last_name: 'Lima',
  email: 'joao@example.com',
  phone: '+55 11 90000-0000',
  address: {
    street: 'Rua A',
    number: '10',
    city: 'São Paulo',
    state: 'SP',
    zip_code: '01000-000',
  },
});

export const shipping = (city = 'São Paulo', expected_delivery_date = '2023-11-08') => ({
  shipping_method: 'Express',
  shipping_cost: 19.9,
  city,
  expected_delivery_date,
});

// Items are given as { 'PRD-1': 'SemEstoque', 'PRD-2': undefined }.
export function complete(order_id, { cpf, city, date, payment_method = 'Pix', items }) {
  return {
    order: header(order_id),
    customer: customer(cpf),
    shipping: shipping(city, date),
    payment: { payment_method, transaction_id: `TXN-${order_id}`, amount: 250.5 },
    items: Object.entries(items ?? { 'PRD-1': undefined }).map(([product_id, item_status]) => ({
      product_id,
      description: `Produto ${product_id}`,
      quantity: 2,
      unit_price: 12.25,
      item_status,
    })),
  };
}
