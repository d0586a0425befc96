import { BellRing } from 'lucide-react'
import { useState } from 'react'
import { Notice } from '../../ui/Notice.tsx'
import { askPermission } from './desktop.ts'
import { changePrefs } from './newsPrefs.ts'

export const OFFER = 'A message came while you were elsewhere'

/** Asked once, after something has come while nobody looked: whether the system shall tell of it. */
export function Offer() {
  const [isPending, setPending] = useState(false)

  async function accept() {
    setPending(true)
    const allowed = await askPermission()
    changePrefs({ isDesktop: allowed === 'granted', offer: 'answered' })
  }

  return (
    <Notice icon={BellRing} title={OFFER} text="This browser can tell you: “New message”, with no name and no text.">
      <button type="button" className="btn compact outline" disabled={isPending} onClick={accept}>
        {isPending ? 'Asking...' : 'Tell me'}
      </button>
      <button type="button" className="btn compact quiet" disabled={isPending} onClick={() => changePrefs({ offer: 'answered' })}>
        Never
      </button>
    </Notice>
  )
}
