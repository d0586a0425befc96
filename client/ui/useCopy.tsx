import { useEffect, useState } from 'react'
import { showToast } from './toast.ts'

const SHOWN_MS = 2000

/** Copies a text. `isCopied` is true for a moment afterwards. Where the browser refuses, the text is shown, to be copied by hand. */
export function useCopy(text: string): { isCopied: boolean; copy: () => Promise<void> } {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [isCopied])

  async function copy() {
    try {
      await navigator.clipboard.writeText(text)
      setCopied(true)
    } catch {
      showToast({ tone: 'plain', title: 'Copy it from here', text })
    }
  }
  return { isCopied, copy }
}
