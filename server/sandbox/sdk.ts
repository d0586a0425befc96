import type Stripe from 'stripe'

// Types of the API version that the SDK pins.

type Portal = Stripe.BillingPortal.Session
type Session = Stripe.Checkout.Session
type List<T> = Pick<Stripe.ApiList<T>, 'object' | 'data' | 'has_more' | 'url'>
type Found<T> = Pick<Stripe.ApiSearchResult<T>, 'object' | 'data' | 'has_more' | 'url'>

export interface Answers {
  'POST /v1/customers': Stripe.Customer
  'GET /v1/customers/:id': Stripe.Customer
  'GET /v1/customers/search': Found<Stripe.Customer>
  'GET /v1/prices': List<Stripe.Price>
  'GET /v1/prices/:id': Stripe.Price
  'POST /v1/prices': Stripe.Price
  'POST /v1/checkout/sessions': Session
  'GET /v1/checkout/sessions/:id': Session
  'POST /v1/checkout/sessions/:id/expire': Session
  'GET /v1/subscriptions': List<Stripe.Subscription>
  'GET /v1/subscriptions/:id': Stripe.Subscription
  'POST /v1/subscriptions/:id': Stripe.Subscription
  'DELETE /v1/subscriptions/:id': Stripe.Subscription
  'GET /v1/invoices': List<Stripe.Invoice>
  'GET /v1/invoices/:id': Stripe.Invoice
  'POST /v1/invoices/:id/void': Stripe.Invoice
  'POST /v1/invoices/create_preview': Stripe.Invoice
  'GET /v1/payment_intents/:id': Stripe.PaymentIntent
  'POST /v1/refunds': Stripe.Refund
  'GET /v1/refunds': List<Stripe.Refund>
  'GET /v1/refunds/:id': Stripe.Refund
  'GET /v1/disputes': List<Stripe.Dispute>
  'GET /v1/disputes/:id': Stripe.Dispute
  'POST /v1/billing_portal/sessions': Portal
}

export interface Params {
  'POST /v1/customers': Stripe.CustomerCreateParams
  'GET /v1/customers/search': Stripe.CustomerSearchParams
  'GET /v1/prices': Stripe.PriceListParams
  'POST /v1/prices': Stripe.PriceCreateParams
  'POST /v1/checkout/sessions': Stripe.Checkout.SessionCreateParams
  'GET /v1/subscriptions': Stripe.SubscriptionListParams
  'POST /v1/subscriptions/:id': Stripe.SubscriptionUpdateParams
  'GET /v1/invoices': Stripe.InvoiceListParams
  'POST /v1/invoices/create_preview': Stripe.InvoiceCreatePreviewParams
  'POST /v1/refunds': Stripe.RefundCreateParams
  'GET /v1/refunds': Stripe.RefundListParams
  'GET /v1/disputes': Stripe.DisputeListParams
  'POST /v1/billing_portal/sessions': Stripe.BillingPortal.SessionCreateParams
}

/** The fields of the sandbox's type that the SDK's type lacks, or that hold there what they cannot. What begins with _ never leaves it. */
export type Wrong<Own, Theirs, At extends string> = Own extends undefined
  ? never
  : Own extends string | number | boolean | null
    ? Own extends (Own extends string ? Named<Theirs> : Theirs)
      ? never
      : At
    : Own extends readonly (infer Each)[]
      ? Extract<Theirs, readonly unknown[]> extends readonly (infer Their)[]
        ? Wrong<Each, Their, At>
        : At
      : {
            [Name in keyof Own & string as Name extends `_${string}` ? never : Name]: Name extends Keys<Theirs>
              ? Wrong<Own[Name], Field<Theirs, Name>, `${At}.${Name}`>
              : `${At}.${Name}`
          } extends infer Found
        ? Found[keyof Found]
        : never
type Keys<T> = T extends object ? keyof T : never
type Field<T, Name> = T extends object ? (Name extends keyof T ? T[Name] : never) : never
type Named<T> = [Literal<T>] extends [never] ? T : Literal<T>
type Literal<T> = T extends string ? (string extends T ? never : T) : never
