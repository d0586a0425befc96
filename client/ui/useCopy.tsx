import { useEffect, useState } from 'react'
import { showToast } from './toast.ts'

const SHOWN_MS = 2000

/** Copies a text. `isCopied` is true for a moment afterwards. Where the browser refuses, the text is shown. */
export function useCopy(text: string): { isCopied: boolean; copy: () => Promise<void> } {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [isCopied])

  const copy = async () => setCopied(await copyText(text))
  return { isCopied, copy }
}

/** Returns false if the browser refuses. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    showToast({ tone: 'plain', title: 'Copy it from here', text })
    return false
  }
}
