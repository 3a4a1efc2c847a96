-- Asks Weir about each request. A denial is answered with Weir's status, headers and body. For a request that may pass, sets
-- txn.weir_limit and txn.weir_policy. If Weir is away, the request passes.
local url = "http://127.0.0.1:" .. (os.getenv("WEIR_PORT") or "8080") .. "/v1/ratelimit/forward?from=forwarded&deny=403"

core.register_action("weir", { "http-req" }, function(txn)
  local key = txn.f:req_fhdr("x-api-key")
  local headers = {
    ["x-forwarded-method"] = { txn.f:method() },
    ["x-forwarded-uri"] = { txn.f:path() },
    ["x-forwarded-for"] = { txn.f:src() },
  }
  if key ~= nil and key ~= "" then
    headers["x-api-key"] = { key }
  end
  local answer = core.httpclient():get({ url = url, headers = headers, timeout = 1000 })
  local function header(name)
    local values = answer.headers and answer.headers[name]
    return values and (values[0] or values[1])
  end
  -- Only a denial has this header: a 503 of HAProxy's own client, or of an overloaded Weir, is none.
  local denied = answer and header("x-weir-status")
  local status = answer and answer.status or 0
  if denied == nil and (status < 200 or status >= 500) then
    core.Warning("weir: no answer, the request passes")
    return
  end
  if status == 200 then
    for name, variable in pairs({ ["ratelimit"] = "txn.weir_limit", ["ratelimit-policy"] = "txn.weir_policy" }) do
      if header(name) ~= nil then
        txn:set_var(variable, header(name))
      end
    end
    return
  end
  -- Any other status is one that the caller brought about, such as 431, and must not pass.
  local reply = txn:reply({ status = tonumber(denied) or 403, body = answer.body })
  for _, name in ipairs({ "content-type", "retry-after", "ratelimit", "ratelimit-policy" }) do
    if header(name) ~= nil then
      reply:add_header(name, header(name))
    end
  end
  txn:done(reply)
end)
