import { useEffect } from 'react'
import { useStore } from 'zustand'
import { useEnv } from '../../ui/env.tsx'
import { callStore } from './callState.ts'
import { testOnceADay, testStore } from './testConnection.ts'

/** What the silent test before the first call of a day has found not to work. */
export function TestLine() {
  const env = useEnv()
  const isInitiator = useStore(callStore, (call) => call.isInitiator)
  const line = useStore(testStore, (state) => state.line)
  useEffect(() => {
    // A test that fails says nothing of the call, which has its own words.
    if (isInitiator) testOnceADay(env).catch(() => undefined)
  }, [env, isInitiator])
  return line && <p className="small call-test-line">{line}</p>
}
