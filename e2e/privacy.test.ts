import { expect } from 'vitest'
import { startChat, test } from './people.ts'
import { looksFine } from './screen.ts'

test('What Bob hides is gone from the screen of Alice at once, and hers from his: that he is online, and that he has read', async ({
  alice,
  bob,
}) => {
  await startChat(alice, bob)
  await alice.says('hello')
  await bob.reads('hello')
  await alice.seesTick('hello', 'Read')
  const shown = alice.page.locator('.head')
  await shown.getByText('Online', { exact: true }).waitFor()

  await bob.page.getByRole('button', { name: 'Profile Settings' }).click()
  await bob.page.getByRole('link', { name: 'Privacy' }).click()
  const presence = bob.page.getByRole('switch', { name: 'Show when I am online' })
  await looksFine(bob.page, 'what contacts see')
  // By keyboard; the switch keeps the focus, and moves once the server has stored it.
  await presence.press('Space')
  await expect.poll(() => presence.isChecked()).toBe(false)
  expect(await presence.evaluate((element) => element === document.activeElement)).toBe(true)
  await shown.getByText(/^Last seen/).waitFor()
  await bob.page.getByRole('switch', { name: 'Send read receipts' }).press('Space')
  await alice.seesTick('hello', 'Delivered')

  await bob.page.getByRole('button', { name: 'Back to chat' }).click()
  await bob.opens(alice)
  const his = bob.page.locator('.head')
  await his.getByText(/^Last seen/).waitFor()
  expect(await his.locator('.dot').count()).toBe(0)
  await alice.says('and now?')
  await bob.reads('and now?')
  await alice.seesTick('and now?', 'Delivered')
})
