import type { Mutation } from './mutation.ts'

/** What is paid, by whom, how often, and what it gives until when. */
export const money: Mutation[] = [
  {
    name: 'A period that is paid still counts in the instant in which it ends',
    file: 'server/money/ledger/standing.ts',
    from: 'at < endsAt)',
    to: 'at <= endsAt)',
    test: 'server/money/ledger/standing.test.ts',
  },
  {
    name: 'A payment that is paid back in whole still gives its plan',
    file: 'server/money/ledger/standing.ts',
    from: 'sum + refund.amountCents, 0) >= amountCents',
    to: 'sum + refund.amountCents, 0) > amountCents',
    test: 'server/money/ledger/ledger.test.ts',
  },
  {
    name: 'A month that is paid while another one runs begins at once, and is lost',
    file: 'server/money/ledger/ledger.ts',
    from: 'const startsAt = (isSame && standing.endDate) || now',
    to: 'const startsAt = (!isSame && standing.endDate) || now',
    test: 'server/money/ledger/ledger.test.ts',
  },
  {
    name: 'An entry of the ledger can be changed',
    file: 'server/ground/db/functions/ledger.sql',
    from: 'BEFORE UPDATE OR DELETE OR TRUNCATE',
    to: 'BEFORE DELETE OR TRUNCATE',
    test: 'server/money/ledger/ledger.test.ts',
  },
  {
    name: 'An event of the card provider is believed without its signature',
    file: 'server/money/payments/webhook.ts',
    from: "client.webhooks.constructEvent(body, signature ?? '', env.card.webhookSecret)",
    to: 'JSON.parse(body.toString())',
    test: 'server/money/payments/stripe.test.ts',
  },
  {
    name: 'A card payment is paid back long after the days in which that is promised',
    file: 'server/money/payments/refund.ts',
    from: '|| now.getTime() - startedAt.getTime() > PLAN_LIMITS.refundDays * DAY_MS)',
    to: '|| now < startedAt)',
    test: 'server/money/payments/payments.test.ts',
  },
  {
    name: 'A price in coins is rounded down',
    file: 'server/money/coins/amounts.ts',
    from: '(value + by - 1n) / by',
    to: 'value / by',
    test: 'server/money/coins/prices.test.ts',
  },
  {
    name: 'A coin payment buys the plan one block too early',
    file: 'server/money/coins/chain.ts',
    from: 'head - height + 1)',
    to: 'head - height + 2)',
    test: 'server/money/coins/money.test.ts',
  },
  {
    name: 'Somebody looks at the coin payments of others',
    file: 'server/money/coins/store.ts',
    from: '.where(and(eq(payments.id, id), eq(payments.userId, userId)))',
    to: ".where(and(eq(payments.id, id), sql`${userId} <> ''`))",
    test: 'server/money/coins/payments.test.ts',
  },
  {
    name: 'A plan of ten messages a month has eleven',
    file: 'server/ground/db/functions/append.sql',
    from: 'ELSE u.monthly_messages_count END >= rights.messages_per_month',
    to: 'ELSE u.monthly_messages_count END > rights.messages_per_month',
    test: 'server/chat/messages/messages.test.ts',
  },
  {
    name: 'The members of a family circle keep their rights when its plan has ended',
    file: 'server/ground/db/functions/rights.sql',
    from: 'WHERE m.id = u.master_account_id AND f.has_family)',
    to: 'WHERE m.id = u.master_account_id)',
    test: 'server/account/family/family.test.ts',
  },
  {
    name: 'What was paid counts as new each time that it is told',
    file: 'server/money/ledger/store.ts',
    from: 'returning({ place: ledgerEntries.place })\n  return rows.length > 0',
    to: 'returning({ place: ledgerEntries.place })\n  return rows.length >= 0',
    test: 'server/money/ledger/ledger.test.ts',
  },
]
