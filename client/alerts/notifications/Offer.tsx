import { BellRing } from 'lucide-react'
import { useState } from 'react'
import '../../ui/news.css'
import { askPermission } from './desktop.ts'
import { changePrefs } from './newsPrefs.ts'

/** Asked once, after something has come while nobody looked: whether the system shall tell of it. */
export function Offer() {
  const [isPending, setPending] = useState(false)

  async function accept() {
    setPending(true)
    const allowed = await askPermission()
    changePrefs({ isDesktop: allowed === 'granted', offer: 'answered' })
  }

  return (
    <div className="news" role="status" aria-label="Notifications">
      <div className="note acc">
        <BellRing className="i i-16" aria-hidden />
        <div>
          <p>
            <strong>A message came while you were elsewhere.</strong> This browser can tell you: “New message”, with no name and
            no text.
          </p>
          <div className="acts">
            <button type="button" className="btn compact primary" disabled={isPending} onClick={accept}>
              {isPending ? 'Asking...' : 'Tell me'}
            </button>
            <button
              type="button"
              className="btn compact quiet"
              disabled={isPending}
              onClick={() => changePrefs({ offer: 'answered' })}
            >
              Not now
            </button>
          </div>
        </div>
      </div>
    </div>
  )
}
