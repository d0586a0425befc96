// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { adminApi } from '../../contract/admin/admin.ts'
import { type AuditRow, auditApi } from '../../contract/admin/audit.ts'
import { reportsApi } from '../../contract/chat/reports.ts'
import { lineOf, makeAnswers, openScreen, refused, show, toasts } from '../testing/screen.tsx'
import { AnalyticsTab } from './AnalyticsTab.tsx'
import { AuditTab } from './AuditTab.tsx'
import { ReportsTab } from './ReportsTab.tsx'
import { RevenueTab } from './RevenueTab.tsx'
import { SubscriptionsTab } from './SubscriptionsTab.tsx'
import { SystemTab } from './SystemTab.tsx'

openScreen()

/** The files that were saved: name and text. */
const saved: { name: string; text: Promise<string> }[] = []
beforeEach(() => {
  saved.length = 0
  let text = Promise.resolve('')
  vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
    text = (blob as Blob).text()
    return 'blob:saved'
  })
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    saved.push({ name: this.download, text })
  })
})

const offline = () => {
  throw refused(0, 'offline', 'You are offline')
}
const button = (name: string | RegExp) => screen.findByRole('button', { name })
/** The figure below this name. */
const figure = (name: string) => screen.getByText(name).parentElement?.textContent?.slice(name.length)

const month = (from: string, recurring: number, paid = 0, refunded = 0) => ({ month: from, recurring, paid, refunded })
const REVENUE = {
  ...{ monthlyRecurringRevenue: 14_400, averageRevenuePerUser: 40.5, premiumSubscribers: 1284, premiumMRR: 1200.25, granted: 1 },
  months: [month('2026-10-01', 0), month('2026-11-01', 14_400, 2000, 1000.5)],
}
const CHECKED = '2026-11-25T10:00:00.000Z'

function books() {
  const answers = makeAnswers()
  answers.on(adminApi.revenueStats, () => REVENUE)
  answers.on(adminApi.cardProvider, () => ({ provider: 'sandbox' as const, state: 'connected' as const, checkedAt: CHECKED }))
  return answers
}

test('The plans are counted; what cannot be loaded says why and is asked for again', async () => {
  const answers = makeAnswers()
  answers.on(adminApi.subscriptionStats, offline)
  const { person } = show(<SubscriptionsTab />, answers)
  expect((await screen.findByRole('alert')).textContent).toBe('The subscriptions could not be loaded. You are offline')
  answers.on(adminApi.subscriptionStats, () => ({ free: 1284, test: 1, premium: 2, master: 3, enterprise: 4, total: 1294 }))
  await person.click(await button('Try again'))
  await screen.findByText('Free users')
  const names = ['Free users', 'Premium users', 'Test users', 'Master users', 'Enterprise users', 'Total']
  expect(names.map(figure)).toEqual(['1,284100 messages', '2$1,000/month', '1', '3', '4', '1,294'])
})

test('Income is shown in dollars, with cents where there are some, by UTC months, and what was paid back beside it', async () => {
  show(<RevenueTab />, books())
  await screen.findByText('Annual projection')
  expect(figure('Average revenue per user')).toBe('$40.50of all accounts')
  expect(figure('Annual projection')).toBe('$14,403premium MRR × 12')
  expect(figure('Premium subscribers')).toBe('1,284')
  const rows = (title: string) =>
    within(screen.getByRole('table', { name: title, hidden: true }))
      .getAllByRole('row', { hidden: true })
      .map((row) => row.textContent)
  expect(rows('Monthly recurring revenue')).toEqual(['Oct 2026$0', 'Nov 2026$14,400'])
  expect(rows('Paid a month')).toEqual(['Oct 2026$0', 'Nov 2026$2,000, $1,000.50 back'])
})

test.each([
  [0, 'From the ledger, by UTC months. '],
  [1, 'From the ledger, by UTC months. One plan that was given is not counted as income.'],
  [1200, 'From the ledger, by UTC months. 1,200 plans that were given are not counted as income.'],
])('Of %i plans that were given the revenue says: %s', async (granted, words) => {
  const answers = books()
  answers.on(adminApi.revenueStats, () => ({ ...REVENUE, granted }))
  show(<RevenueTab />, answers)
  expect((await screen.findByText(/^From the ledger/)).textContent).toBe(words)
})

test('The revenue is saved as a table, a row a month', async () => {
  const { person } = show(<RevenueTab />, books())
  await person.click(await button('Download CSV'))
  expect(saved.map(({ name }) => name)).toEqual(['revenue.csv'])
  expect(await saved[0]?.text).toBe('month,recurring,paid,refunded\r\n2026-10,0.00,0,0\r\n2026-11,14400.00,2000,1000.5\r\n')
})

test.each([
  ['off', 'off', 'Card payment is not set up on this server.'],
  ['sandbox', 'connected', 'Payment provider connected. Sandbox, no real money.'],
  ['stripe', 'connected', 'Payment provider connected.'],
  ['stripe', 'refused', 'Payment provider not connected. It refuses the key of this server.'],
  ['stripe', 'unreachable', 'Payment provider not connected. It does not answer.'],
] as const)('The card provider %s that is %s is told of: %s', async (provider, state, words) => {
  const answers = books()
  answers.on(adminApi.cardProvider, () => ({ provider, state, checkedAt: CHECKED }))
  const { person } = show(<RevenueTab />, answers)
  const said = await screen.findByText((_, element) => element?.className.startsWith('note') === true)
  const told = said.textContent?.replaceAll(/ +/g, ' ') ?? ''
  expect(told.startsWith(state === 'connected' ? `${words} Checked` : words), told).toBe(true)
  const again = screen.queryByRole('button', { name: 'Check again' })
  expect(again !== null).toBe(state === 'refused' || state === 'unreachable')
  if (!again) return
  answers.on(adminApi.cardProvider, () => ({ provider, state: 'connected' as const, checkedAt: CHECKED }))
  await person.click(again)
  expect(await screen.findByText('Payment provider connected.')).toBeTruthy()
  expect(screen.queryByRole('alert')).toBeNull()
})

test('Revenue and card provider fail each by itself', async () => {
  const answers = books()
  answers.on(adminApi.cardProvider, offline)
  show(<RevenueTab />, answers)
  expect((await screen.findByRole('alert')).textContent).toBe('The card provider could not be asked. You are offline')
  expect(screen.getByText('Annual projection')).toBeTruthy()
})

const SYSTEM = {
  ...{ contractVersion: 7, nodeVersion: 'v20.19.0', databaseVersion: '16.4', databaseBytes: 12_897_484, migrations: 31 },
  ...{ startedAt: CHECKED, processes: 2, sockets: 1284, answers: 4000, errors: 5 },
  jobs: [{ name: 'expire sessions', lastStartedAt: CHECKED, outcome: 'done' }],
  ...{ checks: [], cards: null },
}

test('The sums of fewer than ten people are not exact, on the screen and in the file', async () => {
  const answers = makeAnswers()
  answers.on(adminApi.system, () => SYSTEM)
  answers.on(adminApi.analytics, () => ({
    days: [
      { day: '2026-11-24', signUps: null, active: 12, messages: 1500 },
      { day: '2026-11-25', signUps: 11, active: null, messages: null },
    ],
    plans: [{ tier: 'premium' as const, people: 2 }],
    storageBytes: 12_897_484,
  }))
  const { person } = show(<AnalyticsTab />, answers)
  await screen.findByText('Error rate')
  expect(['Storage', 'Error rate', 'Premium'].map(figure)).toEqual([
    '12.3 MBuploaded files, counted hourly',
    '0.13%of 4,000 answers since the start',
    // As the Subscriptions tab has it: two of one figure would be two truths.
    '2accounts',
  ])
  const table = screen.getByRole('table', { name: 'Sign-ups a day', hidden: true })
  expect(table.textContent).toBe('Nov 24<10Nov 2511')
  await person.click(await button('Download CSV'))
  expect(await saved[0]?.text).toBe(
    'day,sign-ups,active accounts,messages\r\n2026-11-24,<10,12,1500\r\n2026-11-25,11,<10,not shown\r\n',
  )
  expect(screen.getByRole('table', { name: 'Messages a day', hidden: true }).textContent).toBe('Nov 241,500Nov 25not shown')
})

test('Before the first sums there is nothing to save, and a server that has answered nothing has no errors', async () => {
  const answers = makeAnswers()
  answers.on(adminApi.system, () => ({ ...SYSTEM, answers: 0, errors: 0 }))
  answers.on(adminApi.analytics, () => ({ days: [], plans: [], storageBytes: null }))
  show(<AnalyticsTab />, answers)
  expect(await screen.findByText('The first sums come within the hour.')).toBeTruthy()
  expect(await button('Download CSV')).toHaveProperty('disabled', true)
  expect(['Storage', 'Error rate'].map(figure)).toEqual(['…uploaded files, counted hourly', '0.00%of 0 answers since the start'])
})

test('Analytics need both of their answers: without one they say why', async () => {
  const answers = makeAnswers()
  answers.on(adminApi.system, offline)
  answers.on(adminApi.analytics, () => ({ days: [], plans: [], storageBytes: null }))
  show(<AnalyticsTab />, answers)
  expect((await screen.findByRole('alert')).textContent).toBe('The analytics could not be loaded. You are offline')
})

test('The system tab names versions, sizes and each job with its end; without an answer it says why', async () => {
  const answers = makeAnswers()
  answers.on(adminApi.system, offline)
  const { person } = show(<SystemTab />, answers)
  expect((await screen.findByRole('alert')).textContent).toBe('The state of the server could not be loaded. You are offline')
  answers.on(adminApi.system, () => SYSTEM)
  await person.click(await button('Try again'))
  await screen.findByText('Answers here')
  expect(['Answers here', 'Size', 'Open sockets here'].map(figure)).toEqual([
    '4,000, of which 5 were errors of the server',
    '12.3 MB',
    '1,284',
  ])
  expect(figure('expire sessions')).toMatch(/ · done$/)
})

test('The system tab has the last checks of money with each difference, the events and the errors of the card provider', async () => {
  const answers = makeAnswers()
  const line = 'subscription sub_1 of customer cus_1 and account 9d3c still runs, and the account is deleted'
  const checked = { finishedAt: CHECKED, looked: 1284, mended: 0 }
  answers.on(adminApi.system, () => ({
    ...SYSTEM,
    checks: [
      { ...checked, name: 'ledger' as const, differing: 0, lines: [] },
      { ...checked, name: 'provider' as const, differing: 60, mended: 2, lines: [line] },
    ],
    cards: {
      ...{ lastEventAt: null, refusedEvents: 3, lastRefusedAt: CHECKED },
      errors: [
        { at: CHECKED, type: 'invalid_request_error', code: 'resource_missing', param: 'customer', requestId: 'req_1' },
        { at: CHECKED, type: 'connection' },
      ],
    },
  }))
  show(<SystemTab />, answers)
  await screen.findByText('Answers here')
  expect(figure('Ledger and accounts')).toMatch(/ · 1,284 looked at · nothing differs$/)
  const provider = 'Card provider and coins'
  expect(figure(provider)).toMatch(/ · 1,284 looked at · 60 differences · 2 mended$/)
  expect(screen.getByRole('list', { name: provider }).textContent).toBe(`${line}The first 1 of 62.`)
  expect(figure('Last event')).toBe('none yet')
  expect(figure('Events with a wrong signature')).toMatch(/^3, the last Nov 25/)
  expect(screen.getByText('invalid_request_error · resource_missing · customer · req_1')).toBeTruthy()
  expect(screen.getByText('connection')).toBeTruthy()
})

test('Where cards are off the system tab says nothing of them', async () => {
  const answers = makeAnswers()
  answers.on(adminApi.system, () => SYSTEM)
  show(<SystemTab />, answers)
  await screen.findByText('Answers here')
  expect(screen.queryByText('Card provider')).toBeNull()
  expect(screen.getByText('The first checks end within some minutes of the start.')).toBeTruthy()
})

const row = (seq: number, more: Partial<AuditRow> = {}): AuditRow => ({
  ...{ seq, at: CHECKED, actor: { id: ID, username: 'Ada' }, act: 'deactivate', subject: { id: ID, username: 'Bob' } },
  ...{ target: null, before: '{"isActive":true}', after: '{"isActive":false}', hash: 'ab'.repeat(32) },
  ...more,
})
const ID = '9d3c7a52-0f51-4a7e-9e0b-1c6f3f5d0b01'

function trail(rows: AuditRow[] = [row(3)], hasMore = false) {
  const answers = makeAnswers()
  answers.on(auditApi.list, () => ({ rows, hasMore }))
  return answers
}
const asked = ({ asked }: ReturnType<typeof makeAnswers>, path: string) =>
  asked.filter((each) => each.path === path).map(({ input }) => input)

test('Each row says who did what to whom, also the command line, and to a package by its name', async () => {
  const made = row(2, {
    actor: null,
    act: 'create-package',
    subject: null,
    target: ID,
    before: 'null',
    after: '{"name":"Chambers"}',
  })
  show(<AuditTab />, trail([row(3), made, row(1, { subject: null, target: 'bc1q', before: 'null', after: 'null' })]))
  const rows = (await screen.findAllByRole('listitem')).map(({ textContent }) => textContent)
  expect(rows[0]).toContain('@ada deactivate @bob{"isActive":true} → {"isActive":false}')
  expect(rows[0]).toContain('row 3 · abababababab')
  expect(rows[1]).toContain('Command line create-package Chambers{"name":"Chambers"}')
  expect(rows[2]).toContain('@ada deactivate bc1qnull')
})

test('The trail is filtered by act and name from its newest row on, and read backwards a page at a time', async () => {
  const answers = trail([row(60), row(11)], true)
  const { person } = show(<AuditTab />, answers)
  await person.click(await button('Older'))
  await waitFor(() => expect(asked(answers, 'GET /api/admin/audit').at(-1)).toEqual({ before: 11, limit: 50 }))
  expect(await button('Newest')).toHaveProperty('disabled', false)
  await person.selectOptions(screen.getByRole('combobox', { name: 'Act' }), 'refund')
  await waitFor(() => expect(asked(answers, 'GET /api/admin/audit').at(-1)).toEqual({ act: 'refund', limit: 50 }))
  answers.on(auditApi.list, () => ({ rows: [], hasMore: false }))
  await person.type(screen.getByRole('searchbox', { name: 'Username' }), 'b ')
  expect(await screen.findByText('Nothing was done that fits.')).toBeTruthy()
  expect(asked(answers, 'GET /api/admin/audit').at(-1)).toEqual({ act: 'refund', username: 'b', limit: 50 })
  expect(screen.queryByRole('navigation', { name: 'Pages' })).toBeNull()
})

test('A trail that cannot be loaded says why; one that is empty says so; rows stay beside a failure', async () => {
  const answers = trail()
  answers.on(auditApi.list, offline)
  const { person } = show(<AuditTab />, answers)
  expect((await screen.findByRole('alert')).textContent).toBe('The audit trail could not be loaded. You are offline')
  answers.on(auditApi.list, () => ({ rows: [], hasMore: false }))
  await person.click(await button('Try again'))
  expect(await screen.findByText('Nothing was done yet.')).toBeTruthy()
  answers.on(auditApi.list, offline)
  await person.selectOptions(screen.getByRole('combobox', { name: 'Act' }), 'refund')
  expect((await screen.findByRole('alert')).textContent).toBe('The audit trail may be out of date. You are offline')
})

test.each([
  [
    { count: 1284, brokenAt: null, newestHash: 'ab'.repeat(32) },
    'status',
    /^The trail is whole[.] 1,284 rows.*Newest: (ab){32}[.] Rows that were cut off/,
  ],
  [{ count: 0, brokenAt: null, newestHash: null }, 'status', /^The trail is whole[.] 0 rows, each fits the one before[.]$/],
  [
    { count: 9, brokenAt: 4, newestHash: 'ab'.repeat(32) },
    'alert',
    /^The trail is broken[.] Row 4 was changed, added or taken away/,
  ],
] as const)('A check that answers %o is told as %s', async (answer, role, words) => {
  const answers = trail()
  answers.on(auditApi.check, () => answer)
  const { person } = show(<AuditTab />, answers)
  await person.click(await button('Check the chain'))
  expect((await screen.findByRole(role)).textContent).toMatch(words)
})

test('A check that fails says why and claims nothing of the trail', async () => {
  const answers = trail()
  answers.on(auditApi.check, offline)
  const { person } = show(<AuditTab />, answers)
  await person.click(await button('Check the chain'))
  await waitFor(() => expect(toasts()).toEqual(['The trail was not checked: You are offline']))
  expect(screen.queryByText(/^The trail is/)).toBeNull()
  expect(await button('Check the chain')).toHaveProperty('disabled', false)
})

test('The whole trail is saved, page after page; what a spreadsheet would take for a formula is text there', async () => {
  const answers = trail()
  answers.on(auditApi.list, ({ before, limit }) => {
    if (limit !== 500) return { rows: [row(3)], hasMore: true }
    if (before === undefined) return { rows: [row(3), row(2, { actor: null })], hasMore: true }
    return { rows: [row(1, { subject: null, target: '=cmd', before: 'null', after: '"a,""b"' })], hasMore: false }
  })
  const { person } = show(<AuditTab />, answers)
  await person.click(await button('Download CSV'))
  await waitFor(() => expect(saved).toHaveLength(1))
  const hash = 'ab'.repeat(32)
  const [change, at] = ['"{""isActive"":true}","{""isActive"":false}"', CHECKED]
  expect((await saved[0]?.text)?.split('\r\n')).toEqual([
    'seq,at,actor,act,subject,target,before,after,hash',
    `3,${at},Ada,deactivate,Bob,,${change},${hash}`,
    `2,${at},command line,deactivate,Bob,,${change},${hash}`,
    `1,${at},Ada,deactivate,,'=cmd,null,"""a,""""b""",${hash}`,
    '',
  ])
  expect(asked(answers, 'GET /api/admin/audit').slice(1)).toEqual([{ limit: 500 }, { limit: 500, before: 2 }])
})

const report = {
  ...{ id: ID, at: CHECKED, category: 'threat', text: '' },
  reporter: { id: ID, username: 'Alice', isActive: true },
  reported: { id: ID, username: 'Eve', isActive: false },
  messages: [
    { seq: 7, text: 'I know where you live', sentAt: CHECKED },
    { seq: 8, text: '', sentAt: null },
  ],
}

test('A report shows what was disclosed of each message, and what the server knows of it', async () => {
  const answers = makeAnswers()
  answers.on(reportsApi.list, () => ({
    reports: [report, { ...report, id: ID.replace('01', '02'), at: '2026-11-24T10:00:00.000Z', text: 'Help' }],
    hasMore: true,
  }))
  const { person } = show(<ReportsTab />, answers)
  const [first] = await screen.findAllByRole('listitem')
  expect(first?.textContent).toMatch(/^@alice reported @eve threat Inactive/)
  expect(first?.textContent).toMatch(/I know where you liveMessage 7 · sent by @eve, /)
  expect(first?.textContent).toContain('No text disclosedMessage 8 · not on the server any more')
  expect(lineOf('Help').getByText('threat')).toBeTruthy()
  answers.on(reportsApi.list, offline)
  await person.click(await button('Older'))
  expect((await screen.findByRole('alert')).textContent).toBe('The reports may be out of date. You are offline')
  expect(answers.asked.at(-1)?.input).toEqual({ before: '2026-11-24T10:00:00.000Z' })
  expect(screen.getByText('Help')).toBeTruthy()
})

test('Nothing that was reported is said, and so is why reports cannot be loaded', async () => {
  const answers = makeAnswers()
  answers.on(reportsApi.list, offline)
  const { person } = show(<ReportsTab />, answers)
  expect((await screen.findByRole('alert')).textContent).toBe('The reports could not be loaded. You are offline')
  answers.on(reportsApi.list, () => ({ reports: [], hasMore: false }))
  await person.click(await button('Try again'))
  expect(await screen.findByText('Nothing was reported.')).toBeTruthy()
})
