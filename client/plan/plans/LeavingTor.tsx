import { useEffect } from 'react'
import { useStore } from 'zustand'
import { ConsentDialog } from '../../ui/ConsentDialog.tsx'
import { leavingStore } from './leaving.ts'

export function LeavingTor() {
  const asked = useStore(leavingStore, (state) => state.asked)
  useEffect(() => () => asked?.answer(false), [asked])
  if (!asked) return null
  return (
    <ConsentDialog
      title="Paying by card leaves Tor"
      text={`The page of the card company, ${asked.host}, is no onion service. It learns who you are by your card, and that you pay this server.`}
      note="In Tor Browser it sees the address of a Tor exit, and the network there sees that somebody visits it. Another browser may go there directly: then it sees your address, and your provider sees the visit. Where this server takes coins, paying by coin stays by onion."
      allow="Go there"
      leave="Stay here"
      isUsual={false}
      onAllow={() => asked.answer(true)}
      onLeave={() => asked.answer(false)}
    />
  )
}
