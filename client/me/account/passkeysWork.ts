/** False over plain HTTP and at an IP address. */
export const passkeysWork = (): boolean =>
  globalThis.isSecureContext && 'PublicKeyCredential' in globalThis && !/^[\d.]+$|:/.test(location.hostname)
