import pg from 'pg'
import { expect } from 'vitest'
import { runningUrl } from '../server/ground/db/embedded.ts'
import { startChat, testAtOwnServer as test } from './people.ts'
import { looksFine } from './screen.ts'

/** CI runs a short form; the long one is `LONG_ROOM=100000 npm run test:e2e -- e2e/long.test.ts`. */
const COUNT = Number(process.env['LONG_ROOM'] ?? 5000)
const DAYS = 200

/** Inserts two hundred days of Bob's plain text messages into the database, the fastest way to a long room. */
async function writeLong(dataFolder: string, bob: string): Promise<void> {
  const client = new pg.Client(await runningUrl(dataFolder, 'conclave'))
  await client.connect()
  await client.query(
    `insert into messages (room, seq, id, sender_id, content, message_type, is_encrypted, created_at)
     select r.number, r.last_seq + n, gen_random_uuid(), u.id, 'line ' || n || '.', 'text', false,
            now() - make_interval(secs => ($2::int - n) * ($3::int * 86400.0 / $2::int))
     from chat_rooms r, users u, generate_series(1, $2::int) n where u.username = $1`,
    [bob, COUNT, DAYS],
  )
  await client.query(
    'update chat_rooms set last_seq = last_seq + $1, last_message_seq = last_seq + $1, last_message_at = now()',
    [COUNT],
  )
  await client.query(
    'update chat_participants p set unread_count = unread_count + $1 from users u where u.id = p.user_id and u.username <> $2',
    [COUNT, bob],
  )
  await client.end()
}

test('A long room opens at once, scrolls, goes to a day, and never stands in the page as a whole', async ({
  server,
  alice,
  bob,
}) => {
  await startChat(alice, bob)
  const links = Array.from({ length: 100 }, (_, at) => `https://old.example/${at + 1}`)
  await alice.says(`before it all ${links.join(' ')}`)
  await bob.reads('before it all')
  await alice.page.goto('about:blank')
  await writeLong(server.dataFolder, bob.username)

  const started = Date.now()
  await alice.page.goto(server.url)
  await alice.opens(bob)
  // The whole room is unread, so it opens at its first message.
  await alice.page.getByRole('separator', { name: `${COUNT} new messages` }).waitFor({ timeout: 110_000 })
  await alice.page.locator('.bub', { hasText: /line 1\./ }).waitFor({ timeout: 110_000 })
  const caughtUpMs = Date.now() - started
  // A page that is loaded anew before the server has the mark opens at the first message again.
  const marked = alice.page.waitForResponse(
    (answer) => answer.url().endsWith('/mark-read') && answer.ok() && answer.request().postDataJSON().seq >= COUNT,
  )
  await alice.page.getByRole('button', { name: /^Jump to the newest message/ }).click()
  await alice.page.locator('.bub', { hasText: `line ${COUNT}.` }).waitFor()
  await alice.page.locator('.row .count').waitFor({ state: 'detached' })
  await marked
  await alice.page.reload()
  const again = Date.now()
  await alice.page.locator('.bub', { hasText: `line ${COUNT}.` }).waitFor()
  process.stdout.write(`${COUNT} messages: caught up in ${caughtUpMs} ms, opened again in ${Date.now() - again} ms\n`)

  const rows = () => alice.page.locator('.msg').count()
  expect(await rows()).toBeLessThan(200)
  for (let at = 0; at < 12; at++) {
    const top = await alice.page.getByRole('log').locator('.msg').first().textContent()
    await alice.page.waitForFunction((before) => {
      const log = document.querySelector('[role=log]')
      log?.scrollTo({ top: 0 })
      return log?.querySelector('.msg')?.textContent !== before
    }, top)
    expect(await rows()).toBeLessThan(200)
  }
  await alice.page.getByRole('button', { name: /^Jump to the newest message/ }).click()
  await alice.page.locator('.bub', { hasText: `line ${COUNT}.` }).waitFor()

  await alice.page.getByRole('button', { name: 'Go to a day' }).first().click()
  const day = new Date(Date.now() - (DAYS / 2) * 86_400_000)
  const value = `${day.getFullYear()}-${String(day.getMonth() + 1).padStart(2, '0')}-${String(day.getDate()).padStart(2, '0')}`
  await looksFine(alice.page, 'go to a day')
  await alice.page.getByLabel('Day', { exact: true }).fill(value)
  await alice.page.getByRole('button', { name: 'Go', exact: true }).click()
  const heading = new Intl.DateTimeFormat('en-US', { weekday: 'long', month: 'long', day: 'numeric' }).format(day)
  await alice.page.getByText(new RegExp(heading)).first().waitFor()
  expect(await rows()).toBeLessThan(200)
  await alice.page.getByRole('button', { name: /^Jump to the newest message/ }).click()
  await alice.page.locator('.bub', { hasText: `line ${COUNT}.` }).waitFor()

  await alice.page.getByRole('button', { name: bob.name, exact: true }).click()
  await alice.page.getByRole('button', { name: 'Shared files' }).click()
  const dialog = alice.page.getByRole('dialog', { name: 'Shared files' })
  await dialog.getByText('No photos or videos').waitFor()
  await dialog.getByRole('tab', { name: 'Links 100' }).click()
  const lines = dialog.getByRole('listitem')
  expect(await lines.count()).toBe(60)
  await lines.last().scrollIntoViewIfNeeded()
  await expect.poll(() => lines.count()).toBe(100)
  await dialog.getByPlaceholder('Filter').fill('example/77')
  await expect.poll(() => lines.count()).toBe(1)
  await dialog.getByRole('button', { name: 'Show old.example in chat' }).click()
  await alice.page.locator('.found', { hasText: 'before it all' }).waitFor()
})
