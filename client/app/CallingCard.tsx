import { Check, Copy, QrCode, Share2 } from 'lucide-react'
import { useState } from 'react'
import type { User } from '../../contract/account/account.ts'
import { LIMITS } from '../../contract/ground/limits.ts'
import { CopyButton } from '../ui/CopyButton.tsx'
import { later } from '../ui/later.tsx'
import { useCopy } from '../ui/useCopy.tsx'

const CompactCode = later(async () => (await import('../people/contactcodes/CompactCode.tsx')).CompactCode)

interface Props {
  user: User
  onionAddress: string | null
}

/** The name that others find this account by, to be handed on. */
export function CallingCard({ user, onionAddress }: Props) {
  const handle = `@${user.username.toLowerCase()}`
  const name = useCopy(handle)
  const invitation = `I am ${handle} on Conclave: ${location.origin}/`
  const text = useCopy(invitation)
  const [isShared, setShared] = useState(false)
  const [isCodeShown, setCodeShown] = useState(false)

  async function share() {
    if (!navigator.share) return text.copy()
    try {
      await navigator.share({ text: invitation })
      setShared(true)
    } catch (error) {
      // A person who closes the browser's sheet has changed their mind.
      if (!(error instanceof DOMException && error.name === 'AbortError')) await text.copy()
    }
  }

  return (
    <section className="calling" aria-label="Your name here">
      <div className="in">
        <p className="small t2">People find you as</p>
        <p className="handle-big serif">{handle}</p>
        <div className="do">
          <button type="button" className="btn outline" onClick={name.copy}>
            {name.isCopied ? <Check className="i i-16" aria-hidden /> : <Copy className="i i-16" aria-hidden />}
            {name.isCopied ? 'Copied' : 'Copy'}
          </button>
          <button type="button" className="btn outline" onClick={share}>
            {text.isCopied ? <Check className="i i-16" aria-hidden /> : <Share2 className="i i-16" aria-hidden />}
            {text.isCopied ? 'Invitation copied' : 'Share'}
          </button>
          <button type="button" className="btn outline" aria-expanded={isCodeShown} onClick={() => setCodeShown(!isCodeShown)}>
            <QrCode className="i i-16" aria-hidden />
            {isCodeShown ? 'Hide code' : 'Show code'}
          </button>
        </div>
        {isCodeShown && <CompactCode user={user} />}
        <p className="sr" role="status">
          {name.isCopied && `${handle} copied`}
          {text.isCopied && 'Invitation copied'}
          {isShared && 'Shared'}
        </p>
      </div>
      {onionAddress && (
        <div className="at">
          <span title={onionAddress}>
            Your key <span className="mono">{onionAddress.slice(0, LIMITS.onionShownChars)}…</span>
          </span>
          <CopyButton text={onionAddress} label="Copy your onion address" />
        </div>
      )}
    </section>
  )
}
