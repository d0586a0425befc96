// @vitest-environment happy-dom
import { act, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { devicesApi } from '../../../contract/account/devices.ts'
import { makeAnswers, openScreen, refused, show } from '../../testing/screen.tsx'
import { accountStore } from './accountState.ts'
import { useWays } from './useWays.tsx'
import { waysStore } from './ways.ts'

openScreen()

function Shown() {
  return <p>{useWays().failure}</p>
}

test('Whatever on the screen speaks of the ways in, the server is asked once: at first, after a failure, and when something has changed', async () => {
  const userId = '9d3c7a52-0f51-4a7e-9e0b-1c6f3f5d0b01'
  accountStore.setState({ user: { id: userId } as never })
  waysStore.setState({ userId: null, failure: null })
  const answers = makeAnswers()
  answers.on(devicesApi.keys, () => {
    throw refused(503, 'internal', 'Try again')
  })
  const hears = new Set<() => void>()
  const socket = {
    on(_: string, hear: () => void) {
      hears.add(hear)
      return () => hears.delete(hear)
    },
  } as never
  const asked = () => answers.asked.filter(({ path }) => path.endsWith(devicesApi.keys.path)).length
  const several = (key: string) => [<Shown key={key} />, <Shown key={`${key}-2`} />, <Shown key={`${key}-3`} />]

  const { again } = show(several('first'), answers, { socket })
  await waitFor(() => expect(waysStore.getState().failure).not.toBeNull())
  expect(asked()).toBe(1)
  again(several('second'))
  await waitFor(() => expect(asked()).toBe(2))
  await act(async () => {
    for (const hear of hears) hear()
  })
  expect(asked()).toBe(3)
  again(null)
  expect(hears.size).toBe(0)
})
