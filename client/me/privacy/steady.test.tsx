// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { Env } from '../../env.ts'
import { makeAnswers, openScreen, show, toasts } from '../../testing/screen.tsx'
import { CryptoFailure } from '../../worker/crypto.ts'
import { SteadySettings } from './SteadySettings.tsx'

openScreen()

/** A browser whose vault says so, and what its socket is told. */
function browser(isKept: boolean) {
  const told: boolean[] = []
  let isFull = false
  const crypto = {
    isSteady: async () => isKept,
    async setSteady(isOn: boolean) {
      if (isFull) throw new CryptoFailure('quota', 'This browser is full')
      isKept = isOn
    },
  }
  const fills = () => {
    isFull = true
  }
  const socket = { steady: (isOn: boolean) => told.push(isOn) }
  return { env: { crypto, socket } as unknown as Partial<Env>, told, isKept: () => isKept, fills }
}

test('Steady traffic is off until somebody wants it, says what it costs, is kept in this browser, and the server is asked nothing', async () => {
  const { env, told, isKept } = browser(false)
  const answers = makeAnswers()
  const { person } = show(<SteadySettings />, answers, env)
  const choice = await screen.findByRole('switch', { name: 'Steady traffic', checked: false })
  expect(choice.getAttribute('aria-describedby')).toBeTruthy()
  screen.getByText(/^It costs 0\.6 MB an hour while this page is on screen, and a short message some 4 kB more on each way/)
  await person.click(choice)
  await screen.findByRole('switch', { checked: true })
  expect([told, isKept()]).toEqual([[true], true])
  await person.click(choice)
  await screen.findByRole('switch', { checked: false })
  expect([told, isKept(), answers.asked]).toEqual([[true, false], false, []])
})

test('Where the vault does not keep the choice it stays as it was, and that is said', async () => {
  const { env, told, fills } = browser(true)
  const { person } = show(<SteadySettings />, makeAnswers(), env)
  fills()
  await person.click(await screen.findByRole('switch', { checked: true }))
  await expect.poll(toasts).toEqual(['Nothing was changed: This browser is full'])
  screen.getByRole('switch', { checked: true })
  expect(told).toEqual([])
})
