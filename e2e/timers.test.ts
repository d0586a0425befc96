import { expect } from 'vitest'
import { talking as test } from './people.ts'
import { looksFine } from './screen.ts'

test('Alice sets a timer: both read who set it, new messages say what is left of them, and Bob turns it off', async ({
  alice,
  bob,
}) => {
  await bob.says('stays')
  await alice.reads('stays')
  const { page } = alice
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Disappearing messages' }).click()
  const dialog = page.getByRole('dialog', { name: 'Disappearing messages' })
  await dialog.getByRole('radio', { name: 'Other' }).check()
  await dialog.getByLabel('How many').press('Control+a')
  await page.keyboard.type('0', { delay: 20 })
  await dialog.getByRole('alert').getByText('From one minute to one year.').waitFor()
  expect(await dialog.getByRole('button', { name: 'Set', exact: true }).isDisabled()).toBe(true)
  await dialog.getByLabel('How many').press('Control+a')
  await page.keyboard.type('90', { delay: 20 })
  await dialog.getByLabel('Of what').selectOption('minutes')
  await looksFine(page, 'the timer')
  await dialog.getByRole('button', { name: 'Set to 90 minutes' }).click()
  await page.getByText('You set messages to disappear after 90 minutes.').waitFor()
  await bob.page.getByText('Alice set messages to disappear after 90 minutes.').waitFor()
  for (const one of [alice, bob]) await one.page.locator('.head').getByText('disappear after 90 minutes').waitFor()

  await alice.says('goes')
  await bob.reads('goes')
  // It runs for its author since it was sent, and for Bob since his screen showed it.
  for (const one of [alice, bob])
    await one.page
      .getByRole('group', { name: /disappears/ })
      .getByText('1h')
      .waitFor()
  expect(await page.getByText('stays').locator('..').getByText('1h').count()).toBe(0)
  await looksFine(page, 'messages that disappear')
  await bob.reloads()
  await bob.page.locator('.head').getByText('disappear after 90 minutes').waitFor()

  await bob.page.getByRole('button', { name: 'More', exact: true }).click()
  await bob.page.getByRole('menuitem', { name: 'Disappearing messages' }).click()
  await bob.page.getByRole('radio', { name: 'Off' }).check()
  await bob.page.getByRole('button', { name: 'Turn off' }).click()
  await page.getByText('Bob turned disappearing messages off.').waitFor()
  await page.locator('.head').getByText('disappear after').waitFor({ state: 'detached' })
})
