import { expect } from 'vitest'
import { confirms, wordsOn } from './kit.ts'
import { person, test } from './people.ts'
import { looksFine } from './screen.ts'

test('Alice skips her kit and is told that its page is worthless; the next one she checks and seals, and the page has the focus', async ({
  server,
}) => {
  const alice = await person(server, 'Alice')
  const { page } = alice
  await alice.signsUp()
  await page.goto(`${server.url}/settings?tab=security`)
  await page.getByText('The one that you were shown last was never checked, so it does not count.').waitFor()
  await page.getByRole('button', { name: 'Make a recovery kit' }).click()
  await page.getByText('The kit that you were shown before was never checked, so it does not count.').waitFor()

  const bob = await person(server, 'Bob')
  await bob.page.goto(`${server.url}/auth`)
  await bob.page.getByLabel(/^Username/).fill(bob.username)
  await bob.page.getByLabel(/^Display name/).fill('Bob')
  await bob.page.getByLabel(/^Password/).fill(bob.password)
  await bob.page.getByLabel(/^Repeat password/).fill(bob.password)
  await bob.page.getByRole('button', { name: 'Create account' }).click()
  await bob.page.getByText('Step 2 of 2').waitFor()
  const written = bob.page.getByRole('button', { name: 'I have written it down' })
  await written.waitFor()
  const { y = 0, height = 0 } = (await written.boundingBox()) ?? {}
  expect(y + height).toBeLessThanOrEqual(800)
  await confirms(bob, await wordsOn(bob), () => looksFine(bob.page, 'three words of the kit'))
  await bob.page.getByRole('img', { name: /^Sealed on .* for @bob_/ }).waitFor()
  await looksFine(bob.page, 'sealed kit')
  // On a tablet the sheet has the page to itself; at 400 % each step stays one line.
  await bob.page.setViewportSize({ width: 768, height: 1024 })
  await expect.poll(() => bob.page.locator('.auth-side').isVisible()).toBe(false)
  await bob.page.setViewportSize({ width: 320, height: 256 })
  const heights = () => bob.page.locator('.kit-steps li').evaluateAll((steps) => steps.map(({ clientHeight }) => clientHeight))
  await expect.poll(async () => Math.max(...(await heights()))).toBeLessThan(40)
  expect(await bob.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320)
  await bob.page.setViewportSize({ width: 1280, height: 800 })
  await bob.page.getByRole('button', { name: 'Open Conclave' }).click()
  await bob.page.getByRole('button', { name: 'Add by Username/Onion' }).waitFor()
  await expect.poll(() => bob.page.evaluate(() => document.activeElement?.tagName)).toBe('H1')
  expect([...alice.complaints, ...bob.complaints]).toEqual([])
})
