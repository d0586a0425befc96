/** True if the browser supports passkeys: not over plain HTTP, and not at an IP address. */
export const passkeysWork = (): boolean =>
  globalThis.isSecureContext && 'PublicKeyCredential' in globalThis && !/^[\d.]+$|:/.test(location.hostname)
