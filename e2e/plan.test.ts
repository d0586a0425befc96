import { expect } from 'vitest'
import { conversation, test } from './people.ts'

test('A plan that changes while a page is open shows there at once, and the banner comes and goes', async ({
  server,
  alice,
  bob,
}) => {
  await conversation(alice, bob)
  const banner = bob.page.getByText('Free Plan Active')
  await server.account('set-tier', bob.username, 'free')
  await banner.waitFor({ timeout: 3000 })
  await server.account('set-tier', bob.username, 'premium')
  await banner.waitFor({ state: 'detached', timeout: 3000 })
  await bob.says('I have a plan again')
  await alice.reads('I have a plan again')
})

test('A session that the command line ends is signed out at once, and the page says so', async ({ server, alice, bob }) => {
  await conversation(alice, bob)
  await server.account('end-sessions', bob.username)
  await bob.page.getByText('You were signed out.').waitFor({ timeout: 3000 })
  await alice.says('still here')
})

test('A free account reads, but cannot send: the plans show at once without a question to the server, and the words stay', async ({
  server,
  alice,
  bob,
}) => {
  await conversation(alice, bob)
  await server.account('set-tier', bob.username, 'free')
  await bob.page.getByText('Free Plan Active').waitFor()
  await alice.says('can you read this?')
  await bob.reads('can you read this?')
  const asked: string[] = []
  bob.page.on('request', (request) => request.method() === 'POST' && asked.push(request.url()))
  await bob.page.getByLabel('Message', { exact: true }).fill('yes, I can')
  await bob.page.getByRole('button', { name: 'Send', exact: true }).click()
  await bob.page.getByRole('dialog').getByText('$1,000').first().waitFor()
  await bob.page.getByText('Your text is kept.').waitFor()
  expect(asked.filter((url) => url.endsWith('/api/messages'))).toEqual([])
  await bob.page.getByRole('button', { name: 'Maybe Later' }).click()
  expect(await bob.page.getByLabel('Message', { exact: true }).inputValue()).toBe('yes, I can')
  expect(await bob.page.locator('.bub', { hasText: 'yes, I can' }).count()).toBe(0)
  await alice.says('take your time')
  await bob.reads('take your time')
  expect(await alice.page.locator('.bub', { hasText: 'yes, I can' }).count()).toBe(0)
})
