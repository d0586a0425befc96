import { expect, onTestFinished, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { cardsOf } from '../../testing/cards.ts'
import type { Person } from '../../testing/person.ts'
import { type SmtpServer, startSmtp } from '../../testing/smtp.ts'
import { startWorld, type World } from '../../testing/world.ts'
import { mailFailures } from './failureMail.ts'

const FAILS = '4000000000000341'
const HOUR = 60 * 60

async function place() {
  const smtp = await startSmtp()
  const variables = {
    SMTP_URL: smtp.url,
    SMTP_FROM: 'Conclave <chat@example.org>',
    PUBLIC_URL: 'http://127.0.0.1:1',
    CARD_PROVIDER: 'sandbox',
  }
  const world = await startWorld({ variables })
  onTestFinished(() => smtp.stop())
  return { smtp, world, ...cardsOf(world) }
}

/** Whose renewal fails with the next month. */
async function payer({ buys }: ReturnType<typeof cardsOf>, world: World, email?: string): Promise<Person> {
  const who = await world.person('alice', 'free')
  if (email) await who.does(accountApi.updateProfile, { displayName: 'Alice of the chats', email })
  await buys(who, 'premium', FAILS)
  return who
}
const addressesOf = ({ mails }: SmtpServer) => mails.flatMap(({ to }) => to)

test('one mail goes to the address of the account whose renewal has failed, whatever repeats itself; nobody else is written to', async () => {
  const { smtp, world, sandbox, passes, ...cards } = await place()
  const alice = await payer({ ...cards, passes, sandbox }, world, 'mail.me@example.org')
  await payer({ ...cards, passes, sandbox }, world)
  await passes(31.2)
  for (let count = 0; count < 4; count++) {
    await sandbox.deliver()
    world.passes(HOUR)
    await world.jobs.runDue()
    await mailFailures(world.env)
  }
  // Another server on the same rows.
  const again = await startWorld({
    at: world.databaseUrl,
    variables: { SMTP_URL: smtp.url, SMTP_FROM: 'chat@example.org', CARD_PROVIDER: 'sandbox' },
  })
  await mailFailures(again.env)
  expect(addressesOf(smtp)).toEqual(['mail.me@example.org'])
  const text = smtp.mails[0]?.lines.join('\n') ?? ''
  expect(text).toContain('Subject: A payment for your plan has failed')
  expect(text).toMatch(/The plan goes on until \d+ \w+ 20\d\d/)
  expect(text).toContain('http://127.0.0.1:1/subscribe')
  for (const secret of [alice.username, 'Alice of the chats', alice.id, '1,000', 'Premium']) expect(text).not.toContain(secret)
})

test('the renewal that fails next is another one, and is mailed about again', async () => {
  const { smtp, world, passes, changesCard, ...cards } = await place()
  const alice = await payer({ ...cards, passes, changesCard }, world, 'mail.me@example.org')
  await passes(31.2)
  await mailFailures(world.env)
  expect(addressesOf(smtp)).toHaveLength(1)
  await alice.returns()
  await changesCard(alice, '4242424242424242')
  await passes(4)
  await alice.returns()
  await changesCard(alice, FAILS)
  await passes(31.2)
  await mailFailures(world.env)
  expect(addressesOf(smtp)).toHaveLength(2)
})

test('a mail server that takes nothing is asked five times, and payments go on; once it takes the mail nothing follows', async () => {
  const { smtp, world, passes, tierOf, ...cards } = await place()
  smtp.mood = 'refuses'
  const alice = await payer({ ...cards, passes, tierOf }, world, 'mail.me@example.org')
  await passes(31.2)
  await mailFailures(world.env)
  const triesOf = async () => (await world.sql('select mail_tries as tries from card_accounts where user_id = $1', [alice.id]))[0]
  expect(await triesOf()).toEqual({ tries: 1 })
  await mailFailures(world.env)
  expect(await triesOf()).toEqual({ tries: 1 })
  world.passes(11 * 60)
  smtp.mood = 'hangs up'
  await mailFailures(world.env)
  expect([await triesOf(), await tierOf(await again(alice))]).toEqual([{ tries: 2 }, 'premium'])
  for (let hours = 0; hours < 5 * 24; hours += 12) {
    world.passes(12 * HOUR)
    await mailFailures(world.env)
  }
  expect(await triesOf()).toEqual({ tries: 5 })
  smtp.mood = 'takes'
  world.passes(24 * HOUR)
  await mailFailures(world.env)
  expect(smtp.mails).toEqual([])

  const bob = await payer({ ...cards, passes, tierOf }, world, 'bob@example.org')
  smtp.mood = 'refuses'
  await passes(31.2)
  await mailFailures(world.env)
  smtp.mood = 'takes'
  world.passes(11 * 60)
  await mailFailures(world.env)
  world.passes(24 * HOUR)
  await mailFailures(world.env)
  expect(addressesOf(smtp)).toEqual(['bob@example.org'])
  expect(bob.id).not.toBe(alice.id)
})
const again = async (who: Person) => {
  await who.returns()
  return who
}

test('two servers at once send it one time; who pays, takes the address out or is blocked before that is not written to', async () => {
  const { smtp, world, passes, changesCard, ...cards } = await place()
  smtp.mood = 'refuses'
  const late = await Promise.all(
    ['pays', 'leaves', 'blocked', 'stays'].map((name) => payer({ ...cards, passes, changesCard }, world, `${name}@example.org`)),
  )
  await passes(31.2)
  await mailFailures(world.env)
  const [pays, leaves, blocked] = late
  if (!pays || !leaves || !blocked) throw new Error('There are four')
  await pays.returns()
  await changesCard(pays, '4242424242424242')
  await leaves.returns()
  await leaves.does(accountApi.updateProfile, { displayName: 'Bob', email: '' })
  await world.sql('update users set is_active = false where id = $1', [blocked.id])
  await passes(4)
  smtp.mood = 'takes'
  world.passes(2 * HOUR)
  await Promise.all([mailFailures(world.env), mailFailures(world.env), mailFailures(world.env)])
  expect(addressesOf(smtp)).toEqual(['stays@example.org'])
})
