import type { Mutation } from './mutation.ts'

/** What coins buy, for how long, and where they go. */
export const coins: Mutation[] = [
  {
    name: 'Coins are asked for without consent to the terms',
    file: 'server/money/coins/payments.ts',
    from: 'requireTerms(env, wanted.consent)',
    to: 'void requireTerms',
    test: 'server/money/payments/consent.test.ts',
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
    name: 'Coins that come long after the time buy the plan, where no look was possible',
    file: 'server/money/coins/judge.ts',
    from: 'return lateMs <= (isOpen ? GRACE_MS : 0)',
    to: 'return lateMs <= (isOpen ? 24 * GRACE_MS : 0)',
    test: 'server/money/coins/judge.test.ts',
  },
  {
    name: 'Coins that lack five percent buy the plan',
    file: 'server/money/coins/amounts.ts',
    from: 'due / 200n',
    to: 'due / 20n',
    test: 'server/money/coins/prices.test.ts',
  },
  {
    name: 'Coins keep their price for as long as no block takes them',
    file: 'server/money/coins/slowPayment.ts',
    from: '> SLOW_MS',
    to: '> 100 * SLOW_MS',
    test: 'server/money/coins/money.test.ts',
  },
  {
    name: 'Coins for an account that is gone are income',
    file: 'server/money/coins/watchPayments.ts',
    from: '(payer.isDeleted || payer.isBlocked)',
    to: 'payer.isDeleted && payer.isBlocked && rows.length < 0',
    test: 'server/money/coins/payments.test.ts',
  },
  {
    name: 'A node that is behind takes a paid plan back',
    file: 'server/money/coins/watchPayments.ts',
    from: 'if (head < shownHeight(payment, rows))',
    to: 'if (head < Math.min(0, shownHeight(payment, rows)))',
    test: 'server/money/coins/money.test.ts',
  },
  {
    name: 'Coins go to addresses of a master key, which no wallet shows',
    file: 'server/settings/accountkey.ts',
    from: 'key.depth !== ACCOUNT_DEPTH',
    to: 'key.depth > ACCOUNT_DEPTH',
    test: 'server/settings/config.test.ts',
  },
  {
    name: 'Somebody looks at the coin payments of others',
    file: 'server/money/coins/store.ts',
    from: '.where(and(eq(payments.id, id), eq(payments.userId, userId)))',
    to: ".where(and(eq(payments.id, id), sql`${userId} <> ''`))",
    test: 'server/money/coins/payments.test.ts',
  },
]
