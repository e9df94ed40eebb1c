#include "load/sales_model.h"

namespace monotable::load {

const std::string_view kSalePattern =
    R"({"PK":{"S":"SALE#SALE$i8"},"SK":{"S":"#METADATA#sale"},"EntityType":{"S":"Sale"},)"
    R"("_v":{"N":"1"},"SaleId":{"S":"SALE$i8"},"BuyerId":{"S":"BUYER$k3"},)"
    R"("BuyerName":{"S":"João da Conceição $k3"},"BuyerDocument":{"S":"12.345.$k3/0001-90"},)"
    R"("ProducerId":{"S":"PRODUCER001"},"ProducerName":{"S":"Fazenda São João"},)"
    R"("ProducerDocument":{"S":"98.765.432/0001-10"},"SaleDate":{"S":"2026-01-30T$h8Z"},)"
    R"("DeliveryDate":{"S":"2026-02-15T00:00:00Z"},"InvoiceDate":{"S":"2026-01-31T14:30:00Z"},)"
    R"("Status":{"S":"INVOICED"},"PaymentTerms":{"S":"30_DAYS"},"Quantity":{"N":"1000"},)"
    R"("UnitPrice":{"N":"25.50"},"Subtotal":{"N":"25500.00"},"Discount":{"N":"500.00"},)"
    R"("Tax":{"N":"2550.00"},"Total":{"N":"27550.00"},"Currency":{"S":"BRL"},)"
    R"("Notes":{"S":"Entrega urgente, portão 3"},"InvoiceNumber":{"S":"NF-2026-$i8"},)"
    R"("InvoiceKey":{"S":"352601123456780001905500100000000112$i8"},)"
    R"("InvoiceFileUrl":{"S":"s3://invoices/2026/01/SALE$i8-invoice.pdf"},)"
    R"("CreatedAt":{"S":"2026-01-30T14:30:00Z"},"CreatedBy":{"S":"user@example.com"},)"
    R"("UpdatedAt":{"S":"2026-01-30T15:00:00Z"},"UpdatedBy":{"S":"user@example.com"},)"
    R"("GSI1PK":{"S":"BUYER#BUYER$k3"},"GSI1SK":{"S":"SALE#2026-01-30T$h8Z"},)"
    R"("GSI2PK":{"S":"PRODUCER#PRODUCER001"},"GSI2SK":{"S":"SALE#2026-01-30T$h8Z"},)"
    R"("GSI3PK":{"S":"STATUS#INVOICED"},"GSI3SK":{"S":"SALE#2026-01-30T$h8Z"}})";

const std::string_view kSaleKeyPattern =
    R"({"PK":{"S":"SALE#SALE$i8"},"SK":{"S":"#METADATA#sale"}})";

const std::string_view kBuyerPattern =
    R"({"PK":{"S":"BUYER#BUYER$k3"},"SK":{"S":"#METADATA#buyer"},"EntityType":{"S":"Buyer"},)"
    R"("_v":{"N":"1"},"GSI1PK":{"S":"BUYERS"},"GSI1SK":{"S":"BUYER#João da Conceição $k3"},)"
    R"("BuyerId":{"S":"BUYER$k3"},"Name":{"S":"João da Conceição $k3"},)"
    R"("Document":{"S":"12.345.$k3/0001-90"},"TaxId":{"S":"12.345.$k3/0001-90"},)"
    R"("DocumentType":{"S":"CNPJ"},"Email":{"S":"compras@example.com"},)"
    R"("Phone":{"S":"+55 11 1234-5678"},"Address":{"M":{"Street":{"S":"Av. Paulista"},)"
    R"("Number":{"S":"1000"},"Complement":{"S":"10º andar"},"Neighborhood":{"S":"Bela Vista"},)"
    R"("City":{"S":"São Paulo"},"State":{"S":"SP"},"PostalCode":{"S":"01310-100"},)"
    R"("Country":{"S":"BR"}}},"Status":{"S":"ACTIVE"},"CreditLimit":{"N":"100000.00"},)"
    R"("PaymentTerms":{"S":"30_DAYS"},"ContactPerson":{"S":"Joana Simões"},)"
    R"("ContactEmail":{"S":"joana@example.com"},"Notes":{"S":"Cliente preferencial $v7"},)"
    R"("CreatedAt":{"S":"2026-01-15T10:00:00Z"},"CreatedBy":{"S":"user@example.com"},)"
    R"("UpdatedAt":{"S":"2026-01-25T14:00:00Z"},"UpdatedBy":{"S":"user@example.com"}})";

const std::string_view kBuyerKeyPattern =
    R"({"PK":{"S":"BUYER#BUYER$k3"},"SK":{"S":"#METADATA#buyer"}})";

const std::string_view kBuyerBodyPattern =
    R"({"Name":"João da Conceição $k3","Document":"12.345.$k3/0001-90","DocumentType":"CNPJ",)"
    R"("Email":"compras@example.com","Phone":"+55 11 1234-5678","Address":{)"
    R"("Street":"Av. Paulista","Number":"1000","Complement":"10º andar",)"
    R"("Neighborhood":"Bela Vista","City":"São Paulo","State":"SP","PostalCode":"01310-100",)"
    R"("Country":"BR"},"Status":"ACTIVE","CreditLimit":100000.00,"PaymentTerms":"30_DAYS",)"
    R"("ContactPerson":"Joana Simões","ContactEmail":"joana@example.com",)"
    R"("Notes":"Cliente preferencial $v7"})";

}  // namespace monotable::load
